package dev.holdfast.keeper.screen;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The characters of a screen, rows and columns from 0. A row on which nothing was ever drawn takes no memory, and all
 * grids together have at most {@link #MOST_CELLS} cells, 12 bytes each. Not thread-safe.
 */
final class Grid {
    /** Both screens of a terminal of the largest size, and room for some usual ones. */
    static final long MOST_CELLS = 2_200_000;

    /** Stands behind a character that is two columns wide. */
    static final int SECOND_HALF = -1;

    private static final AtomicLong CELLS = new AtomicLong();

    private final int cols;
    private final @Nullable Row[] rows;

    /**
     * @param characters code points, or a number of a cluster beyond them
     * @param styles {@linkplain Style#packed packed}: a picture has one of its own for each of its cells
     */
    private record Row(int[] characters, long[] styles) {
        void erase(int from, int to, Style style) {
            Arrays.fill(characters, from, to, ' ');
            Arrays.fill(styles, from, to, style.packed());
        }

        void move(int from, int to, int count) {
            System.arraycopy(characters, from, characters, to, count);
            System.arraycopy(styles, from, styles, to, count);
        }
    }

    Grid(int rows, int cols) {
        this.cols = cols;
        this.rows = new @Nullable Row[rows];
    }

    /** How many there are in all grids. */
    static long cells() {
        return CELLS.get();
    }

    /** One of another size with what fits on it; this one is closed. What stands above the first row is gone. */
    Grid resized(int height, int width, int firstRow) {
        Grid grid = new Grid(height, width);
        for (int y = 0; y < height && firstRow + y < rows.length; y++) {
            Row row = rows[firstRow + y];
            if (row != null) {
                Row copy = grid.row(y);
                System.arraycopy(row.characters, 0, copy.characters, 0, Math.min(cols, width));
                System.arraycopy(row.styles, 0, copy.styles, 0, Math.min(cols, width));
            }
        }
        close();
        return grid;
    }

    private Row row(int y) {
        Row row = rows[y];
        if (row == null) {
            if (CELLS.addAndGet(cols) > MOST_CELLS) {
                CELLS.addAndGet(-cols);
                throw new IllegalStateException("all screens together have more than " + MOST_CELLS + " cells");
            }
            row = new Row(new int[cols], new long[cols]);
            row.erase(0, cols, Style.PLAIN);
            rows[y] = row;
        }
        return row;
    }

    /** A blank's is a blank. */
    int character(int y, int x) {
        Row row = rows[y];
        return row == null ? ' ' : row.characters[x];
    }

    Style style(int y, int x) {
        Row row = rows[y];
        return row == null ? Style.PLAIN : Style.unpacked(row.styles[x]);
    }

    void put(int y, int x, int character, Style style) {
        Row row = row(y);
        int old = row.characters[x];
        if (old == SECOND_HALF && character != SECOND_HALF && x > 0) {
            row.characters[x - 1] = ' '; // half of a wide character is none
        }
        if (x + 1 < cols && row.characters[x + 1] == SECOND_HALF) {
            row.characters[x + 1] = ' ';
        }
        row.characters[x] = character;
        row.styles[x] = style.packed();
    }

    /** @param characters ASCII */
    void put(int y, int x, byte[] characters, int from, int count, Style style) {
        int end = x + count - 1;
        put(y, end, characters[from + count - 1], style); // these two may leave half of a wide character
        put(y, x, characters[from], style);
        Row row = row(y);
        for (int i = 1; i < count - 1; i++) {
            row.characters[x + i] = characters[from + i];
        }
        Arrays.fill(row.styles, x, end, style.packed());
    }

    /** Leaves its style and its width. */
    void replace(int y, int x, int character) {
        row(y).characters[x] = character;
    }

    void erase(int y, int from, int to, Style style) {
        if (rows[y] != null || !style.equals(Style.PLAIN)) {
            row(y).erase(Math.min(from, cols), Math.min(to, cols), style);
        }
    }

    void eraseRows(int from, int to, Style style) {
        for (int y = from; y < to; y++) {
            erase(y, 0, cols, style);
        }
    }

    /** Moves what stands from {@code x} on to the right, or to the left with a negative count. */
    void shift(int y, int x, int count, Style style) {
        Row row = row(y);
        int distance = Math.min(Math.abs(count), cols - x);
        int stays = cols - x - distance;
        if (count > 0) {
            row.move(x, x + distance, stays);
            row.erase(x, x + distance, style);
        } else {
            row.move(x + distance, x, stays);
            row.erase(cols - distance, cols, style);
        }
    }

    /** Moves the rows from {@code top} to before {@code bottom} up, or down with a negative count. */
    void scroll(int top, int bottom, int count, Style style) {
        int distance = Math.min(Math.abs(count), bottom - top);
        int from = count > 0 ? top : bottom - distance;
        int freed = count > 0 ? bottom - distance : top;
        @Nullable Row[] leaving = Arrays.copyOfRange(rows, from, from + distance);
        int stays = bottom - top - distance;
        System.arraycopy(rows, count > 0 ? top + distance : top, rows, count > 0 ? top : top + distance, stays);
        System.arraycopy(leaving, 0, rows, freed, distance);
        eraseRows(freed, freed + distance, style);
    }

    boolean isBlank(int y) {
        Row row = rows[y];
        return row == null
                || (Arrays.stream(row.characters).allMatch(character -> character == ' ')
                        && Arrays.stream(row.styles).allMatch(style -> style == 0));
    }

    /** Gives its memory back. */
    void close() {
        for (int y = 0; y < rows.length; y++) {
            if (rows[y] != null) {
                rows[y] = null;
                CELLS.addAndGet(-cols);
            }
        }
    }
}
