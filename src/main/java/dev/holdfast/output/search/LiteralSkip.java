package dev.holdfast.output.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Passes over bytes in which no literal can be, eight at a time (SWAR), and counts the lines it passes. It stops before
 * a pair of bytes that a literal holds, and before bytes that do not stand for themselves in a text: controls, and the
 * lead byte of C1 controls. For one thread.
 */
final class LiteralSkip {
    /** How many bytes from where it stops are to be looked at. */
    static final int WORD = Long.BYTES;

    /** So many of a word's bytes have their successor in it too. */
    private static final int STEP = WORD - 1;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;
    private static final long TABS = '\t' * ONES;
    private static final long C1_LEADS = 0xC2C2C2C2C2C2C2C2L;

    private final int count;
    private final long[] masks = new long[Literal.MOST];
    private final long[] firsts = new long[Literal.MOST];
    private final long[] seconds = new long[Literal.MOST];
    private long newlines;

    /** @param pairs one to {@link Literal#MOST}, one of each literal */
    LiteralSkip(List<BytePairs.Pair> pairs) {
        this.count = pairs.size();
        for (int i = 0; i < count; i++) {
            masks[i] = pairs.get(i).mask() * ONES;
            firsts[i] = pairs.get(i).first() * ONES;
            seconds[i] = pairs.get(i).second() * ONES;
        }
    }

    /** The newlines passed since this was asked last. */
    long takeNewlines() {
        long passed = newlines;
        newlines = 0;
        return passed;
    }

    /** Where to look closer, or where less than a word is left: from there on {@link #WORD} bytes. */
    int next(byte[] bytes, int from, int to) {
        long mask = masks[0];
        long first = firsts[0];
        long second = seconds[0];
        boolean others = count > 1;
        int at = from;
        for (int last = to - WORD; at <= last; at += STEP) {
            long word = (long) WORDS.get(bytes, at);
            long masked = word | mask;
            long pair = (masked ^ first) | ((masked >>> 8) ^ second);
            long found = (pair - ONES) & ~pair;
            if (others) {
                found |= others(word);
            }
            long plain = (word - ' ' * ONES) | (word + ONES) | word;
            if (((found | plain) & HIGHS) != 0 && ((found & HIGHS) != 0 || needsLook(word))) {
                break;
            }
        }
        return at;
    }

    private long others(long word) {
        long found = 0;
        for (int i = 1; i < count; i++) {
            long masked = word | masks[i];
            long pair = (masked ^ firsts[i]) | ((masked >>> 8) ^ seconds[i]);
            found |= (pair - ONES) & ~pair;
        }
        return found;
    }

    private boolean needsLook(long word) {
        long low = word & ~HIGHS;
        long ascii = ~word & HIGHS;
        long newline = ~((low ^ NEWLINES) + ~HIGHS) & ascii;
        long tab = ~((low ^ TABS) + ~HIGHS) & ascii;
        long control = ~(low + 0x60 * ONES) & ascii & ~newline & ~tab;
        long delete = (low + ONES) & ascii;
        long lead = word ^ C1_LEADS;
        if ((control | delete | ((lead - ONES) & ~lead & HIGHS)) != 0) {
            return true;
        }
        newlines += Long.bitCount(newline & (HIGHS >>> 8));
        return false;
    }

    /** How many newlines there are before {@code to}. */
    static long newlines(byte[] bytes, int to) {
        long count = 0;
        int at = 0;
        for (int last = to - WORD; at <= last; at += WORD) {
            long word = (long) WORDS.get(bytes, at);
            if (((word - ' ' * ONES) & ~word & HIGHS) != 0) {
                long low = word & ~HIGHS;
                count += Long.bitCount(~((low ^ NEWLINES) + ~HIGHS) & ~word & HIGHS);
            }
        }
        for (; at < to; at++) {
            count += bytes[at] == '\n' ? 1 : 0;
        }
        return count;
    }
}
