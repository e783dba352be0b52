package dev.holdfast.shell.grammar;

import dev.holdfast.shell.word.Word;
import org.jspecify.annotations.Nullable;

/**
 * {@code <<} with its delimiter, as bash reads it.
 *
 * @param end after the delimiter
 * @param tabs whether tabs in front of its lines are left out
 * @param expands whether the shell expands what is in it: no part of the delimiter is quoted
 */
public record HereDocumentOperator(int end, String delimiter, boolean tabs, boolean expands) {
    private static final String ENDS = " \t\n;&|<>()";

    /**
     * A here-document.
     *
     * @param text of its body
     * @param end after the line that ends it, in the outermost text
     */
    public record Body(Word text, boolean expands, int end) {
        /** @param last start of the line that ends it */
        Body(HereDocumentOperator operator, Source in, int start, int last, int end) {
            this(in.word(start, last), operator.expands(), in.place(end));
        }
    }

    /** Null where no delimiter follows. */
    public static @Nullable HereDocumentOperator at(String in, int at) {
        boolean tabs = in.startsWith("-", at + 2);
        int from = at + (tabs ? 3 : 2);
        while (from < in.length() && (in.charAt(from) == ' ' || in.charAt(from) == '\t')) {
            from++;
        }
        StringBuilder delimiter = new StringBuilder();
        boolean quotes = false;
        int i = from;
        while (i < in.length() && ENDS.indexOf(in.charAt(i)) < 0) {
            char c = in.charAt(i);
            if (c == '\'' || c == '"') {
                int end = closing(in, c, i + 1, c == '"');
                delimiter.append(in, i + 1, Math.max(i + 1, end - 1));
                i = end;
            } else {
                i += c == '\\' ? 1 : 0;
                delimiter.append(in, i, Math.min(in.length(), i + 1));
                i++;
            }
            quotes |= c == '\'' || c == '"' || c == '\\';
        }
        return i == from
                ? null
                : new HereDocumentOperator(Math.min(i, in.length()), delimiter.toString(), tabs, !quotes);
    }

    /** Where the line that ends it begins; or the end of all. */
    public int lastLine(String in, int start) {
        int line = start;
        while (line < in.length()) {
            int end = closing(in, '\n', line, false);
            int from = line;
            while (tabs && in.startsWith("\t", from)) {
                from++;
            }
            if (in.substring(from, end).replace("\n", "").equals(delimiter)) {
                return line;
            }
            line = end;
        }
        return line;
    }

    /** After the next such character, or at the end of all. */
    public static int closing(String in, char c, int from, boolean escapes) {
        int i = from;
        while (i < in.length() && in.charAt(i) != c) {
            i += escapes && in.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(in.length(), i + 1);
    }
}
