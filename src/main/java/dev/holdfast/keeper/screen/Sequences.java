package dev.holdfast.keeper.screen;

/** What the control sequences do that every terminal knows: move, erase, insert, delete and scroll. */
final class Sequences {
    private Sequences() {}

    static void apply(Emulator on, Parameters parameters, char kind) {
        int count = parameters.count(0);
        int y = on.y;
        int x = on.x;
        switch (kind) {
            case 'A' -> up(on, count, x);
            case 'B', 'e' -> down(on, count, x);
            case 'C', 'a' -> move(on, y, Math.min(x + count, on.cols - 1));
            case 'D' -> move(on, y, Math.max(x - count, 0));
            case 'E' -> down(on, count, 0);
            case 'F' -> up(on, count, 0);
            case 'G', '`' -> move(on, y, Math.min(count, on.cols) - 1);
            case 'H', 'f' -> on.place(count - 1, parameters.count(1) - 1);
            case 'd' -> on.place(count - 1, x);
            case 'I' -> on.tab(count);
            case 'Z' -> on.tab(-count);
            case 'b' -> on.repeat(count);
            case 's', 'u' -> on.save(kind == 's');
            case 'g' -> clearTabs(on, parameters.get(0));
            case 'h', 'l' -> parameters.numbers().forEach(mode -> on.setMode(-mode, kind == 'h'));
            case 'r' -> region(on, count - 1, parameters.get(1));
            case 't' -> titles(on, parameters.get(0));
            default -> draw(on, parameters, kind);
        }
    }

    private static void draw(Emulator on, Parameters parameters, char kind) {
        int count = parameters.count(0);
        int y = on.y;
        int x = on.x;
        Style erased = on.style.erased();
        boolean inRegion = y >= on.top && y < on.bottom;
        switch (kind) {
            case 'J' -> eraseScreen(on, parameters.get(0), erased);
            case 'K' -> eraseLine(on, parameters.get(0), erased);
            case 'X' -> on.grid.erase(y, x, x + count, erased);
            case '@' -> on.grid.shift(y, x, count, erased);
            case 'P' -> on.grid.shift(y, x, -count, erased);
            case 'S' -> on.grid.scroll(on.top, on.bottom, count, erased);
            case 'T' -> on.grid.scroll(on.top, on.bottom, -count, erased);
            case 'L' -> on.grid.scroll(inRegion ? y : on.bottom, on.bottom, -count, erased);
            case 'M' -> on.grid.scroll(inRegion ? y : on.bottom, on.bottom, count, erased);
            default -> {
                // Asks, or is for others.
            }
        }
    }

    private static void move(Emulator on, int y, int x) {
        on.y = y;
        on.x = x;
    }

    private static void up(Emulator on, int count, int x) {
        int y = on.y;
        move(on, Math.max(y - count, y >= on.top ? on.top : 0), Math.min(x, on.cols - 1));
    }

    private static void down(Emulator on, int count, int x) {
        int y = on.y;
        move(on, Math.min(y + count, y < on.bottom ? on.bottom - 1 : on.rows - 1), Math.min(x, on.cols - 1));
    }

    private static void eraseScreen(Emulator on, int part, Style erased) {
        int y = on.y;
        switch (part) {
            case 0 -> {
                eraseLine(on, 0, erased);
                on.grid.eraseRows(y + 1, on.rows, erased);
            }
            case 1 -> {
                on.grid.eraseRows(0, y, erased);
                eraseLine(on, 1, erased);
            }
            case 2 -> on.grid.eraseRows(0, on.rows, erased);
            default -> {
                // What has left the screen is not here.
            }
        }
    }

    private static void eraseLine(Emulator on, int part, Style erased) {
        int x = on.x;
        switch (part) {
            case 0 -> on.grid.erase(on.y, x, on.cols, erased);
            case 1 -> on.grid.erase(on.y, 0, x + 1, erased);
            case 2 -> on.grid.erase(on.y, 0, on.cols, erased);
            default -> {
                // No such part.
            }
        }
    }

    private static void clearTabs(Emulator on, int which) {
        if (which == 0) {
            on.tabs.clear(on.x);
        } else if (which == 3) {
            on.tabs.clear();
        }
    }

    private static void region(Emulator on, int top, int end) {
        int bottom = end == 0 ? on.rows : Math.min(end, on.rows);
        if (top < bottom - 1) {
            on.top = top;
            on.bottom = bottom;
            on.place(0, 0);
        }
    }

    private static void titles(Emulator on, int operation) {
        if (operation == 22) {
            on.keepTitle();
        } else if (operation == 23) {
            on.restoreTitle();
        }
    }
}
