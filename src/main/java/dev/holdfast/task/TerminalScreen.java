package dev.holdfast.task;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a person would see on a terminal.
 *
 * @param cursorRow from 0, as the column
 * @param lines as many as rows, without blanks at their ends
 * @param alternate whether it is the other screen, which editors and pagers draw on and leave in the end
 * @param usedAlternate whether that was ever shown
 * @param whole whether nothing has left the usual screen by scrolling, or since it shrank
 * @param paint the escapes that draw it on a terminal of this size that was just switched on
 */
public record TerminalScreen(
        TerminalSize size,
        int cursorRow,
        int cursorCol,
        boolean cursorVisible,
        List<String> lines,
        String title,
        boolean alternate,
        boolean usedAlternate,
        boolean whole,
        String paint) {
    public TerminalScreen {
        lines = List.copyOf(lines);
    }

    /**
     * Bytes of keys as its program wants them: in application mode (DECCKM, which what paints it switches on) the
     * cursor keys, Home and End begin with {@code ESC O}. Programs that ask for it, such as {@code less} and those of
     * curses, know no other.
     *
     * @param keys in the normal form
     */
    public byte[] keys(byte[] keys) {
        byte[] sent = keys.clone();
        for (int i = 0; paint.contains("\u001b[?1h") && i + 2 < sent.length; i++) {
            if (sent[i] == '\u001b' && sent[i + 1] == '[' && "ABCDHF".indexOf(sent[i + 2]) >= 0) {
                sent[i + 1] = 'O';
            }
        }
        return sent;
    }

    /** Its lines in one text. */
    public String text() {
        return String.join("\n", lines);
    }

    /**
     * What of it is shown where output is: its lines up to the last that is not empty, the middle left out where they
     * are too long. Truncated also when there is output that has left the screen, or lies behind it.
     *
     * @param chars exceeded only where it is less than the line that counts what is left out
     */
    public Preview preview(int chars) {
        String text = text().stripTrailing();
        boolean fits = text.length() <= chars;
        String shown = fits ? text : cut(text, chars);
        return new Preview(shown.isEmpty() ? null : shown, null, !fits || alternate || !whole);
    }

    private static String cut(String text, int chars) {
        int room = Math.max(0, chars - marker(text).length());
        int head = boundary(text, room / 2);
        int tail = boundary(text, text.length() - (room - room / 2));
        return text.substring(0, head) + marker(text.substring(head, tail)) + text.substring(tail);
    }

    private static String marker(String leftOut) {
        return "\n… " + leftOut.getBytes(StandardCharsets.UTF_8).length + " bytes left out …\n";
    }

    /** Not within a character. */
    private static int boundary(String text, int at) {
        return at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at)) ? at + 1 : at;
    }
}
