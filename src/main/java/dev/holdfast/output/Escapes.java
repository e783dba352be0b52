package dev.holdfast.output;

/**
 * Where a terminal escape ends (ECMA-48 and what xterm, screen and tmux added): CSI, the strings OSC, DCS, SOS, PM, APC
 * and screen's title, charset designations and the two-character ones. Pure; looks at no more than {@link #LIMIT}
 * bytes.
 *
 * <p>C1 characters (U+0080 to U+009F) are not taken for escapes: in UTF-8 they are nearly always text that was encoded
 * twice, and a string begun by one would swallow what follows.
 */
public final class Escapes {
    public static final byte ESC = 0x1B;

    /** An escape without an end is given up after so many bytes; they are dropped, and what follows is text again. */
    static final int LIMIT = 4096;

    static final int UNFINISHED = -1;

    private static final byte BEL = 0x07;
    private static final byte CAN = 0x18;
    private static final byte SUB = 0x1A;

    private Escapes() {}

    /**
     * The offset after the escape that begins at {@code from}, or {@link #UNFINISHED} when it reaches beyond
     * {@code to}.
     */
    static int end(byte[] bytes, int from, int to) {
        int limit = Math.min(to, from + LIMIT);
        int end = scan(bytes, from, limit);
        if (end != UNFINISHED || to - from <= LIMIT) {
            return end;
        }
        while (Utf8.isContinuation(bytes[limit]) && limit > from + LIMIT - 3) {
            limit--;
        }
        return limit;
    }

    private static int scan(byte[] bytes, int from, int to) {
        if (from + 1 >= to) {
            return UNFINISHED;
        }
        byte kind = bytes[from + 1];
        return switch (kind) {
            case '[' -> control(bytes, from + 2, to);
            case ']', 'k' -> string(bytes, from + 2, to, true);
            case 'P', 'X', '^', '_' -> string(bytes, from + 2, to, false);
            default -> simple(bytes, from + 1, to);
        };
    }

    /** Parameters and intermediates, then one final byte; anything else breaks it off and is looked at anew. */
    private static int control(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b >= 0x40 && b < 0x7F) {
                return i + 1;
            }
            if (b < 0x20 || b == 0x7F) {
                return i;
            }
        }
        return UNFINISHED;
    }

    private static int simple(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b >= 0x30 && b < 0x7F) {
                return i + 1;
            }
            if (b < 0x20 || b == 0x7F) {
                return i;
            }
        }
        return UNFINISHED;
    }

    /** Until ST (or BEL); another escape or a cancel breaks it off. */
    private static int string(byte[] bytes, int from, int to, boolean endsWithBell) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b == CAN || b == SUB || (b == BEL && endsWithBell)) {
                return i + 1;
            }
            if (b == ESC) {
                if (i + 1 >= to) {
                    return UNFINISHED;
                }
                return bytes[i + 1] == '\\' ? i + 2 : i;
            }
        }
        return UNFINISHED;
    }
}
