package dev.holdfast.output;

/**
 * Decodes UTF-8 one character at a time, bad bytes as the JDK does: one U+FFFD for each maximal part that could have
 * begun a character. Pure.
 */
public final class Utf8 {
    /** What {@link #decode} answers when the bytes end within a character. */
    static final int UNFINISHED = 0;

    private static final int REPLACEMENT = 0xFFFD;

    private Utf8() {}

    /** The code point in what {@link #decode} answered. */
    static int codePoint(int decoded) {
        return decoded >> 3;
    }

    /** How many bytes it took, 1 to 4. */
    static int length(int decoded) {
        return decoded & 7;
    }

    public static boolean isContinuation(byte b) {
        return (b & 0xC0) == 0x80;
    }

    /**
     * The character that begins at {@code from}, to be taken apart by the two methods above, or {@link #UNFINISHED}.
     */
    static int decode(byte[] bytes, int from, int to) {
        int lead = bytes[from] & 0xFF;
        if (lead < 0x80) {
            return pack(lead, 1);
        }
        int length = lengthOf(lead);
        if (length == 0) {
            return pack(REPLACEMENT, 1);
        }
        int codePoint = lead & (0x7F >> length);
        for (int i = 1; i < length; i++) {
            if (from + i >= to) {
                return UNFINISHED;
            }
            byte next = bytes[from + i];
            if (!isContinuation(next) || (i == 1 && !canFollow(lead, next & 0xFF))) {
                return pack(REPLACEMENT, i);
            }
            codePoint = (codePoint << 6) | (next & 0x3F);
        }
        // A surrogate written as three bytes is one bad character to the JDK, not three.
        boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        return pack(surrogate ? REPLACEMENT : codePoint, length);
    }

    /** How many bytes at the beginning belong to a character whose own beginning is not there: 0 to 3. */
    static int orphans(byte[] bytes) {
        int count = 0;
        while (count < Math.min(3, bytes.length) && isContinuation(bytes[count])) {
            count++;
        }
        return count;
    }

    /** How many bytes from {@code at} on belong to a character that began before it: 0 to 3. */
    static int overhang(byte[] bytes, int at, int to) {
        for (int lead = at - 1; lead >= Math.max(0, at - 3); lead--) {
            if (!isContinuation(bytes[lead])) {
                int decoded = decode(bytes, lead, to);
                int end = decoded == UNFINISHED ? to : lead + length(decoded);
                return Math.max(0, end - at);
            }
        }
        return 0;
    }

    private static int pack(int codePoint, int length) {
        return (codePoint << 3) | length;
    }

    private static int lengthOf(int lead) {
        if (lead >= 0xC2 && lead <= 0xDF) {
            return 2;
        }
        if (lead >= 0xE0 && lead <= 0xEF) {
            return 3;
        }
        return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    }

    private static boolean canFollow(int lead, int second) {
        return switch (lead) {
            case 0xE0 -> second >= 0xA0;
            case 0xF0 -> second >= 0x90;
            case 0xF4 -> second <= 0x8F;
            default -> true;
        };
    }
}
