package dev.holdfast.runtime.port;

import com.google.re2j.Pattern;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads what commands wrote. No method holds more in memory than what it returns plus a fixed buffer, however large the
 * output is. All methods are thread-safe; a task that has no folder reads as empty.
 */
public interface OutputStore {
    /** How much there is; offsets count every byte ever written, also those no longer kept. */
    Facts facts(TaskId id);

    /**
     * The bytes of one stream from {@code from}, at most {@code maxBytes}. A part that is no longer kept is skipped and
     * named in {@link Slice#omitted()}: never zeros for a gap.
     */
    Slice read(TaskId id, StreamName stream, long from, int maxBytes);

    /**
     * The same as {@link #read} as text: escapes removed, characters whole, lines overwritten by carriage returns as
     * they last stood.
     *
     * @param last whether nothing will follow; else an unfinished character or escape at the end is left for the next
     *     read
     */
    TextSlice readText(TaskId id, StreamName stream, long from, int maxBytes, boolean last);

    /**
     * The same up to the last end of a line in {@code maxBytes}: all of them where none is, or fewer are there. What is
     * overwritten of a line that is longer is passed over.
     */
    TextSlice readLines(TaskId id, StreamName stream, long from, int maxBytes, boolean last);

    /**
     * Head and tail of both streams as text, at most {@code budgetChars} together, with a line that counts what is left
     * out.
     *
     * @param last whether nothing will follow; else an unfinished character or escape at the end is not shown yet
     */
    Preview preview(TaskId id, int budgetChars, boolean last);

    /**
     * Lines of one stream that match, each with those around it, as text: what {@link #readText} says of characters and
     * escapes holds of each line by itself. What is written while it searches is not looked at. Of a line of more than
     * 512 KiB pieces are looked at, which overlap by 16 KiB.
     *
     * @param last whether nothing will follow; else an unfinished character at the end is left out
     * @param abandoned whether nobody waits for it any more; asked often, and then answered with what was found until
     *     then
     */
    Found search(TaskId id, StreamName stream, Wanted wanted, boolean last, BooleanSupplier abandoned);

    /**
     * Whether the pattern may match in a text, told faster than by the pattern itself: most of those in which it does
     * not are ruled out. The texts are not empty. For one thread.
     */
    Predicate<String> sieve(Pattern pattern);

    /** What of a stream is no longer kept, null where it is whole. */
    @Nullable
    Gap gap(TaskId id, StreamName stream);

    /** Where the raw bytes of a stream lie; they are zeros in its {@link #gap}. */
    Path file(TaskId id, StreamName stream);

    /** Where both are written, for a text: {@code /…/out and /…/err}. */
    default String files(TaskId id) {
        return file(id, StreamName.STDOUT) + " and " + file(id, StreamName.STDERR);
    }

    /**
     * Calls {@code onChange} after each growth of a stream, on an event thread: hand over, do not block. Changes may
     * be merged; one call may be for nothing. Costs a kernel watch a stream until it is closed; where none is left, a
     * look now and then.
     */
    Watch watch(TaskId id, Consumer<StreamName> onChange);

    /** Holds the output within its budget and above the floor of free space from now on, until {@link #release}. */
    void govern(TaskId id, Writer writer);

    /** Whether any process still has one of the streams open for writing. */
    boolean isHeld(TaskId id);

    /** How much room is left where the output goes. */
    Space space();

    /** Whether it was made to hold still, for want of room, and does not go on yet. */
    boolean isPaused(TaskId id);

    /** The task has ended and its output is no longer looked after. */
    void release(TaskId id);

    /** Who writes the output. Each is called on a thread that may block. */
    interface Writer {
        /** Its output cannot be held; it is to be ended. Called once at most. */
        void limit();

        /** It writes most while the disk is nearly full; it is to hold still. */
        default void pause() {}

        /** There is room again. */
        default void resume() {}
    }

    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param usable bytes that can still be written
     * @param floor bytes below which nothing new may start
     */
    record Space(long usable, long floor) {}

    /** A part of a stream that is no longer kept: bytes {@code from} inclusive to {@code to} exclusive. */
    record Gap(long from, long to) {}

    /** @param lastOutputAt null when nothing was written */
    record Facts(
            long stdoutBytes,
            long stderrBytes,
            long omittedBytes,
            @Nullable Instant lastOutputAt) {
        public static final Facts NONE = new Facts(0, 0, 0, null);

        /** Of both streams. */
        public long printed() {
            return stdoutBytes + stderrBytes;
        }

        public long bytes(StreamName stream) {
            return switch (stream) {
                case STDOUT -> stdoutBytes;
                case STDERR -> stderrBytes;
            };
        }
    }

    /**
     * @param start the offset of the first byte returned: after {@code from} when that lay in a gap
     * @param next where the next read begins
     */
    record Slice(byte[] bytes, long start, long next, List<Gap> omitted) {}

    /**
     * @param line where in the text its last line begins, which may go on
     * @param lineFrom the offset from where that line is read to have it as it stands when it has gone on; what is
     *     before belongs to other lines, or is overwritten
     */
    record TextSlice(String text, long start, long next, List<Gap> omitted, int line, long lineFrom) {}

    /** The most characters there are of a line that was found, or of one around it. */
    int MAX_LINE_CHARS = 2000;

    /**
     * @param pattern is looked for in each line by itself
     * @param context how many lines before and after each are wanted
     * @param max how many matching lines
     * @param fromEnd whether the last ones, newest first
     * @param from where it begins, with the whole line that it is in; of no meaning from the end
     */
    record Wanted(Pattern pattern, int context, int max, boolean fromEnd, long from) {
        public Wanted(Pattern pattern, int context, int max, boolean fromEnd) {
            this(pattern, context, max, fromEnd, 0);
        }

        public Wanted from(long offset) {
            return new Wanted(pattern, context, max, fromEnd, offset);
        }
    }

    /**
     * @param more whether more lines match
     * @param searchedBytes how many bytes were looked at
     */
    record Found(List<Match> matches, boolean more, long searchedBytes) {
        /** As if no more than {@code count} of them had been asked for. */
        public Found first(int count) {
            return new Found(matches.subList(0, count), more || count < matches.size(), searchedBytes);
        }
    }

    /**
     * @param line its number, from 1; null behind a gap, where nobody knows how many there were
     * @param offset where it begins; behind a gap, where what is kept of it does
     * @param end where it ends
     * @param text at most {@link #MAX_LINE_CHARS}, cut around the match
     */
    record Match(
            StreamName stream,
            @Nullable Long line,
            long offset,
            long end,
            String text,
            List<String> before,
            List<String> after) {}
}
