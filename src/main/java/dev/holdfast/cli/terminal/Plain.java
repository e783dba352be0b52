package dev.holdfast.cli.terminal;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What others wrote, as it is told to people: what would not be seen, would move the cursor, or would turn the rest
 * around is written out, as the console does. Nobody allows a command that he reads as another one.
 */
public final class Plain {
    private static final String UNSEEN = "\\x00-\\x08\\x0B-\\x1F\\x7F-\\x9F\\u00AD\\u061C\\u180E\\u200B-\\u200F"
            + "\\u2028-\\u202E\\u2060-\\u2069\\uFEFF\\x{E0000}-\\x{E007F}";
    private static final Pattern IN_TEXT = Pattern.compile("[" + UNSEEN + "]");
    private static final Pattern IN_LINE = Pattern.compile("[" + UNSEEN + "\\t\\n]");

    private Plain() {}

    /** Lines and tabs stay. */
    public static String text(String given) {
        return IN_TEXT.matcher(given).replaceAll(Plain::written);
    }

    /** On one line, whatever it holds. */
    public static String line(String given) {
        return IN_LINE.matcher(given).replaceAll(Plain::written);
    }

    /** JSON that says the same; only in the texts of JSON on one line can there be such characters. */
    public static String json(String given) {
        return IN_TEXT.matcher(given).replaceAll(match -> {
            var escaped = new StringBuilder();
            match.group().chars().forEach(unit -> escaped.append(String.format(Locale.ROOT, "\\\\u%04x", unit)));
            return escaped.toString();
        });
    }

    private static String written(MatchResult match) {
        return String.format(Locale.ROOT, "⟨%04X⟩", match.group().codePointAt(0));
    }
}
