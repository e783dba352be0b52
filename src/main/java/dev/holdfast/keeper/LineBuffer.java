package dev.holdfast.keeper;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts a stream of bytes into lines of at most {@link #MAX_LINE} bytes. Not thread-safe. */
public final class LineBuffer {
    /** Longer than any start of a command: its text, its arguments and its environment fit the kernel's 2 MiB. */
    public static final int MAX_LINE = 16 * 1024 * 1024;

    private static final int SMALL = 64 * 1024;

    private byte[] bytes = new byte[SMALL];
    private int start;
    private int scanned;
    private int end;

    /** @throws MalformedMessageException when a line grows too long */
    public void append(ByteBuffer more) {
        int count = more.remaining();
        if (end + count > bytes.length) {
            makeRoom(count);
        }
        more.get(bytes, end, count);
        end += count;
    }

    /** The next whole line without its line feed, or null when there is none yet. */
    public byte @Nullable [] next() {
        while (scanned < end) {
            if (bytes[scanned++] == '\n') {
                byte[] line = Arrays.copyOfRange(bytes, start, scanned - 1);
                start = scanned;
                return line;
            }
        }
        if (start == end) {
            start = scanned = end = 0;
            bytes = bytes.length > SMALL ? new byte[SMALL] : bytes;
        }
        return null;
    }

    private void makeRoom(int count) {
        int held = end - start;
        if (held + count > MAX_LINE) {
            throw new MalformedMessageException("a line is longer than " + MAX_LINE + " bytes");
        }
        int size = bytes.length;
        while (size < held + count) {
            size *= 2;
        }
        byte[] roomy = size == bytes.length ? bytes : new byte[size];
        System.arraycopy(bytes, start, roomy, 0, held);
        bytes = roomy;
        scanned -= start;
        start = 0;
        end = held;
    }
}
