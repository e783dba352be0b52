package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;

/**
 * One escape as ECMA-48 and xterm's list of control sequences take it apart.
 *
 * @param kind the byte after ESC: {@code [} for CSI, {@code ]} for OSC, {@code P} for DCS, and so on
 * @param text all between that byte and the last one, or the terminator of a string
 * @param last the last byte; of a string it says nothing
 */
record ControlSequence(char kind, String text, char last) {
    private static final String STRINGS = "]PX^_k";

    /** @param to after its last byte */
    static ControlSequence of(byte[] bytes, int from, int to) {
        if (to - from < 2) {
            return new ControlSequence('\0', "", '\0');
        }
        char kind = (char) (bytes[from + 1] & 0xFF);
        char last = (char) (bytes[to - 1] & 0xFF);
        int end = to - 1;
        if (STRINGS.indexOf(kind) >= 0 && last == '\\' && bytes[to - 2] == Escapes.ESC) {
            end = to - 2;
        }
        String text = end <= from + 2 ? "" : new String(bytes, from + 2, end - from - 2, ISO_8859_1);
        return new ControlSequence(kind, text, last);
    }

    boolean isControl(char function) {
        return kind == '[' && last == function;
    }

    /** Whether it is that function of xterm's or DEC's own, such as {@code ?} with {@code h}. */
    boolean isControl(char prefix, char function) {
        return isControl(function) && startsWith(prefix);
    }

    /** Whether it puts the cursor somewhere, wherever it was. */
    boolean isPlacing() {
        return isPlain() && (isControl('H') || isControl('f') || isControl('r'));
    }

    /** Whether it puts the cursor to the upper left. */
    boolean isHome() {
        return isPlacing() && last != 'r' && numbers().stream().allMatch(number -> number <= 1);
    }

    /** Whether it neither moves the cursor nor depends on where it is. */
    boolean isIndifferent() {
        return kind == '['
                ? "mhlqtncp".indexOf(last) >= 0 || (last == 'J' && (text.equals("2") || text.equals("3")))
                : "]P()*+=>7".indexOf(kind) >= 0;
    }

    /** Whether the text is digits and separators alone. */
    boolean isPlain() {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == ';' || c == ':');
    }

    boolean startsWith(char prefix) {
        return !text.isEmpty() && text.charAt(0) == prefix;
    }

    /** Its numbers; a missing one is 0. */
    List<Integer> numbers() {
        List<Integer> numbers = new ArrayList<>();
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                number = Math.min(10 * number + c - '0', 1_000_000);
            } else if (c == ';') {
                numbers.add(number);
                number = 0;
            }
        }
        numbers.add(number);
        return numbers;
    }
}
