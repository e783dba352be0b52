package dev.holdfast.output;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a terminal was told that outlasts the screen being cleared: which screen is shown, modes, scroll region, pen, title.
 * Not what stands on the screen, nor where the cursor is.
 */
final class TerminalState {
    /** Insert mode, cursor keys, origin, the cursor's visibility (DECSTR). */
    private static final Set<String> SOFTLY_RESET = Set.of("4", "?1", "?6", "?25");

    private final Map<String, Character> modes = new TreeMap<>();
    private Pen pen = new Pen();
    private @Nullable Saved saved;
    private @Nullable Saved alternateSaved;
    private long restoredFrom = -1;
    private String region = "";
    private String cursor = "";
    private String keypad = "";
    private String title = "";
    private boolean alternate;

    /** The cursor of one of the screens, saved at an offset. */
    private record Saved(long offset, Pen pen) {}

    /** Good for {@link #restored}. */
    TerminalState copy() {
        TerminalState copy = new TerminalState();
        copy.modes.putAll(modes);
        copy.pen = pen.copy();
        copy.region = region;
        copy.cursor = cursor;
        copy.keypad = keypad;
        copy.title = title;
        copy.alternate = alternate;
        return copy;
    }

    /** Whether programs draw on the other screen, the one without a history. */
    boolean isAlternate() {
        return alternate;
    }

    /** Where the cursor was saved that the last escape restored; negative when it restored none. */
    long restoredFrom() {
        return restoredFrom;
    }

    void shift(boolean out) {
        pen.shift(out);
    }

    /**
     * Heeds the escape between these indexes; most are none of its business.
     *
     * @param offset where it is in the stream
     */
    void take(byte[] bytes, int from, int to, long offset) {
        restoredFrom = -1;
        if (to - from < 2) {
            return;
        }
        byte last = bytes[to - 1];
        if (bytes[from + 1] != '[') {
            take(ControlSequence.of(bytes, from, to), offset);
        } else if (last == 'm') {
            pen.colour(bytes, from, to);
        } else if ("hlrqpsu".indexOf(last) >= 0) {
            takeControl(ControlSequence.of(bytes, from, to), offset);
        }
    }

    private void take(ControlSequence sequence, long offset) {
        switch (sequence.kind()) {
            case ']' -> takeCommand(sequence.text());
            case 'c' -> reset();
            case '=', '>' -> keypad = "\033" + sequence.kind();
            case '(', ')', '*', '+' -> pen.characterSet(sequence.kind(), sequence.text() + sequence.last());
            case '7' -> save(offset);
            case '8' -> restore();
            default -> {
                // Nothing that lasts.
            }
        }
    }

    private void takeControl(ControlSequence sequence, long offset) {
        String text = sequence.text();
        switch (sequence.last()) {
            case 'h', 'l' -> takeModes(sequence, offset);
            case 'r' -> region = sequence.isPlain() ? text : region;
            case 'q' -> cursor = text.endsWith(" ") ? text : cursor;
            case 'p' -> softReset(text);
            case 's' -> {
                if (text.isEmpty()) {
                    save(offset);
                }
            }
            case 'u' -> {
                if (text.isEmpty()) {
                    restore();
                }
            }
            default -> {
                // Draws, moves or asks.
            }
        }
    }

    private void takeModes(ControlSequence sequence, long offset) {
        boolean dec = sequence.startsWith('?');
        boolean set = sequence.last() == 'h';
        if (!dec && !sequence.isPlain()) {
            return;
        }
        for (int number : sequence.numbers()) {
            switch (dec ? number : -number) {
                case 47, 1047 -> alternate = set;
                case 1048 -> saveOrRestore(set, offset);
                case 1049 -> {
                    alternate = false; // it is the cursor of the usual screen
                    saveOrRestore(set, offset);
                    alternate = set;
                }
                // Switching columns clears; an update that began will not end any more.
                case 3, 2026 -> {}
                default -> modes.put((dec ? "?" : "") + number, sequence.last());
            }
        }
    }

    private void saveOrRestore(boolean save, long offset) {
        if (save) {
            save(offset);
        } else {
            restore();
        }
    }

    private void save(long offset) {
        Saved now = new Saved(offset, pen.copy());
        if (alternate) {
            alternateSaved = now;
        } else {
            saved = now;
        }
    }

    private void restore() {
        Saved from = alternate ? alternateSaved : saved;
        pen = from == null ? new Pen() : from.pen().copy();
        restoredFrom = from == null ? 0 : from.offset();
    }

    private void takeCommand(String text) {
        if (text.startsWith("0;") || text.startsWith("2;")) {
            title = text;
        }
    }

    private void softReset(String text) {
        if (text.equals("!")) {
            modes.keySet().removeAll(SOFTLY_RESET);
            pen = new Pen();
            region = "";
            keypad = "";
        }
    }

    private void reset() {
        modes.clear();
        pen = new Pen();
        saved = null;
        alternateSaved = null;
        region = "";
        cursor = "";
        keypad = "";
        title = "";
        alternate = false;
    }

    /** What brings a new terminal into this state, its cursor at the upper left; a character a byte. */
    String restored() {
        StringBuilder text = new StringBuilder();
        if (!title.isEmpty()) {
            text.append("\033]").append(title).append('\007');
        }
        if (alternate) {
            text.append("\033[?1049h");
        }
        modes.forEach((mode, value) -> text.append("\033[").append(mode).append(value));
        if (!cursor.isEmpty()) {
            text.append("\033[").append(cursor).append('q');
        }
        if (!region.isEmpty()) {
            text.append("\033[").append(region).append('r');
        }
        return text.append(keypad).append(pen.restored()).toString();
    }
}
