package dev.holdfast.output.search;

import dev.holdfast.output.TextView;

/** Where lines begin and end in bytes, and what they are as text. Pure. */
final class Lines {
    private Lines() {}

    /**
     * Of a line or a part of it, without its newline. An escape that goes on in the next line is none of its text.
     *
     * @param closed whether nothing of it follows
     */
    static String text(byte[] bytes, int from, int to, boolean closed) {
        boolean ends = bytes[to - 1] == '\n';
        String text = TextView.render(bytes, from, to, closed && !ends).text();
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    /** Whether a part of a line shows how that begins: what was before it is overwritten. */
    static boolean isDrawnOver(byte[] bytes, int from, int to) {
        int end = bytes[to - 1] == '\n' ? to - 1 : to;
        return TextView.render(bytes, from, end, false).lineFrom() > from;
    }

    /** After the last newline between {@code from} and {@code at}, else {@code from}. */
    static int start(byte[] bytes, int from, int at) {
        int start = at;
        while (start > from && bytes[start - 1] != '\n') {
            start--;
        }
        return start;
    }

    /** After the first newline between {@code at} and {@code to}, else {@code to}. */
    static int end(byte[] bytes, int at, int to) {
        int end = at;
        while (end < to) {
            if (bytes[end++] == '\n') {
                return end;
            }
        }
        return to;
    }
}
