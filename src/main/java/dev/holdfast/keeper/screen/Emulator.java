package dev.holdfast.keeper.screen;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A terminal as xterm is one, seen from the program: draws, and never answers. Not thread-safe. */
final class Emulator implements Escapes.Actions {
    /** Insert, negative since it is none of DEC's; then DEC's: wrap, the cursor's visibility, … */
    static final int INSERT = -4;

    static final int APPLICATION_KEYPAD = -1;
    static final int NEW_LINE = -20;
    static final int ORIGIN = 6;
    static final int WRAP = 7;
    static final int VISIBLE = 25;
    static final Set<Integer> USUAL_MODES = Set.of(WRAP, VISIBLE);
    private static final Set<Integer> KNOWN_MODES = Set.of(
            INSERT, NEW_LINE, 1, 5, WRAP, 9, VISIBLE, 45, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015,
            1016, 2004);
    private static final Set<Integer> SOFTLY_RESET = Set.of(INSERT, APPLICATION_KEYPAD, 1, 66);

    /** Characters with marks on them get numbers beyond all characters. */
    private static final int CLUSTERS = Character.MAX_CODE_POINT + 1;

    private static final int MOST_CLUSTERS = 2048;
    private static final int LONGEST_CLUSTER = 16;
    private static final int MOST_STYLES = 64;
    private static final int MOST_TITLES = 10;
    private static final int TAB = 8;

    private record Change(Style from, String parameters) {}

    final Set<Integer> modes = new TreeSet<>(USUAL_MODES);
    final BitSet tabs = new BitSet();
    /** What an SGR made of a style: most come again and again. */
    private final Map<Change, Style> styles = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Change, Style> eldest) {
            return size() > MOST_STYLES;
        }
    };

    private final List<String> clusters = new ArrayList<>();
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
    private boolean wraps = true;
    private boolean inserts;
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
        return character < CLUSTERS ? Character.toString(character) : clusters.get(character - CLUSTERS);
    }

    boolean has(int mode) {
        return modes.contains(mode);
    }

    @Override
    public void print(byte[] characters, int from, int to) {
        boolean simple = wraps && !inserts && charsets.equals(Charsets.USUAL);
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

    @Override
    public void print(int character) {
        int meant = charsets.meant(character);
        int width = Width.of(meant);
        if (width == 0) {
            mark(meant);
            return;
        }
        if (width > cols) {
            return;
        }
        if (x > cols - width && wraps) {
            lineFeed();
            x = 0;
        }
        x = Math.min(x, cols - width);
        if (inserts) {
            grid.shift(y, x, width, style.erased());
        }
        grid.put(y, x, meant, style);
        if (width == 2) {
            grid.put(y, x + 1, Grid.SECOND_HALF, style);
        }
        last = meant;
        x = Math.min(x + width, wraps ? cols : cols - 1);
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
        String cluster = text(grid.character(y, at)) + Character.toString(mark);
        int known = clusters.indexOf(cluster);
        if (known < 0 && clusters.size() < MOST_CLUSTERS && cluster.length() < LONGEST_CLUSTER) {
            clusters.add(cluster);
            known = clusters.size() - 1;
        }
        if (known >= 0) {
            grid.replace(y, at, CLUSTERS + known);
        }
    }

    private void lineFeed() {
        if (y == bottom - 1) {
            whole = whole && (behind != null || grid.isBlank(top));
            grid.scroll(top, bottom, 1, style.erased());
        } else if (y < rows - 1) {
            y++;
        }
    }

    private void reverseLineFeed() {
        if (y == top) {
            grid.scroll(top, bottom, -1, style.erased());
        } else if (y > 0) {
            y--;
        }
    }

    @Override
    public void control(int control) {
        switch (control) {
            case '\b' -> x = Math.max(0, x - 1);
            case '\t' -> tab(1);
            case '\n', 0x0B, '\f' -> {
                lineFeed();
                x = modes.contains(NEW_LINE) ? 0 : x;
            }
            case '\r' -> x = 0;
            case 0x0E -> charsets = charsets.show(1);
            case 0x0F -> charsets = charsets.show(0);
            default -> {
                // Rings, or asks: nobody answers here.
            }
        }
    }

    /** @param count of tab stops; negative: back */
    void tab(int count) {
        for (int i = 0; i < Math.min(Math.abs(count), cols); i++) {
            int stop = count > 0 ? tabs.nextSetBit(x + 1) : tabs.previousSetBit(x - 1);
            x = stop >= 0 ? stop : count > 0 ? Math.max(x, cols - 1) : 0;
        }
    }

    @Override
    public void escape(char intermediate, char kind) {
        if (intermediate != 0) {
            int set = "()*+".indexOf(intermediate);
            if (set >= 0) {
                charsets = charsets.designate(set, kind);
            } else if (intermediate == '#' && kind == '8') {
                fill();
            }
            return;
        }
        switch (kind) {
            case 'D' -> lineFeed();
            case 'E' -> {
                lineFeed();
                x = 0;
            }
            case 'H' -> tabs.set(Math.min(x, cols - 1));
            case 'M' -> reverseLineFeed();
            case '7' -> saved = cursor();
            case '8' -> restore(saved);
            case '=' -> modes.add(APPLICATION_KEYPAD);
            case '>' -> modes.remove(APPLICATION_KEYPAD);
            case 'c' -> reset();
            case 'n', 'o' -> charsets = charsets.show(kind == 'n' ? 2 : 3);
            default -> {
                // Nothing that is drawn.
            }
        }
    }

    private void fill() {
        for (int row = 0; row < rows; row++) {
            for (int col = 0; col < cols; col++) {
                grid.put(row, col, 'E', Style.PLAIN);
            }
        }
    }

    private void reset() {
        alternate(false, false);
        grid.eraseRows(0, rows, Style.PLAIN);
        softReset();
        modes.retainAll(USUAL_MODES);
        usualMargins();
        restore(Cursor.HOME);
        title = "";
        shape = "";
        titles.clear();
    }

    private void softReset() {
        modes.removeAll(SOFTLY_RESET);
        modes.addAll(USUAL_MODES);
        followModes();
        top = 0;
        bottom = rows;
        restore(Cursor.HOME.at(y, x));
        saved = Cursor.HOME;
    }

    @Override
    public void title(String text) {
        title = text;
    }

    @Override
    public void sequence(String text, char kind) {
        if (kind == 'm') {
            if (text.isEmpty() || (text.charAt(0) < '<' && text.charAt(text.length() - 1) >= '0')) {
                style = styles.computeIfAbsent(
                        new Change(style, text), change -> change.from().with(change.parameters()));
            }
            return;
        }
        Parameters parameters = Parameters.of(text);
        if (parameters.isPlain()) {
            Sequences.apply(this, parameters, kind);
        } else if (parameters.prefix() == '?' && (kind == 'h' || kind == 'l')) {
            parameters.numbers().forEach(mode -> setMode(mode, kind == 'h'));
        } else if (parameters.intermediate() == '!' && kind == 'p') {
            softReset();
        } else if (parameters.intermediate() == ' ' && kind == 'q') {
            shape = Integer.toString(parameters.get(0));
        }
    }

    /** @param mode negative if it is none of DEC's */
    void setMode(int mode, boolean on) {
        switch (mode) {
            case ORIGIN -> {
                origin = on;
                place(0, 0);
            }
            case 47, 1047 -> alternate(on, false);
            case 1048 -> escape('\0', on ? '7' : '8');
            case 1049 -> alternate(on, true);
            default -> {
                if (on && KNOWN_MODES.contains(mode)) {
                    modes.add(mode);
                } else {
                    modes.remove(mode);
                }
                followModes();
            }
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

    private void followModes() {
        wraps = modes.contains(WRAP);
        inserts = modes.contains(INSERT);
    }

    Cursor cursor() {
        return new Cursor(y, x, style, charsets, origin);
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
        for (int i = 0; i < Math.min(count, rows * cols) && last < CLUSTERS; i++) {
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
