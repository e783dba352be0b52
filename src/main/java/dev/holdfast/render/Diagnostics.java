package dev.holdfast.render;

import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Invocation;
import java.util.stream.Collectors;

/**
 * What is known of a command by looking at its text. Characters are code points. Time is linear in the text; a few
 * microseconds for a short one.
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
        HereDocuments reduced = withoutHereDocuments(invocation);
        int chars = text.codePointCount(0, text.length());
        return new CommandDiagnostics(
                cut(Secrets.mask(reduced.text())),
                chars,
                Math.ceilDiv(chars, CHARS_PER_TOKEN),
                reduced.found(),
                InlineScripts.in(reduced.text()),
                chars > SOFT_THRESHOLD_CHARS,
                maxOutputTokens,
                Math.multiplyExact(CHARS_PER_TOKEN, maxOutputTokens));
    }

    /** The command on one line, secrets masked, here-documents left out, at most {@link #PREVIEW_CHARS}. */
    public static String summary(Invocation invocation) {
        return cut(onOneLine(Secrets.mask(withoutHereDocuments(invocation).text())));
    }

    /** Arguments are quoted where a shell would need it, so that each is seen, and masked, as a whole. */
    private static HereDocuments withoutHereDocuments(Invocation invocation) {
        return switch (invocation) {
            case Invocation.ShellText shell -> HereDocuments.leaveOut(shell.cmd());
            case Invocation.Program program -> {
                var parts = program.argv().stream()
                        .map(HereDocuments::leaveOutOfArgument)
                        .toList();
                yield new HereDocuments(
                        parts.stream().map(part -> quoted(part.text())).collect(Collectors.joining(" ")),
                        parts.stream().anyMatch(HereDocuments::found));
            }
        };
    }

    private static String quoted(String argument) {
        boolean plain = !argument.isEmpty()
                && argument.chars()
                        .allMatch(c -> c > 127 || Character.isLetterOrDigit(c) || "-_./:=@%+,~".indexOf(c) >= 0);
        return plain ? argument : "'" + argument.replace("'", "'\\''") + "'";
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
