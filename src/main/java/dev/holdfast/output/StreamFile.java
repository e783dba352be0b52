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
    /** So far a reader looks back, and ahead, for an escape that it begins in: nearly always the first look tells. */
    private static final int[][] LOOKS = {
        {2 * Escapes.SHORT, Escapes.SHORT}, {Escapes.LIMIT, Escapes.SHORT}, {Escapes.LIMIT, Escapes.LIMIT}
    };

    private static final int[][] NONE = {};

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
    public int rest(long start, byte[] bytes, boolean last) {
        long size = size();
        Gap gap = gap(size);
        if (gap != null && gap.to() == start) {
            return Utf8.orphans(bytes);
        }
        long least = gap != null && gap.to() < start ? gap.to() : 0;
        int rest = 0;
        for (int[] look : bytes.length == 0 ? NONE : LOOKS) {
            long from = Math.max(least, start - look[0]);
            Chunk chunk = read(from, (int) (start - from) + look[1] + 1, size, gap, byte[]::new);
            int at = (int) Math.min(start - from, chunk.length());
            boolean closed = chunk.beforeGap() || (last && chunk.atEnd());
            rest = Escapes.over(chunk.bytes(), 0, at, chunk.length(), closed);
            boolean unseen = rest == Escapes.UNSEEN && from > least;
            if (!unseen && rest != Escapes.UNFINISHED) {
                return rest > 0 ? rest : Utf8.overhang(chunk.bytes(), at, chunk.length());
            }
        }
        return rest;
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
