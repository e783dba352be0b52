package dev.holdfast.output.search;

import dev.holdfast.output.Escapes;
import dev.holdfast.output.StreamFile;
import java.util.Arrays;

/** Where the text of lines begins: behind an escape, or a character, that reaches into them. For one thread. */
final class Beginnings {
    /** So many bytes tell whether a character goes on. */
    private static final int LONGEST = 4;

    private final StreamFile file;
    private final boolean last;
    /** There text begins, whatever is before. */
    private long clear;

    /** @param last whether nothing will follow the end of the stream */
    Beginnings(StreamFile file, boolean last) {
        this.file = file;
        this.last = last;
    }

    /** @param offset where text begins, or is taken to; lines behind it are asked for from first to last */
    void startAt(long offset) {
        clear = offset;
    }

    /**
     * The offset where the text begins of what stands at {@code at} in a block of the stream; a later line's where it
     * has none.
     *
     * @param start the offset of the block
     * @param to how much of the block may be looked at
     */
    long of(byte[] block, long start, int at, int to) {
        long from = start + at;
        if (from > clear) {
            int over = Escapes.over(block, (int) Math.max(0, clear - start), at, to, false);
            if (over == Escapes.UNFINISHED || (over == Escapes.UNSEEN && clear < start)) {
                over = file.rest(from, Arrays.copyOfRange(block, at, Math.min(to, at + LONGEST)), last);
            }
            clear = over == Escapes.UNFINISHED ? Long.MAX_VALUE : from + Math.max(0, over);
        }
        return clear;
    }
}
