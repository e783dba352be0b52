package dev.holdfast.output;

/**
 * Where a terminal escape ends (ECMA-48 and what xterm, screen and tmux added): CSI, the strings OSC, DCS, SOS, PM, APC
 * and screen's title, charset designations and the two-character ones. Pure; looks at no more than {@link #LIMIT}
 * bytes.
 *
 * <p>A string may be long: a picture, a clipboard. What is that has nothing but {@linkplain #isPayload payload} behind
 * its first {@link #SHORT} bytes; one that goes on otherwise has lost its end.
 *
 * <p>C1 characters (U+0080 to U+009F) are not taken for escapes: in UTF-8 they are nearly always text that was encoded
 * twice, and a string begun by one would swallow what follows.
 */
public final class Escapes {
    public static final byte ESC = 0x1B;

    /** An escape without an end is given up: so many bytes of it are dropped, and what follows is text again. */
    public static final int SHORT = 4096;

    /** So far the end of a string is looked for. */
    static final int LIMIT = 1 << 20;

    public static final int UNFINISHED = -1;

    /** What {@link #over} answers where more must be seen of what is before. */
    public static final int UNSEEN = -3;

    private static final int BROKEN = -2;
    private static final String STRINGS = "]kPX^_";

    private static final byte BEL = 0x07;
    private static final byte CAN = 0x18;
    private static final byte SUB = 0x1A;

    private Escapes() {}

    /**
     * The offset after the escape that begins at {@code from}, or {@link #UNFINISHED} when it reaches beyond
     * {@code to}.
     */
    static int end(byte[] bytes, int from, int to) {
        if (from + 1 >= to) {
            return UNFINISHED;
        }
        boolean string = STRINGS.indexOf(bytes[from + 1]) >= 0;
        int limit = Math.min(to, from + (string ? LIMIT : SHORT));
        int end = string
                ? string(bytes, from, limit)
                : bytes[from + 1] == '[' ? closed(bytes, from + 2, limit, 0x40) : closed(bytes, from + 1, limit, 0x30);
        boolean lost = end == BROKEN || (end == UNFINISHED && limit < to);
        return lost ? givenUp(bytes, from, to) : end;
    }

    /** The offset after what is dropped of an escape without an end. */
    static int givenUp(byte[] bytes, int from, int to) {
        int end = Math.min(to, from + SHORT);
        while (end < to && Utf8.isContinuation(bytes[end]) && end > from + SHORT - 3) {
            end--;
        }
        return end;
    }

    /**
     * How many bytes at {@code at} belong to an escape that begins before it, not before {@code from}; {@link #UNSEEN}
     * when it may begin there, {@link #UNFINISHED} when it reaches beyond {@code to}.
     *
     * @param last whether nothing follows
     */
    public static int over(byte[] bytes, int from, int at, int to, boolean last) {
        int least = at - LIMIT;
        for (int i = at - 1; i >= Math.max(from, least); i--) {
            if (bytes[i] == ESC) {
                int end = end(bytes, i, to);
                end = end < 0 && last ? givenUp(bytes, i, to) : end;
                return end < 0 ? end : Math.max(0, end - at);
            }
            if (!isPayload(bytes[i])) {
                least = Math.max(least, i - SHORT + 1);
            }
        }
        return from <= least ? 0 : UNSEEN;
    }

    /** Whether a long string may hold it: what encodes bytes, and the ends of its lines. */
    static boolean isPayload(byte b) {
        return (b > 0x20 && b < 0x7F) || b == '\n' || b == '\r';
    }

    /**
     * Parameters and intermediates, then one final byte; anything else breaks it off and is looked at anew.
     *
     * @param least the least of the bytes that are final
     */
    private static int closed(byte[] bytes, int from, int to, int least) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (b >= least && b < 0x7F) {
                return i + 1;
            }
            if (b < 0x20 || b == 0x7F) {
                return i;
            }
        }
        return UNFINISHED;
    }

    /** Until ST (or BEL); another escape or a cancel breaks it off. */
    private static int string(byte[] bytes, int from, int to) {
        boolean endsWithBell = bytes[from + 1] == ']' || bytes[from + 1] == 'k';
        for (int i = from + 2; i < to; i++) {
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
            if (i >= from + SHORT && !isPayload(b)) {
                return BROKEN;
            }
        }
        return UNFINISHED;
    }
}
