package dev.holdfast.runtime;

import dev.holdfast.runtime.OutputStore.Facts;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.task.Ending;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads a task's output without consuming it. Thread-safe; blocks while it waits. */
@Singleton
public final class OutputReads {
    private final Tasks tasks;
    private final LiveCommands live;
    private final OutputStore outputs;

    @Inject
    public OutputReads(Tasks tasks, LiveCommands live, OutputStore outputs) {
        this.tasks = tasks;
        this.live = live;
        this.outputs = outputs;
    }

    /**
     * As text.
     *
     * @param stream null for both
     * @param cursor null for the start, {@code -N} for the last N bytes, or what a former page gave
     * @param wait how long to wait for something new or the end
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none
     */
    public OutputPage read(
            TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait) {
        return await(id, stream, cursor, wait, place -> text(place, stream, maxBytes), OutputPage::hasNews);
    }

    private OutputPage text(Place place, @Nullable StreamName stream, int maxBytes) {
        TaskId id = place.task().id();
        StringBuilder text = new StringBuilder();
        Reading reading = new Reading(place, maxBytes);
        for (StreamName name : place.streams()) {
            boolean last = place.ended() && reading.reachesEnd(name);
            OutputStore.TextSlice slice =
                    outputs.readText(id, name, place.cursor().of(name), reading.share(name), last);
            text.append(slice.text());
            reading.took(name, slice.next(), slice.omitted());
        }
        return new OutputPage(
                id,
                place.task().status(),
                text.toString(),
                place.cursor().text(stream),
                reading.next().text(stream),
                reading.gaps,
                reading.atEnd(),
                exitStatus(place.task()));
    }

    /** As it was written; the parameters are those of {@link #read}. */
    public RawPage readRaw(
            TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait) {
        return await(id, stream, cursor, wait, place -> raw(place, stream, maxBytes), RawPage::hasNews);
    }

    private RawPage raw(Place place, @Nullable StreamName stream, int maxBytes) {
        TaskId id = place.task().id();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Reading reading = new Reading(place, maxBytes);
        for (StreamName name : place.streams()) {
            OutputStore.Slice slice = outputs.read(id, name, place.cursor().of(name), reading.share(name));
            bytes.writeBytes(slice.bytes());
            reading.took(name, slice.next(), slice.omitted());
        }
        return new RawPage(
                id,
                place.task().status(),
                bytes.toByteArray(),
                place.cursor().text(stream),
                reading.next().text(stream),
                reading.gaps,
                reading.atEnd(),
                exitStatus(place.task()));
    }

    private static @Nullable Integer exitStatus(Task task) {
        Ending ending = task.ending();
        return ending == null ? null : ending.exitStatus();
    }

    /** Where a read begins: looked at in this order, the task first, so that what it printed before its end is seen. */
    private record Place(Task task, Facts facts, OutputCursor cursor, List<StreamName> streams) {
        boolean ended() {
            return task.status().ended();
        }

        long size(StreamName name) {
            return switch (name) {
                case STDOUT -> facts.stdoutBytes();
                case STDERR -> facts.stderrBytes();
            };
        }
    }

    /** Reads once, and if that is worth nothing yet, again whenever there may be more. */
    private <P> P await(
            TaskId id,
            @Nullable StreamName stream,
            @Nullable String cursor,
            Duration wait,
            Function<Place, P> read,
            Predicate<P> hasNews) {
        Task task = tasks.find(id);
        Facts facts = outputs.facts(id);
        OutputCursor from = OutputCursor.parse(stream, cursor, facts);
        List<StreamName> streams = stream == null ? List.of(StreamName.STDOUT, StreamName.STDERR) : List.of(stream);
        Place first = new Place(task, facts, from, streams);
        P page = read.apply(first);
        return wait.isZero() || first.ended() || hasNews.test(page) ? page : awaitMore(first, wait, read, hasNews);
    }

    private <P> P awaitMore(Place first, Duration wait, Function<Place, P> read, Predicate<P> hasNews) {
        TaskId id = first.task().id();
        Wakeup wakeup = new Wakeup();
        long deadline = System.nanoTime() + wait.toNanos();
        try (OutputStore.Watch _ = outputs.watch(id, _ -> wakeup.wake())) {
            live.find(id).ifPresent(command -> wakeup.after(command.ended()));
            while (true) {
                Place place = new Place(tasks.find(id), outputs.facts(id), first.cursor(), first.streams());
                P page = read.apply(place);
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (place.ended() || hasNews.test(page) || !left.isPositive()) {
                    return page;
                }
                wakeup.await(left);
            }
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
            return read.apply(first);
        }
    }

    /** One read in progress over one or two streams, which share its bytes. */
    private static final class Reading {
        private final Place place;
        private final int maxBytes;
        private final List<Gap> gaps = new ArrayList<>();
        private long stdout;
        private long stderr;

        Reading(Place place, int maxBytes) {
            this.place = place;
            this.maxBytes = maxBytes;
            this.stdout = place.cursor().stdout();
            this.stderr = place.cursor().stderr();
        }

        private long waiting(StreamName name) {
            return place.size(name) - place.cursor().of(name);
        }

        /** All for one stream; of two, each gets half and what the other does not need. */
        int share(StreamName name) {
            if (place.streams().size() == 1) {
                return maxBytes;
            }
            long other = waiting(name == StreamName.STDOUT ? StreamName.STDERR : StreamName.STDOUT);
            return (int) Math.max(maxBytes - other, (maxBytes + 1) / 2);
        }

        boolean reachesEnd(StreamName name) {
            return waiting(name) <= share(name);
        }

        void took(StreamName name, long next, List<Gap> omitted) {
            gaps.addAll(omitted);
            switch (name) {
                case STDOUT -> stdout = next;
                case STDERR -> stderr = next;
            }
        }

        OutputCursor next() {
            return new OutputCursor(stdout, stderr);
        }

        boolean atEnd() {
            return place.ended() && place.streams().stream().allMatch(name -> next().of(name) >= place.size(name));
        }
    }
}
