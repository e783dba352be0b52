package dev.holdfast.output;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * One line as a terminal would show it: characters overwrite what stands under the cursor. A cell is a column: a wide
 * character has two, a tab those up to its stop, a mark none, and of what is overwritten in part the rest is blank. The
 * cursor never leaves what was written. For one thread.
 */
final class Line {
    private static final int TAB = 8;

    /** Stands behind a wide character or a tab, as far as that reaches. */
    private static final int REST = -1;

    private int[] cells = new int[256];
    private int length;
    private int cursor;
    /** What is drawn onto the character at a column; at -1: before the first. */
    private final NavigableMap<Integer, StringBuilder> marks = new TreeMap<>();

    boolean isEmpty() {
        return length == 0 && marks.isEmpty();
    }

    void put(int codePoint) {
        int width = Width.of(codePoint);
        if (width == 0) {
            int column = cursor == 0 ? -1 : beginning(cursor - 1);
            marks.computeIfAbsent(column, _ -> new StringBuilder()).appendCodePoint(codePoint);
            return;
        }
        int end = cursor + width;
        grow(end);
        if (cursor < length) {
            makeRoom(end);
        }
        cells[cursor] = codePoint;
        Arrays.fill(cells, cursor + 1, end, REST);
        moveOn(end);
    }

    /** Moves to the next stop; it stands there only where nothing did. */
    void tab() {
        int stop = (cursor / TAB + 1) * TAB;
        grow(stop);
        if (length < stop) {
            cells[length] = '\t';
            Arrays.fill(cells, length + 1, stop, REST);
        }
        moveOn(stop);
    }

    private void grow(int columns) {
        if (columns > cells.length) {
            cells = Arrays.copyOf(cells, cells.length * 2);
        }
    }

    private void moveOn(int column) {
        cursor = column;
        length = Math.max(length, column);
    }

    /** Up to {@code end} everything goes; what of it reaches beyond is a tab or blank. */
    private void makeRoom(int end) {
        if (end < length && cells[end] == REST) {
            cells[end] = cells[beginning(end)] == '\t' ? '\t' : ' ';
        }
        cut();
        if (!marks.isEmpty()) {
            marks.subMap(cursor, end).clear();
        }
    }

    /** What began before the cursor and reaches beyond is blank before it. */
    private void cut() {
        if (cursor < length && cells[cursor] == REST) {
            int from = beginning(cursor);
            Arrays.fill(cells, from, cursor, ' ');
            marks.remove(from);
        }
    }

    private int beginning(int column) {
        int at = column;
        while (cells[at] == REST) {
            at--;
        }
        return at;
    }

    void moveTo(int column) {
        cursor = Math.clamp(column, 0, length);
    }

    void moveBy(int columns) {
        moveTo(cursor + columns);
    }

    /** A control sequence: those that move within the line or erase in it are applied, any other changes nothing. */
    void apply(byte command, int parameter) {
        switch (command) {
            case 'K' -> erase(parameter);
            case 'G', '`' -> moveTo(Math.max(parameter, 1) - 1);
            case 'C', 'a' -> moveBy(Math.max(parameter, 1));
            case 'D' -> moveBy(-Math.max(parameter, 1));
            default -> {
                // Colours, modes, moves to other lines: nothing that a line of text can show.
            }
        }
    }

    private void erase(int mode) {
        switch (mode) {
            case 0 -> {
                cut();
                length = cursor;
                marks.tailMap(length, true).clear();
            }
            case 2 -> clear();
            default -> {
                // To the beginning of the line: nobody does, and blanks are no text.
            }
        }
    }

    private void clear() {
        length = 0;
        cursor = 0;
        marks.clear();
    }

    /** Hands the line over and begins another. */
    void flushTo(StringBuilder text) {
        boolean marked = !marks.isEmpty();
        if (marked) {
            mark(-1, text);
        }
        for (int i = 0; i < length; i++) {
            if (cells[i] != REST) {
                text.appendCodePoint(cells[i]);
            }
            if (marked) {
                mark(i, text);
            }
        }
        clear();
    }

    private void mark(int column, StringBuilder text) {
        StringBuilder drawn = marks.get(column);
        if (drawn != null) {
            text.append(drawn);
        }
    }
}
