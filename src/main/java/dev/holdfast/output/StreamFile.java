package dev.holdfast.output;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one stream by position. Somebody may write to the file, punch holes into it or truncate it meanwhile; a
 * file that is not there is empty. Holds no descriptor between calls. {@code java.io} on purpose: an interrupt does not
 * close the file under the reader.
 */
public record StreamFile(TaskFolder folder, StreamName stream, File file) {
    private static final int BLOCK = 64 * 1024;

    /** A reader looks so far back to see whether it begins within a character. */
    private static final int LOOK_BACK = 3;

    /** A punch may overtake a reader; one that is overtaken so often reads an unbelievably fast disk. */
    private static final int MOST_RETRIES = 100;

    /**
     * @param bytes begin with one piece, read before a gap was recorded there
     * @param length how many of them it has
     * @param start the offset of the first
     * @param skipped the part of a gap between where the read was to begin and {@code start}
     * @param atEnd whether the file ended after them when they were read
     * @param beforeGap whether a gap follows them
     */
    public record Chunk(
            byte[] bytes, int length, long start, @Nullable Gap skipped, boolean atEnd, boolean beforeGap) {
        public long next() {
            return start + length;
        }

        private Chunk cut() {
            return new Chunk(Arrays.copyOf(bytes, length), length, start, skipped, atEnd, beforeGap);
        }
    }

    public StreamFile(TaskFolder folder, StreamName stream) {
        this(folder, stream, folder.output(stream).toFile());
    }

    /** By stat; 0 when it is not there. */
    public long size() {
        return file.length();
    }

    /** Milliseconds since the epoch; 0 for an empty one, of which the file's time says nothing. */
    long writtenAt(long size) {
        return size == 0 ? 0 : file.lastModified();
    }

    /** How many of its bytes are no longer kept. */
    long omitted(long size) {
        Gap gap = gap(size);
        return gap == null ? 0 : gap.to() - gap.from();
    }

    @Nullable
    public Gap gap(long size) {
        return OmittedFile.read(folder, stream, size);
    }

    /**
     * At most {@code maxBytes} from {@code from} on; a cursor beyond the end (the file was truncated) is taken for the
     * end.
     */
    public Chunk read(long from, int maxBytes) {
        Chunk chunk = read(from, maxBytes, byte[]::new);
        return chunk.bytes.length == chunk.length ? chunk : chunk.cut();
    }

    /** The same into bytes that the caller has. */
    public Chunk read(long from, int maxBytes, byte[] into) {
        return read(from, maxBytes, _ -> into);
    }

    private Chunk read(long from, int maxBytes, IntFunction<byte[]> room) {
        long size = size();
        Gap gap = gap(size);
        for (int i = 0; i < MOST_RETRIES; i++) {
            Chunk chunk = read(Math.clamp(from, 0, size), maxBytes, size, gap, room);
            Gap now = gap(size);
            if (now == null || now.equals(gap) || chunk.next() <= now.from() || chunk.start() >= now.to()) {
                return chunk;
            }
            gap = now;
        }
        throw new UncheckedIOException(new IOException(file + " is dropped faster than it can be read"));
    }

    private Chunk read(long from, int maxBytes, long size, @Nullable Gap gap, IntFunction<byte[]> room) {
        if (gap == null || from >= gap.to()) {
            return chunk(from, maxBytes, size, null, false, room);
        }
        if (from >= gap.from()) {
            return chunk(gap.to(), maxBytes, size, new Gap(from, gap.to()), false, room);
        }
        return chunk(from, maxBytes, gap.from(), null, true, room);
    }

    private Chunk chunk(
            long start, int maxBytes, long end, @Nullable Gap skipped, boolean gapFollows, IntFunction<byte[]> room) {
        int count = Math.clamp(end - start, 0, maxBytes);
        byte[] bytes = room.apply(count);
        int length = fill(bytes, start, count);
        boolean all = start + length >= end;
        boolean truncated = length < count;
        return new Chunk(bytes, length, start, skipped, truncated || (all && !gapFollows), all && gapFollows);
    }

    /**
     * How many bytes at {@code start} belong to an escape or a character that began before it: also more than
     * {@code bytes}, those that begin there. Negative when an escape has no end yet.
     *
     * @param last whether nothing will follow the end of the file
     */
    int rest(long start, byte[] bytes, boolean last) {
        Gap gap = gap(size());
        if (gap != null && gap.to() == start) {
            return Utf8.orphans(bytes);
        }
        long escape = bytes.length == 0 ? -1 : escapeBefore(start);
        int end = escape < 0 ? 0 : escapeEnd(escape, last);
        long rest = escape + end - start;
        return end < 0 ? end : rest > 0 ? (int) rest : overhang(start, bytes, false);
    }

    /** Where the last escape begins that may reach as far as {@code end}; negative where none does. */
    private long escapeBefore(long end) {
        long least = Math.max(0, end - Escapes.LIMIT);
        long at = end;
        while (at > least) {
            int count = (int) Math.min(at - least, at == end ? Escapes.SHORT : BLOCK);
            byte[] block = bytes(at - count, count);
            at -= count;
            for (int i = block.length - 1; i >= 0 && at + i >= least; i--) {
                if (block[i] == Escapes.ESC) {
                    return at + i;
                }
                if (!Escapes.isPayload(block[i])) {
                    least = Math.max(least, at + i - Escapes.SHORT + 1);
                }
            }
        }
        return -1;
    }

    /** How long the escape at {@code start} is, or {@link Escapes#UNFINISHED}. */
    private int escapeEnd(long start, boolean last) {
        Chunk chunk = read(start, Escapes.SHORT + 1);
        int end = Escapes.end(chunk.bytes(), 0, chunk.length());
        if (end == Escapes.UNFINISHED && chunk.length() > Escapes.SHORT) {
            chunk = read(start, Escapes.LIMIT + 1);
            end = Escapes.end(chunk.bytes(), 0, chunk.length());
        }
        boolean closed = chunk.beforeGap() || (last && chunk.atEnd());
        return end == Escapes.UNFINISHED && closed ? Escapes.givenUp(chunk.bytes(), 0, chunk.length()) : end;
    }

    /** How many bytes at {@code start} belong to a character that began before it. */
    public int overhang(long start, byte[] bytes, boolean afterGap) {
        if (start == 0 || bytes.length == 0 || !Utf8.isContinuation(bytes[0])) {
            return 0;
        }
        if (afterGap) {
            return Utf8.orphans(bytes);
        }
        int end = Math.min(bytes.length, LOOK_BACK);
        int back = (int) Math.min(start, LOOK_BACK);
        byte[] around = Arrays.copyOf(bytes(start - back, back), back + end);
        System.arraycopy(bytes, 0, around, back, end);
        return Utf8.overhang(around, 0, back, around.length);
    }

    private byte[] bytes(long from, int count) {
        byte[] bytes = new byte[count];
        return Arrays.copyOf(bytes, fill(bytes, from, count));
    }

    /** How many bytes there were of those asked for. */
    private int fill(byte[] bytes, long from, int count) {
        if (count <= 0) {
            return 0;
        }
        try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
            in.seek(from);
            int filled = 0;
            int read = 0;
            while (filled < count && (read = in.read(bytes, filled, count - filled)) > 0) {
                filled += read;
            }
            return filled;
        } catch (IOException problem) {
            if (!file.exists()) {
                return 0;
            }
            throw new UncheckedIOException(problem);
        }
    }
}
