package dev.holdfast.keeper.screen;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of a control sequence. A number may be up to {@link #MOST}, so that no count keeps a loop busy.
 *
 * @param prefix one of {@code <=>?}, or a NUL
 * @param numbers at least one; what is left out is 0
 * @param intermediate what stands between them and the last character, or a NUL
 */
record Parameters(char prefix, List<Integer> numbers, char intermediate) {
    static final int MOST = 9999;

    static Parameters of(String text) {
        int end = text.length();
        int from = end > 0 && text.charAt(0) >= '<' ? 1 : 0;
        char intermediate = end > from && text.charAt(end - 1) < '0' ? text.charAt(end - 1) : 0;
        List<Integer> numbers = new ArrayList<>();
        for (String number :
                text.substring(from, intermediate == 0 ? end : end - 1).split(";", -1)) {
            numbers.add(number(number));
        }
        return new Parameters(from == 0 ? 0 : text.charAt(0), numbers, intermediate);
    }

    /** Whether it is one of those that every terminal knows. */
    boolean isPlain() {
        return prefix == 0 && intermediate == 0;
    }

    /** 0 where it is left out. */
    int get(int index) {
        return index < numbers.size() ? numbers.get(index) : 0;
    }

    /** A count or a place: at least 1. */
    int count(int index) {
        return Math.max(1, get(index));
    }

    /** 0 for what is none. */
    static int number(String text) {
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            number = Math.min(MOST, number * 10 + digit);
        }
        return number;
    }
}
