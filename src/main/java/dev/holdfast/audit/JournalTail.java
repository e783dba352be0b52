package dev.holdfast.audit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import org.jboss.logging.Logger;

/**
 * Where a journal goes on. A server that was killed while it wrote, a disk that was full or a loss of power may leave
 * the piece of a line at its end, which is cut off; whole lines that cannot be read stay, and count. Both are said in
 * the log.
 */
final class JournalTail {
    private static final Logger LOG = Logger.getLogger(JournalTail.class);
    private static final int BLOCK = 64 * 1024;

    private JournalTail() {}

    /** The {@code seq} behind the last line of a file, whose end is whole from now on. */
    static long mend(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            long length = file.length();
            for (long block = BLOCK; ; block *= BLOCK) {
                long from = Math.max(0, length - block);
                byte[] tail = new byte[(int) (length - from)];
                file.seek(from);
                file.readFully(tail);
                int end = lineBefore(tail, tail.length);
                long next = next(tail, end, from == 0 ? JournalFiles.first(path) : 0);
                if (next > 0 || from == 0) {
                    cut(file, path, from + end, length);
                    return next;
                }
            }
        }
    }

    private static void cut(RandomAccessFile file, Path path, long end, long length) throws IOException {
        if (end < length) {
            file.setLength(end);
            LOG.warnf("%s ended with a torn line: its %d bytes are cut off", path, length - end);
        }
    }

    /** Where the line begins that ends before {@code end}, or rather where the one before it ends: 0 for none. */
    private static int lineBefore(byte[] bytes, int end) {
        int at = end;
        while (at > 0 && bytes[at - 1] != '\n') {
            at--;
        }
        return at;
    }

    /**
     * @param first that of the first line, when the bytes begin with it; else 0, and so is the answer when none is
     *     whole
     */
    private static long next(byte[] bytes, int end, long first) {
        int damaged = 0;
        for (int stop = end; stop > 0; ) {
            int start = lineBefore(bytes, stop - 1);
            long seq = JournalLine.seq(Arrays.copyOfRange(bytes, start, stop));
            if (seq > 0) {
                return say(damaged, seq + 1 + damaged);
            }
            damaged++;
            stop = start;
        }
        return first == 0 ? 0 : say(damaged, first + damaged);
    }

    private static long say(int damaged, long next) {
        if (damaged > 0) {
            LOG.warnf("The last %d lines of the journal cannot be read; it goes on with %d", damaged, next);
        }
        return next;
    }
}
