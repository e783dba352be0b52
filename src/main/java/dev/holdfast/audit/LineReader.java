package dev.holdfast.audit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of a file, one after the other, in bounded memory. Not thread-safe. */
final class LineReader {
    /** What is longer is passed over: no line of ours is. */
    private static final int LONGEST = 64 * 1024;

    private final RandomAccessFile file;
    private final byte[] buffer = new byte[LONGEST];
    private int start;
    private int seen;
    private int end;
    private boolean tooLong;

    /** From where the file stands. */
    LineReader(RandomAccessFile file) {
        this.file = file;
    }

    /** Without its end; null when there is none that has one. */
    byte @Nullable [] next() throws IOException {
        do {
            while (seen < end) {
                if (buffer[seen++] == '\n') {
                    int from = start;
                    start = seen;
                    if (!tooLong) {
                        return Arrays.copyOfRange(buffer, from, seen - 1);
                    }
                    tooLong = false;
                }
            }
        } while (more());
        return null;
    }

    private boolean more() throws IOException {
        System.arraycopy(buffer, start, buffer, 0, end - start);
        end -= start;
        start = 0;
        if (end == LONGEST) {
            tooLong = true;
            end = 0;
        }
        seen = end;
        int count = file.read(buffer, end, LONGEST - end);
        end += Math.max(0, count);
        return count > 0;
    }
}
