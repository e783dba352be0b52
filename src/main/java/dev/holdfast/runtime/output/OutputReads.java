package dev.holdfast.runtime.output;

import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.Ending;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads a task's output without consuming it. Thread-safe; blocks while it waits. */
@Singleton
public record OutputReads(Tasks tasks, LiveCommands live, OutputStore outputs) {
    /** So many pages that show nothing are passed over for one answer, however small they are. */
    private static final int MOST_SKIPPED = 1000;

    /**
     * As text; where more is there than a page holds, each stream's part ends with a line, if one ends in it. Of two
     * streams each begins on a line of its own. What shows nothing, as an escape or what is drawn over, is no news.
     *
     * @param stream null for both
     * @param cursor null for the start, {@code -N} for the last N bytes, or what a former page gave
     * @param wait how long to wait for something new or the end
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none
     */
    public OutputPage<String> read(
            TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait) {
        long until = System.nanoTime() + wait.toNanos();
        OutputPage<String> page = once(id, stream, cursor, maxBytes, wait);
        for (int i = 0; i < MOST_SKIPPED && showsNothing(page); i++) {
            page = once(id, stream, page.nextCursor(), maxBytes, Patience.left(until));
        }
        return page;
    }

    private static boolean showsNothing(OutputPage<String> page) {
        return page.content().isEmpty() && page.hasNews() && page.omitted().isEmpty() && !page.end();
    }

    private OutputPage<String> once(
            TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait) {
        return await(id, stream, cursor, wait, place -> {
            StringBuilder text = new StringBuilder();
            Piece piece = (name, from, most) -> {
                boolean whole = from + most >= place.facts().bytes(name);
                OutputStore.TextSlice slice = whole
                        ? outputs.readText(id, name, from, most, place.ended())
                        : outputs.readLines(id, name, from, most, place.ended());
                if (!slice.text().isEmpty() && !text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
                    text.append('\n'); // a line of the one stream is none of the other's
                }
                text.append(slice.text());
                return new Taken(slice.next(), slice.omitted());
            };
            return page(place, maxBytes, piece, text::toString);
        });
    }

    /**
     * As it was written; the other parameters are those of {@link #read}.
     *
     * @param characters whether the bytes will be decoded: none is split that fits a page, unless it ends in its midst
     */
    public OutputPage<byte[]> readRaw(
            TaskId id,
            @Nullable StreamName stream,
            @Nullable String cursor,
            int maxBytes,
            Duration wait,
            boolean characters) {
        return await(id, stream, cursor, wait, place -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            Piece piece = (name, from, most) -> {
                OutputStore.Slice slice = outputs.read(id, name, from, most);
                int open = characters ? open(place, name, slice, most) : 0;
                bytes.write(slice.bytes(), 0, slice.bytes().length - open);
                return new Taken(slice.next() - open, slice.omitted());
            };
            return page(place, maxBytes, piece, bytes::toByteArray);
        });
    }

    /** How many bytes at the end are left for the next read, which has the rest of their character. */
    private int open(Place place, StreamName name, OutputStore.Slice slice, int most) {
        int open = openAtEnd(slice.bytes());
        if (open == 0 || open == most) {
            return 0;
        }
        boolean last = place.ended() && slice.next() >= place.facts().bytes(name);
        return last || gapFollows(place, name, slice.next()) ? 0 : open;
    }

    private boolean gapFollows(Place place, StreamName name, long at) {
        Gap gap = outputs.gap(place.task().id(), name);
        return gap != null && gap.from() == at;
    }

    /** How many bytes at the end begin a character of UTF-8 that is not complete, 0 to 3. */
    static int openAtEnd(byte[] bytes) {
        int from = Math.max(0, bytes.length - 3);
        ByteBuffer end = ByteBuffer.wrap(bytes, from, bytes.length - from);
        StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .decode(end, CharBuffer.allocate(3), false);
        return end.remaining();
    }

    /** The cursor of both streams behind all that there is now. */
    public String end(TaskId id) {
        return read(id, null, "-0", 1, Duration.ZERO).nextCursor();
    }

    /**
     * What is printed from {@code cursor} on for as long as {@code during}, or until the end or {@code maxBytes}; as
     * text, of each stream by itself, as it stands then.
     */
    public OutputPage<String> collect(TaskId id, String cursor, int maxBytes, Duration during) {
        long until = System.nanoTime() + during.toNanos();
        String next = cursor;
        int chars = 0;
        while (true) {
            Duration left = Patience.left(until);
            String from = next;
            OutputPage<String> page = read(id, null, from, maxBytes, left);
            next = page.nextCursor();
            chars += page.content().length();
            boolean full = page.more() || chars >= maxBytes;
            if (left.isZero()
                    || full
                    || page.status().ended()
                    || Thread.currentThread().isInterrupted()) {
                return from.equals(cursor) ? page : read(id, null, cursor, maxBytes, Duration.ZERO);
            }
        }
    }

    /** Reads a part of one stream, at most {@code most} bytes, and keeps what it says. */
    private interface Piece {
        Taken read(StreamName name, long from, int most);
    }

    private record Taken(long next, List<Gap> omitted) {}

    /**
     * Where a read begins: looked at in this order, the task first, so that what it printed before its end is seen.
     *
     * @param stream null for both
     */
    private record Place(
            Task task,
            Facts facts,
            OutputCursor from,
            @Nullable StreamName stream) {
        boolean ended() {
            return task.status().ended();
        }

        List<StreamName> streams() {
            return stream == null ? List.of(StreamName.values()) : List.of(stream);
        }

        /** All bytes for one stream; of two, each gets half and what the other does not need, but one at least. */
        int share(StreamName name, int maxBytes) {
            if (stream != null) {
                return maxBytes;
            }
            boolean first = name == StreamName.STDOUT;
            StreamName other = first ? StreamName.STDERR : StreamName.STDOUT;
            int half = first ? maxBytes - maxBytes / 2 : Math.max(1, maxBytes / 2);
            return (int) Math.max(maxBytes - (facts.bytes(other) - from.of(other)), half);
        }
    }

    private <T> OutputPage<T> page(Place place, int maxBytes, Piece piece, Supplier<T> content) {
        OutputCursor next = place.from();
        List<Gap> omitted = new ArrayList<>();
        boolean more = false;
        boolean end = place.ended();
        for (StreamName name : place.streams()) {
            long from = place.from().of(name);
            long bytes = place.facts().bytes(name);
            int share = place.share(name, maxBytes);
            Taken taken = piece.read(name, from, share);
            next = next.with(name, taken.next());
            omitted.addAll(taken.omitted());
            boolean stopped = taken.next() < bytes && taken.next() > from;
            more |= stopped && (from + share < bytes || gapFollows(place, name, taken.next()));
            end &= taken.next() >= bytes;
        }
        Ending ending = place.task().ending();
        return new OutputPage<>(
                place.task().id(),
                place.task().status(),
                content.get(),
                place.from().text(place.stream()),
                next.text(place.stream()),
                omitted,
                more,
                end,
                ending == null ? null : ending.exitStatus());
    }

    /** Reads once, and if that is worth nothing yet, again whenever there may be more. */
    private <T> OutputPage<T> await(
            TaskId id,
            @Nullable StreamName stream,
            @Nullable String cursor,
            Duration wait,
            Function<Place, OutputPage<T>> read) {
        Task task = tasks.find(id);
        Facts facts = outputs.facts(id);
        Place first = new Place(task, facts, OutputCursor.parse(stream, cursor, facts), stream);
        OutputPage<T> page = read.apply(first);
        return wait.isZero() || first.ended() || page.hasNews() ? page : awaitMore(first, wait, read);
    }

    private <T> OutputPage<T> awaitMore(Place first, Duration wait, Function<Place, OutputPage<T>> read) {
        TaskId id = first.task().id();
        long deadline = System.nanoTime() + wait.toNanos();
        try (Wakeup wakeup = new Wakeup();
                OutputStore.Watch _ = outputs.watch(id, _ -> wakeup.wake())) {
            live.find(id).ifPresent(command -> wakeup.after(command.ended()));
            while (true) {
                Place place = new Place(tasks.find(id), outputs.facts(id), first.from(), first.stream());
                OutputPage<T> page = read.apply(place);
                Duration left = Patience.left(deadline);
                if (place.ended() || page.hasNews() || left.isZero()) {
                    return page;
                }
                wakeup.await(left);
            }
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
            return read.apply(first);
        }
    }
}
