package dev.holdfast.output.search;

/** Where lines begin and end in bytes. Pure. */
final class Lines {
    private Lines() {}

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
