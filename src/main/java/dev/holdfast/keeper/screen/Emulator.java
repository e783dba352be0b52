package dev.holdfast.keeper.screen;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A terminal as xterm is one: what is on it, where it draws next, and what is switched on. What a program's escapes do
 * to it is in {@link Interpreter} and {@link Sequences}. Not thread-safe.
 */
final class Emulator {
    private static final int MOST_TITLES = 10;
    private static final int TAB = 8;

    final Modes modes = new Modes();
    final BitSet tabs = new BitSet();
    private final Clusters clusters = new Clusters();
    private final Deque<String> titles = new ArrayDeque<>();
    int rows;
    int cols;
    Grid grid;
    /** The usual screen while the other one is shown. */
    @Nullable
    Grid behind;

    /** The cursor of the usual screen when the other one was shown. */
    Cursor behindCursor = Cursor.HOME;

    Cursor saved = Cursor.HOME;
    int y;
    /** As many as there are columns: the next character goes to the next row. */
    int x;

    Style style = Style.PLAIN;
    Charsets charsets = Charsets.USUAL;
    boolean origin;
    /** Whether the other screen was ever shown. */
    boolean usedAlternate;
    /** Whether nothing has left the usual screen: by scrolling, or since it shrank. */
    boolean whole = true;

    int top;
    int bottom;
    String title = "";
    String shape = "";
    private int last = ' ';

    Emulator(int rows, int cols) {
        this.rows = rows;
        this.cols = cols;
        grid = new Grid(rows, cols);
        usualMargins();
    }

    private void usualMargins() {
        top = 0;
        bottom = rows;
        tabs.clear();
        for (int stop = TAB; stop < cols; stop += TAB) {
            tabs.set(stop);
        }
    }

    /** Keeps what fits, from the last rows where the cursor would be lost; lines are not broken anew. */
    void resize(int height, int width) {
        if (height == rows && width == cols) {
            return;
        }
        whole &= height >= rows && width >= cols;
        if (behind != null) {
            int first = Math.max(0, behindCursor.row() - height + 1);
            behind = behind.resized(height, width, first);
            behindCursor = behindCursor.at(behindCursor.row() - first, behindCursor.col());
        }
        int first = Math.max(0, y - height + 1);
        grid = grid.resized(height, width, first);
        y -= first;
        x = Math.min(x, width - 1);
        saved = saved.at(Math.min(saved.row(), height - 1), saved.col());
        rows = height;
        cols = width;
        usualMargins();
    }

    void close() {
        grid.close();
        if (behind != null) {
            behind.close();
        }
    }

    String text(int character) {
        return clusters.text(character);
    }

    void print(byte[] characters, int from, int to) {
        boolean simple = modes.wrap() && !modes.insert() && charsets.equals(Charsets.USUAL);
        for (int at = from; at < to; ) {
            int count = simple ? Math.min(to - at, cols - x) : 0;
            if (count > 0) {
                grid.put(y, x, characters, at, count, style);
                at += count;
                x += count;
                last = characters[at - 1];
            } else {
                print(characters[at++]);
            }
        }
    }

    void print(int character) {
        int meant = charsets.meant(character);
        int width = Width.of(meant);
        if (width == 0) {
            mark(meant);
            return;
        }
        if (width > cols) {
            return;
        }
        if (x > cols - width && modes.wrap()) {
            lineFeed();
            x = 0;
        }
        x = Math.min(x, cols - width);
        if (modes.insert()) {
            grid.shift(y, x, width, style.erased());
        }
        grid.put(y, x, meant, style);
        if (width == 2) {
            grid.put(y, x + 1, Grid.SECOND_HALF, style);
        }
        last = meant;
        x = Math.min(x + width, modes.wrap() ? cols : cols - 1);
    }

    /** Puts a mark onto the character before the cursor. */
    private void mark(int mark) {
        int at = x - 1;
        if (at > 0 && grid.character(y, at) == Grid.SECOND_HALF) {
            at--;
        }
        if (at < 0 || grid.character(y, at) < 0) {
            return;
        }
        grid.replace(y, at, clusters.marked(grid.character(y, at), mark));
    }

    void lineFeed() {
        if (y == bottom - 1) {
            whole = whole && (behind != null || grid.isBlank(top));
            grid.scroll(top, bottom, 1, style.erased());
        } else if (y < rows - 1) {
            y++;
        }
    }

    void reverseLineFeed() {
        if (y == top) {
            grid.scroll(top, bottom, -1, style.erased());
        } else if (y > 0) {
            y--;
        }
    }

    /** @param count of tab stops; negative: back */
    void tab(int count) {
        for (int i = 0; i < Math.min(Math.abs(count), cols); i++) {
            int stop = count > 0 ? tabs.nextSetBit(x + 1) : tabs.previousSetBit(x - 1);
            x = stop >= 0 ? stop : count > 0 ? Math.max(x, cols - 1) : 0;
        }
    }

    void fill() {
        for (int row = 0; row < rows; row++) {
            for (int col = 0; col < cols; col++) {
                grid.put(row, col, 'E', Style.PLAIN);
            }
        }
    }

    void reset() {
        alternate(false, false);
        grid.eraseRows(0, rows, Style.PLAIN);
        softReset();
        modes.reset();
        usualMargins();
        restore(Cursor.HOME);
        title = "";
        shape = "";
        titles.clear();
    }

    void softReset() {
        modes.softReset();
        top = 0;
        bottom = rows;
        restore(Cursor.HOME.at(y, x));
        saved = Cursor.HOME;
    }

    /** @param mode negative if it is none of DEC's */
    void setMode(int mode, boolean on) {
        switch (mode) {
            case Modes.ORIGIN -> {
                origin = on;
                place(0, 0);
            }
            case 47, 1047 -> alternate(on, false);
            case 1048 -> save(on);
            case 1049 -> alternate(on, true);
            default -> modes.set(mode, on);
        }
    }

    private void alternate(boolean on, boolean withCursor) {
        Grid usual = behind;
        if (on && usual == null) {
            usedAlternate = true;
            behind = grid;
            behindCursor = cursor();
            grid = new Grid(rows, cols);
            grid.eraseRows(0, rows, style.erased());
        } else if (!on && usual != null) {
            grid.close();
            grid = usual;
            behind = null;
        }
        if (!on && withCursor) {
            restore(behindCursor);
        }
    }

    Cursor cursor() {
        return new Cursor(y, x, style, charsets, origin);
    }

    /** @param now false: back to what was saved */
    void save(boolean now) {
        if (now) {
            saved = cursor();
        } else {
            restore(saved);
        }
    }

    void restore(Cursor cursor) {
        y = Math.min(cursor.row(), rows - 1);
        x = Math.min(cursor.col(), cols);
        style = cursor.style();
        charsets = cursor.charsets();
        origin = cursor.origin();
    }

    /** @param row from the scroll region where places count from there */
    void place(int row, int col) {
        int first = origin ? top : 0;
        y = Math.min(first + row, origin ? bottom - 1 : rows - 1);
        x = Math.min(col, cols - 1);
    }

    void repeat(int count) {
        Charsets meanwhile = charsets;
        charsets = Charsets.USUAL;
        for (int i = 0; i < Math.min(count, rows * cols) && !Clusters.isOne(last); i++) {
            print(last);
        }
        charsets = meanwhile;
    }

    void keepTitle() {
        if (titles.size() < MOST_TITLES) {
            titles.push(title);
        }
    }

    void restoreTitle() {
        title = titles.isEmpty() ? title : titles.pop();
    }
}
