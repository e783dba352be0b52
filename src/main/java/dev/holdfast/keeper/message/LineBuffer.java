package dev.holdfast.keeper.message;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Cuts a stream of bytes into lines of bounded length, and within bounds for all streams together. Not thread-safe. */
public final class LineBuffer implements AutoCloseable {
    /**
     * The longest line that goes to a keeper, in bytes: its heap is small. No start of a command is longer, for its
     * text, its arguments and its environment fit the kernel's 2 MiB.
     */
    public static final int MOST_TO_KEEPER = 2 * 1024 * 1024;
    /** The longest line that a keeper may say. */
    public static final int MOST_FROM_KEEPER = 16 * 1024 * 1024;

    private static final int SMALL = 8 * 1024;

    private final int longest;
    private final AtomicLong room;
    private byte[] bytes = new byte[SMALL];
    private int start;
    private int scanned;
    private int end;

    /**
     * @param longest line, in bytes
     * @param room how many bytes all that share it may hold, beyond {@value #SMALL} each
     */
    public LineBuffer(int longest, AtomicLong room) {
        this.longest = longest;
        this.room = room;
    }

    /** @throws MalformedMessageException when a line is too long, or all together are; nothing can be appended then */
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
            close();
        }
        return null;
    }

    private void makeRoom(int count) {
        int held = end - start;
        if (held + count > longest) {
            throw new MalformedMessageException("a line is longer than " + longest + " bytes");
        }
        int size = bytes.length;
        while (size < held + count) {
            size *= 2;
        }
        byte[] roomy = size == bytes.length ? bytes : larger(size);
        System.arraycopy(bytes, start, roomy, 0, held);
        bytes = roomy;
        scanned -= start;
        start = 0;
        end = held;
    }

    private byte[] larger(int size) {
        int more = size - bytes.length;
        if (room.addAndGet(-more) < 0) {
            room.addAndGet(more);
            throw new MalformedMessageException("all lines together are too long");
        }
        return new byte[size];
    }

    /** Gives its memory back. */
    @Override
    public void close() {
        if (bytes.length > SMALL) {
            room.addAndGet(bytes.length - SMALL);
            bytes = new byte[SMALL];
        }
    }
}
