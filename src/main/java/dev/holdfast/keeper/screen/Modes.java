package dev.holdfast.keeper.screen;

import java.util.Set;
import java.util.TreeSet;

/** What of a terminal is switched on: DEC's modes by their numbers, all others by negative ones. Not thread-safe. */
final class Modes {
    static final int APPLICATION_KEYPAD = -1;
    static final int NEW_LINE = -20;
    static final int ORIGIN = 6;
    /** Whether the cursor is shown. */
    static final int VISIBLE = 25;

    private static final int INSERT = -4;
    private static final int WRAP = 7;
    static final Set<Integer> USUAL = Set.of(WRAP, VISIBLE);
    private static final Set<Integer> KNOWN = Set.of(
            INSERT, NEW_LINE, 1, 5, WRAP, 9, VISIBLE, 45, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015,
            1016, 2004);
    private static final Set<Integer> SOFTLY_RESET = Set.of(INSERT, APPLICATION_KEYPAD, 1, 66);

    private final Set<Integer> on = new TreeSet<>(USUAL);
    /** As the set has it: asked for each character. */
    private boolean wrap = true;

    private boolean insert;

    /** The least first. */
    Set<Integer> on() {
        return on;
    }

    boolean has(int mode) {
        return on.contains(mode);
    }

    boolean wrap() {
        return wrap;
    }

    boolean insert() {
        return insert;
    }

    /** Nothing for a mode that is none of a terminal that draws. */
    void set(int mode, boolean to) {
        if (to && KNOWN.contains(mode)) {
            on.add(mode);
        } else {
            on.remove(mode);
        }
        follow();
    }

    void setKeypad(boolean to) {
        if (to) {
            on.add(APPLICATION_KEYPAD);
        } else {
            on.remove(APPLICATION_KEYPAD);
        }
    }

    void softReset() {
        on.removeAll(SOFTLY_RESET);
        on.addAll(USUAL);
        follow();
    }

    /** After {@link #softReset}. */
    void reset() {
        on.retainAll(USUAL);
    }

    private void follow() {
        wrap = on.contains(WRAP);
        insert = on.contains(INSERT);
    }
}
