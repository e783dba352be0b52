package dev.holdfast.output.search;

import dev.holdfast.runtime.port.OutputStore;

/** What is shown of a line. Pure. */
final class Excerpt {
    private static final int MOST = OutputStore.MAX_LINE_CHARS;
    private static final char CUT = '…';

    private Excerpt() {}

    /** A long line is cut where the match is, of which a quarter of what is shown stands before. */
    static String around(String line, int match) {
        if (line.length() <= MOST) {
            return line;
        }
        int from = Math.clamp(match - MOST / 4, 0, line.length() - MOST);
        int to = from + MOST;
        StringBuilder shown = new StringBuilder(line.substring(from, to));
        if (to < line.length()) {
            shown.setLength(MOST - (Character.isLowSurrogate(shown.charAt(MOST - 1)) ? 2 : 1));
            shown.append(CUT);
        }
        if (from > 0) {
            shown.replace(0, Character.isHighSurrogate(shown.charAt(0)) ? 2 : 1, String.valueOf(CUT));
        }
        return shown.toString();
    }
}
