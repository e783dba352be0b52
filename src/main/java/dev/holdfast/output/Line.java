package dev.holdfast.output;

import dev.holdfast.keeper.screen.Width;
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

    /** Erased: blank, and nothing at the end of a line. */
    private static final int BLANK = -2;

    /** As wide as a terminal is; in a longer line nothing moves, so that it costs no more than its length. */
    private static final int WIDEST = 1000;

    private int[] cells = new int[256];
    private int length;
    private int cursor;
    /** So many columns were written since the cursor was last at the beginning. */
    private int written;
    /** Where the cursor was when it was saved; negative in a line where it was not. */
    private int saved = -1;
    /** So many columns are inserted, not overwritten, by what comes next. */
    private int toInsert;
    /** What is drawn onto the character at a column; at -1: before the first. */
    private final NavigableMap<Integer, StringBuilder> marks = new TreeMap<>();

    boolean isEmpty() {
        return length == 0 && marks.isEmpty() && saved < 0;
    }

    void put(int codePoint) {
        int width = Width.of(codePoint);
        if (width == 0) {
            int column = cursor == 0 ? -1 : beginning(cursor - 1);
            marks.computeIfAbsent(column, _ -> new StringBuilder()).appendCodePoint(codePoint);
            return;
        }
        int end = cursor + width;
        if (toInsert >= width && cursor < length && length <= WIDEST) {
            insert(width);
        } else {
            grow(end);
            if (cursor < length) {
                makeRoom(end);
            }
        }
        cells[cursor] = codePoint;
        Arrays.fill(cells, cursor + 1, end, REST);
        moveOn(cursor, end);
    }

    /** What stands from the cursor on moves away. */
    private void insert(int columns) {
        cut();
        for (int i = cursor; i < length && cells[i] == REST; i++) {
            cells[i] = ' ';
        }
        untab(cursor);
        grow(length + columns);
        System.arraycopy(cells, cursor, cells, cursor + columns, length - cursor);
        moveMarks(cursor, columns);
        length += columns;
        toInsert -= columns;
    }

    private void moveMarks(int from, int by) {
        NavigableMap<Integer, StringBuilder> behind = new TreeMap<>(marks.tailMap(from, true));
        marks.tailMap(from, true).clear();
        behind.forEach((column, drawn) -> marks.put(column + by, drawn));
    }

    /** Moves to the next stop; it stands there only where nothing did. */
    void tab() {
        toInsert = 0;
        int stop = (cursor / TAB + 1) * TAB;
        grow(stop);
        int from = length;
        if (length < stop) {
            cells[length] = '\t';
            Arrays.fill(cells, length + 1, stop, REST);
        }
        moveOn(from, stop);
    }

    private void grow(int columns) {
        if (columns > cells.length) {
            cells = Arrays.copyOf(cells, cells.length * 2);
        }
    }

    /** @param from the first column that was written */
    private void moveOn(int from, int column) {
        written = from <= written ? Math.max(written, column) : written;
        cursor = column;
        length = Math.max(length, column);
    }

    /** From the cursor up to {@code end} everything goes; what of it reaches beyond is a tab or blank. */
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

    /** What moves stands at no stop. */
    private void untab(int from) {
        for (int i = from; i < length; i++) {
            if (cells[i] == '\t') {
                cells[i] = ' ';
                while (i + 1 < length && cells[i + 1] == REST) {
                    cells[++i] = ' ';
                }
            }
        }
    }

    void moveTo(int column) {
        toInsert = 0;
        cursor = Math.clamp(column, 0, length);
    }

    void moveBy(int columns) {
        moveTo(cursor + columns);
    }

    void save() {
        saved = cursor;
    }

    /** Moves to where the cursor was saved, also where the line does not reach that far any more. */
    void restore() {
        if (length < saved && saved <= WIDEST) {
            Arrays.fill(cells, length, saved, BLANK);
            length = saved;
        }
        moveTo(saved < 0 ? cursor : saved);
    }

    boolean isAtStart() {
        return cursor == 0;
    }

    /** What is written from now on is written anew; whether all that stands was, since it last began so. */
    boolean startOver() {
        boolean whole = written >= length && saved < 0;
        written = 0;
        return whole;
    }

    /** A control sequence: those that move within the line or erase in it are applied, any other changes nothing. */
    void apply(byte command, int parameter) {
        toInsert = 0;
        switch (command) {
            case '@' -> toInsert = Math.max(parameter, 1);
            case 'J', 'K' -> erase(parameter);
            case 'X' -> blank(cursor, cursor + Math.max(parameter, 1));
            case 'P' -> delete(Math.max(parameter, 1));
            case 's' -> save();
            case 'u' -> restore();
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
            case 0 -> cutOff();
            case 1 -> {
                if (length <= WIDEST) {
                    blank(0, cursor + 1);
                }
            }
            case 2 -> clear();
            default -> {
                // What has left the screen: not of this line.
            }
        }
    }

    /** The line ends at the cursor. */
    private void cutOff() {
        cut();
        length = cursor;
        marks.tailMap(length, true).clear();
    }

    private void blank(int from, int to) {
        int stands = cursor;
        cursor = from;
        if (to < length) {
            makeRoom(to);
            Arrays.fill(cells, from, to, BLANK);
        } else if (stands > from) {
            marks.tailMap(from, true).clear();
            Arrays.fill(cells, from, length, BLANK);
        } else {
            cutOff();
        }
        cursor = stands;
    }

    /** What stands behind moves here. */
    private void delete(int columns) {
        int from = cursor + columns;
        if (from >= length) {
            cutOff();
        } else if (length <= WIDEST) {
            makeRoom(from);
            untab(from);
            System.arraycopy(cells, from, cells, cursor, length - from);
            length -= columns;
            written = Math.min(written, cursor);
            moveMarks(from, -columns);
        }
    }

    private void clear() {
        length = 0;
        cursor = 0;
        written = 0;
        marks.clear();
    }

    /** Hands the line over and begins another. */
    void flushTo(StringBuilder text) {
        boolean marked = !marks.isEmpty();
        if (marked) {
            mark(-1, text);
        }
        while (length > 0 && cells[length - 1] == BLANK) {
            length--;
        }
        for (int i = 0; i < length; i++) {
            if (cells[i] != REST) {
                text.appendCodePoint(cells[i] == BLANK ? ' ' : cells[i]);
            }
            if (marked) {
                mark(i, text);
            }
        }
        clear();
        saved = -1;
    }

    private void mark(int column, StringBuilder text) {
        StringBuilder drawn = marks.get(column);
        if (drawn != null) {
            text.append(drawn);
        }
    }
}
