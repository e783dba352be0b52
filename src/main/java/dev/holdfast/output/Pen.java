package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Map;
import java.util.TreeMap;

/** How a terminal would write the next character: colours and character sets. It is saved and restored with the cursor. */
final class Pen {
    /** Colours that nobody ever resets are remembered up to so many bytes. */
    private static final int MOST_COLOURS = 512;

    private final Map<Character, String> characterSets = new TreeMap<>();
    private final byte[] colours = new byte[MOST_COLOURS];
    private int length;
    private boolean shifted;

    Pen copy() {
        Pen copy = new Pen();
        copy.characterSets.putAll(characterSets);
        System.arraycopy(colours, 0, copy.colours, 0, length);
        copy.length = length;
        copy.shifted = shifted;
        return copy;
    }

    /** @param out whether the second character set is used (SO) or the first (SI) */
    void shift(boolean out) {
        shifted = out;
    }

    /** @param set the byte that stands for one of the four sets */
    void characterSet(char set, String name) {
        characterSets.put(set, name);
    }

    /** Heeds an SGR; by far the most frequent escape. What resets makes what came before needless. */
    void colour(byte[] bytes, int from, int to) {
        int first = from + 2;
        int last = to - 1;
        for (int i = first; i < last; i++) {
            if (bytes[i] < '0' || bytes[i] > ';') {
                return; // xterm's modifiers
            }
        }
        boolean resets = first == last || (bytes[first] == '0' && (first + 1 == last || bytes[first + 1] == ';'));
        boolean setsNone = first == last || (resets && first + 1 == last);
        if (resets || length + to - from > MOST_COLOURS) {
            length = 0;
        }
        if (!setsNone && to - from <= MOST_COLOURS) {
            System.arraycopy(bytes, from, colours, length, to - from);
            length += to - from;
        }
    }

    /** What makes a new terminal write so; a character a byte. */
    String restored() {
        StringBuilder text = new StringBuilder();
        characterSets.forEach((set, name) -> text.append('\033').append(set).append(name));
        return text.append(shifted ? "\016" : "")
                .append(new String(colours, 0, length, ISO_8859_1))
                .toString();
    }
}
