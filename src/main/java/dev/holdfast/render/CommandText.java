package dev.holdfast.render;

import dev.holdfast.shell.Script;
import dev.holdfast.shell.Script.HereDocument;
import dev.holdfast.shell.ShellText;
import dev.holdfast.task.Invocation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A command's text as it may be shown: all that shows one asks here.
 *
 * @param parts the shell text, or the arguments, secrets masked
 * @param preview the same in one text, here-documents left out, arguments quoted where a shell would need it
 */
record CommandText(List<String> parts, String preview, boolean hereDocument, boolean inlineScript) {
    static final String MASK = "***";
    private static final String HERE_DOCUMENT = "(here-document left out)";

    /** A text without any of these, in small letters, has nothing to mask or leave out. */
    private static final List<String> MARKS = Stream.of(
                    SecretNames.MARKS.stream(), SecretShapes.marks(), SecretOptions.marks(), Stream.of("<<"))
            .flatMap(marks -> marks)
            .toList();

    private static final Read LAST = new Read();

    /**
     * Some microseconds for a short text, a millisecond for one of 4 KB, and for one that must be read as {@link
     * ShellText} says; but not each time.
     */
    static CommandText of(Invocation invocation) {
        return switch (invocation) {
            case Invocation.ShellText shell -> of(shell.cmd(), shell.cmd(), List.of(shell.cmd()));
            case Invocation.Program program -> of(program.argv(), program.text(), program.argv());
        };
    }

    /** @param key the shell text, or the arguments */
    private static CommandText of(Object key, String text, List<String> parts) {
        CommandText known = LAST.get(key);
        if (known == null) {
            known = mustBeRead(text) ? read(key, text, parts) : plain(key, text, parts);
            LAST.put(key, known);
        }
        return known;
    }

    private static CommandText plain(Object key, String text, List<String> parts) {
        return new CommandText(parts, key instanceof String ? text : quoted(parts, parts), false, false);
    }

    private static boolean mustBeRead(String text) {
        String small = text.toLowerCase(Locale.ROOT);
        return MARKS.stream().anyMatch(small::contains)
                || (small.contains("://") && small.contains("@"))
                || InlineScripts.mayBeIn(text);
    }

    private static CommandText read(Object key, String text, List<String> parts) {
        boolean shell = key instanceof String;
        Script script = shell ? ShellText.read(text, Map.of()) : ShellText.read(parts, Map.of());
        BitSet secrets = Secrets.in(text, script);
        NavigableMap<Integer, Integer> bodies = new TreeMap<>();
        for (HereDocument body : script.hereDocuments()) {
            if (body.end() > body.start()) {
                bodies.put(body.start(), body.end());
            }
        }
        List<String> masked = new ArrayList<>();
        List<String> reduced = new ArrayList<>();
        int from = 0;
        for (String part : parts) {
            int to = from + part.length();
            masked.add(shown(text, from, to, secrets, new TreeMap<>()));
            reduced.add(shown(text, from, to, secrets, bodies));
            from = to + 1;
        }
        return new CommandText(
                List.copyOf(masked),
                shell ? reduced.getFirst() : quoted(parts, reduced),
                !script.hereDocuments().isEmpty(),
                InlineScripts.in(script));
    }

    private static String shown(String text, int from, int to, BitSet secrets, NavigableMap<Integer, Integer> leftOut) {
        StringBuilder shown = new StringBuilder(to - from);
        int at = from;
        while (at < to) {
            Integer end = leftOut.get(at);
            if (end != null) {
                at = Math.min(to, end);
                shown.append(HERE_DOCUMENT).append(text.charAt(at - 1) == '\n' ? "\n" : "");
            } else if (secrets.get(at)) {
                Integer next = leftOut.higherKey(at);
                at = Math.min(Math.min(to, secrets.nextClearBit(at)), next == null ? to : next);
                shown.append(MASK);
            } else {
                shown.append(text.charAt(at));
                at++;
            }
        }
        return shown.toString();
    }

    /** The whole in one text, secrets masked, arguments quoted where a shell would need it. */
    static String whole(Invocation invocation) {
        List<String> shown = of(invocation).parts();
        return switch (invocation) {
            case Invocation.ShellText _ -> shown.getFirst();
            case Invocation.Program program -> quoted(program.argv(), shown);
        };
    }

    private static String quoted(List<String> arguments, List<String> shown) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < shown.size(); i++) {
            String argument = shown.get(i);
            text.append(i == 0 ? "" : " ")
                    .append(isPlain(arguments.get(i)) ? argument : "'" + argument.replace("'", "'\\''") + "'");
        }
        return text.toString();
    }

    private int chars() {
        return 100 + parts.stream().mapToInt(String::length).sum() + preview.length();
    }

    private static boolean isPlain(String argument) {
        return !argument.isEmpty()
                && argument.replace(MASK, "")
                        .chars()
                        .allMatch(c -> c > 127 || Character.isLetterOrDigit(c) || "-_./:=@%+,~".indexOf(c) >= 0);
    }

    /** The last of them, so that lists and polls read nothing again. Thread-safe. */
    private static final class Read {
        private static final int MOST_CHARS = 1 << 20;

        private final Map<Object, CommandText> texts = new LinkedHashMap<>(16, 0.75f, true);
        private int chars;

        synchronized @Nullable CommandText get(Object key) {
            return texts.get(key);
        }

        synchronized void put(Object key, CommandText text) {
            if (texts.put(key, text) == null) {
                chars += text.chars();
            }
            var eldest = texts.values().iterator();
            while (chars > MOST_CHARS) {
                chars -= eldest.next().chars();
                eldest.remove();
            }
        }
    }
}
