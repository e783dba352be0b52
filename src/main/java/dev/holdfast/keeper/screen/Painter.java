package dev.holdfast.keeper.screen;

import java.util.ArrayList;
import java.util.List;

/** Writes a screen as what draws it on a terminal that was just switched on, and as lines of text. */
final class Painter {
    /**
     * Of the lines, and of the paint: rows that begin behind so many bytes of a message are left out, for it must not
     * grow too long. The largest screen full of ASCII fits; of one that is hidden behind another a third.
     */
    private static final int MOST = 1_600_000;

    private static final int MOST_HIDDEN = MOST / 3;
    /** What a character that is no ASCII takes in a message. */
    private static final int ESCAPED = 6;

    private final Emulator screen;
    private final StringBuilder out = new StringBuilder();
    private int taken;

    private Painter(Emulator screen) {
        this.screen = screen;
    }

    static Picture paint(Emulator screen) {
        return new Picture(
                screen.rows,
                screen.cols,
                screen.y,
                Math.min(screen.x, screen.cols - 1),
                screen.modes.has(Modes.VISIBLE),
                lines(screen),
                screen.title,
                screen.behind != null,
                screen.usedAlternate,
                screen.whole,
                new Painter(screen).paint());
    }

    private static List<String> lines(Emulator screen) {
        List<String> lines = new ArrayList<>();
        int taken = 0;
        for (int y = 0; y < screen.rows; y++) {
            StringBuilder line = new StringBuilder();
            for (int x = 0; x < screen.cols && taken < MOST; x++) {
                boolean concealed = screen.grid.style(y, x).isConcealed();
                line.append(concealed ? " " : text(screen, screen.grid, y, x));
            }
            lines.add(line.toString().stripTrailing());
            taken += inMessage(lines.getLast());
        }
        return lines;
    }

    /** @return bytes */
    private static int inMessage(CharSequence text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            bytes += text.charAt(i) >= ' ' && text.charAt(i) < 0x7F ? 1 : ESCAPED;
        }
        return bytes;
    }

    private String paint() {
        out.append("\033[0m\033[H\033[2J");
        if (!screen.title.isEmpty()) {
            out.append("\033]0;").append(screen.title).append('\007');
        }
        Grid usual = screen.behind;
        if (usual != null) {
            rows(usual, MOST_HIDDEN);
            place(screen.behindCursor.row(), screen.behindCursor, usual);
            out.append("\033[?1049h\033[0m");
        }
        rows(screen.grid, MOST);
        tabs();
        if (!screen.saved.equals(Cursor.HOME)) {
            place(screen.saved.row(), screen.saved, screen.grid);
            out.append("\0337\017\033(B\033)B\033[0m");
        }
        margins();
        modes();
        return out.toString();
    }

    private void rows(Grid grid, int most) {
        for (int y = 0; y < screen.rows && taken < most; y++) {
            if (!grid.isBlank(y)) {
                int from = out.length();
                go(y, 0);
                out.append(row(screen, grid, y));
                taken += inMessage(out.subSequence(from, out.length()));
            }
        }
    }

    /** A row, without the plain blanks at its end; what follows it is plain. */
    static String row(Emulator screen, Grid grid, int y) {
        StringBuilder row = new StringBuilder();
        Style pen = Style.PLAIN;
        int blanks = 0;
        for (int x = 0; x < screen.cols; x++) {
            String text = text(screen, grid, y, x);
            Style style = text.equals(" ") ? grid.style(y, x).onBlank() : grid.style(y, x);
            if (text.equals(" ") && style.equals(Style.PLAIN)) {
                blanks++;
                continue;
            }
            pen = blanks == 0 ? pen : change(row, pen, Style.PLAIN);
            row.repeat(' ', blanks);
            blanks = 0;
            pen = text.isEmpty() ? pen : change(row, pen, style);
            row.append(text);
        }
        change(row, pen, Style.PLAIN);
        return row.toString();
    }

    private static Style change(StringBuilder row, Style pen, Style style) {
        if (!pen.equals(style)) {
            row.append(style.escape());
        }
        return style;
    }

    /** Nothing for the second half of a wide character; a blank for one half alone. */
    private static String text(Emulator screen, Grid grid, int y, int x) {
        int character = grid.character(y, x);
        if (character == Grid.SECOND_HALF) {
            return x > 0 && isWide(screen, grid.character(y, x - 1)) ? "" : " ";
        }
        boolean half =
                isWide(screen, character) && (x + 1 == screen.cols || grid.character(y, x + 1) != Grid.SECOND_HALF);
        return half ? " " : screen.text(character);
    }

    private static boolean isWide(Emulator screen, int character) {
        return character >= 0x300 && Width.of(screen.text(character).codePointAt(0)) == 2;
    }

    private void tabs() {
        Emulator usual = new Emulator(1, screen.cols);
        if (!usual.tabs.equals(screen.tabs)) {
            out.append("\033[3g");
            screen.tabs.stream().forEach(x -> {
                go(0, x);
                out.append("\033H");
            });
        }
    }

    private void margins() {
        if (screen.top > 0 || screen.bottom < screen.rows) {
            out.append("\033[" + (screen.top + 1) + ";" + screen.bottom + "r");
        }
        if (screen.origin) {
            out.append("\033[?6h");
        }
        place(screen.y - (screen.origin ? screen.top : 0), screen.cursor(), screen.grid);
    }

    /** Puts the cursor somewhere, with its style; behind the last column by drawing once more what stands there. */
    private void place(int y, Cursor cursor, Grid grid) {
        go(y, Math.min(cursor.col(), screen.cols - 1));
        if (cursor.col() == screen.cols) {
            int x = screen.cols - 1;
            if (grid.character(cursor.row(), x) == Grid.SECOND_HALF && x > 0) {
                x--;
                go(y, x);
            }
            out.append(grid.style(cursor.row(), x).escape()).append(text(screen, grid, cursor.row(), x));
        }
        out.append(cursor.style().escape()).append(cursor.charsets().escapes());
    }

    private void go(int y, int x) {
        out.append("\033[" + (y + 1) + ";" + (x + 1) + "H");
    }

    private void modes() {
        for (int mode : screen.modes.on()) {
            if (mode == Modes.APPLICATION_KEYPAD) {
                out.append("\033=");
            } else if (!Modes.USUAL.contains(mode)) {
                out.append(mode < 0 ? "\033[" + -mode : "\033[?" + mode).append('h');
            }
        }
        for (int mode : Modes.USUAL) {
            out.append(screen.modes.has(mode) ? "" : "\033[?" + mode + "l");
        }
        out.append(screen.shape.isEmpty() ? "" : "\033[" + screen.shape + " q");
    }
}
