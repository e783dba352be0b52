package dev.holdfast.output;

import java.util.Arrays;

/**
 * One line as a terminal would show it: characters overwrite what stands under the cursor. A cell holds one code point;
 * the cursor never leaves what was written, so a line is never longer than its bytes. For one thread.
 */
final class Line {
    private int[] cells = new int[256];
    private int length;
    private int cursor;

    boolean isEmpty() {
        return length == 0;
    }

    void put(int codePoint) {
        if (cursor == cells.length) {
            cells = Arrays.copyOf(cells, cells.length * 2);
        }
        cells[cursor++] = codePoint;
        length = Math.max(length, cursor);
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
            case 0 -> length = cursor;
            case 2 -> {
                length = 0;
                cursor = 0;
            }
            default -> {
                // To the beginning of the line: nobody does, and blanks are no text.
            }
        }
    }

    /** Hands the line over and begins another. */
    void flushTo(StringBuilder text) {
        for (int i = 0; i < length; i++) {
            if (Character.isBmpCodePoint(cells[i])) {
                text.append((char) cells[i]);
            } else {
                text.appendCodePoint(cells[i]);
            }
        }
        length = 0;
        cursor = 0;
    }
}
