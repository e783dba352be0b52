package dev.holdfast.keeper.screen;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a program's characters, controls and escapes do to its terminal, as {@link EscapeParser} cuts them out. It never
 * answers. Not thread-safe.
 */
final class Interpreter {
    private static final int MOST_STYLES = 64;

    private record Change(Style from, String parameters) {}

    private final Emulator on;
    /** What an SGR made of a style: most come again and again. */
    private final Map<Change, Style> styles = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Change, Style> eldest) {
            return size() > MOST_STYLES;
        }
    };

    Interpreter(Emulator on) {
        this.on = on;
    }

    /** The bytes from {@code from} to before {@code to} are ASCII, no controls, and at least one. */
    void print(byte[] characters, int from, int to) {
        on.print(characters, from, to);
    }

    /** @param character a code point that is no control */
    void print(int character) {
        on.print(character);
    }

    /** @param control below a blank */
    void control(int control) {
        switch (control) {
            case '\b' -> on.x = Math.max(0, on.x - 1);
            case '\t' -> on.tab(1);
            case '\n', 0x0B, '\f' -> {
                on.lineFeed();
                on.x = on.modes.has(Modes.NEW_LINE) ? 0 : on.x;
            }
            case '\r' -> on.x = 0;
            case 0x0E -> on.charsets = on.charsets.show(1);
            case 0x0F -> on.charsets = on.charsets.show(0);
            default -> {
                // Rings, or asks: nobody answers here.
            }
        }
    }

    /** @param intermediate what stands before the last character, or a NUL */
    void escape(char intermediate, char kind) {
        if (intermediate != 0) {
            int set = "()*+".indexOf(intermediate);
            if (set >= 0) {
                on.charsets = on.charsets.designate(set, kind);
            } else if (intermediate == '#' && kind == '8') {
                on.fill();
            }
            return;
        }
        switch (kind) {
            case 'D' -> on.lineFeed();
            case 'E' -> {
                on.lineFeed();
                on.x = 0;
            }
            case 'H' -> on.tabs.set(Math.min(on.x, on.cols - 1));
            case 'M' -> on.reverseLineFeed();
            case '7', '8' -> on.save(kind == '7');
            case '=', '>' -> on.modes.setKeypad(kind == '=');
            case 'c' -> on.reset();
            case 'n', 'o' -> on.charsets = on.charsets.show(kind == 'n' ? 2 : 3);
            default -> {
                // Nothing that is drawn.
            }
        }
    }

    void title(String text) {
        on.title = text;
    }

    /** @param text what stands between {@code ESC [} and the last character */
    void sequence(String text, char kind) {
        if (kind == 'm') {
            if (text.isEmpty() || (text.charAt(0) < '<' && text.charAt(text.length() - 1) >= '0')) {
                on.style = styles.computeIfAbsent(
                        new Change(on.style, text), change -> change.from().with(change.parameters()));
            }
            return;
        }
        Parameters parameters = Parameters.of(text);
        if (parameters.isPlain()) {
            Sequences.apply(on, parameters, kind);
        } else if (parameters.prefix() == '?' && (kind == 'h' || kind == 'l')) {
            parameters.numbers().forEach(mode -> on.setMode(mode, kind == 'h'));
        } else if (parameters.intermediate() == '!' && kind == 'p') {
            on.softReset();
        } else if (parameters.intermediate() == ' ' && kind == 'q') {
            on.shape = Integer.toString(parameters.get(0));
        }
    }
}
