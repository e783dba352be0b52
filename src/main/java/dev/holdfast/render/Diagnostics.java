package dev.holdfast.render;

import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Invocation;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What is known of a command by looking at its text. Characters are code points. A few microseconds for a
 * short text; one that may have secrets or here-documents in it is read by its grammar, and remembered.
 */
public final class Diagnostics {
    /** Code points a preview or a summary has at most. */
    public static final int PREVIEW_CHARS = 240;

    /** Above so many code points a command had better be a file. */
    public static final int SOFT_THRESHOLD_CHARS = 4000;

    public static final int CHARS_PER_TOKEN = 4;

    private Diagnostics() {}

    public static CommandDiagnostics of(Invocation invocation, int maxOutputTokens) {
        String text = invocation.text();
        CommandText shown = CommandText.of(invocation);
        int chars = text.codePointCount(0, text.length());
        return new CommandDiagnostics(
                cut(shown.preview()),
                chars,
                Math.ceilDiv(chars, CHARS_PER_TOKEN),
                shown.hereDocument(),
                shown.inlineScript(),
                chars > SOFT_THRESHOLD_CHARS,
                maxOutputTokens,
                Math.multiplyExact(CHARS_PER_TOKEN, maxOutputTokens));
    }

    /** The command on one line, secrets masked, here-documents left out, at most {@link #PREVIEW_CHARS}. */
    public static String summary(Invocation invocation) {
        return cut(onOneLine(CommandText.of(invocation).preview()));
    }

    /** All of the command in one text, secrets masked. */
    public static String whole(Invocation invocation) {
        return CommandText.whole(invocation);
    }

    /** The same command with its secrets masked, as whoever asks what runs may see it. */
    public static Invocation masked(Invocation invocation) {
        return switch (invocation) {
            case Invocation.ShellText(String _, String shell, boolean login) ->
                new Invocation.ShellText(CommandText.of(invocation).parts().getFirst(), shell, login);
            case Invocation.Program program -> new Invocation.Program(masked(program.argv()));
        };
    }

    /** The same of a program and its arguments, or of words. */
    public static List<String> masked(List<String> words) {
        return CommandText.of(new Invocation.Program(words)).parts();
    }

    /** Whether anything in it is masked where it is shown. */
    public static boolean holdsSecret(Invocation invocation) {
        return !masked(invocation).equals(invocation);
    }

    /** How words out of a command are shown: what is masked in the whole of it is so in them. */
    public static UnaryOperator<List<String>> maskedAsIn(Invocation whole) {
        String text = whole.text();
        String shown = String.join(" ", CommandText.of(whole).parts());
        if (shown.equals(text)) {
            return Diagnostics::masked; // to seek each word in the text takes the square of its length
        }
        return words -> masked(words).stream()
                .map(word -> text.contains(word) && !shown.contains(word) ? CommandText.MASK : word)
                .toList();
    }

    /** A process' command line in the same form, or its name in brackets where it has none. */
    public static String process(String name, List<String> arguments) {
        return arguments.isEmpty() ? "[" + name + "]" : summary(new Invocation.Program(arguments));
    }

    private static String onOneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean space = Character.isWhitespace(c) || Character.isISOControl(c) || text.startsWith("\\\n", i);
            if (!space) {
                line.append(c);
            } else if (!line.isEmpty() && line.charAt(line.length() - 1) != ' ') {
                line.append(' ');
            }
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String text) {
        if (text.length() <= PREVIEW_CHARS || text.codePointCount(0, text.length()) <= PREVIEW_CHARS) {
            return text;
        }
        return text.substring(0, text.offsetByCodePoints(0, PREVIEW_CHARS));
    }
}
