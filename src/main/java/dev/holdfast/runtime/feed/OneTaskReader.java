package dev.holdfast.runtime.feed;

import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.Observations.Seen;
import dev.holdfast.runtime.TaskChanges;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.TextSlice;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads one task's events, with the text of its output, from its start or a former place on; ends after its end. */
final class OneTaskReader extends FeedReader {
    /** Of each stream at a time, so that who reads slowly holds no more than that. */
    private static final int READ_BYTES = 64 * 1024;

    private final Tasks tasks;
    private final OutputStore outputs;
    private final TaskChanges changes;
    private final Observations observations;
    private final Told told;
    private final List<FeedEvent> events = new ArrayList<>();
    private final List<OutputStore.Watch> watches = new ArrayList<>();
    private volatile @Nullable Seen seen;

    /** @param lastEventId null for the start */
    OneTaskReader(
            TaskId id,
            @Nullable String lastEventId,
            Tasks tasks,
            OutputStore outputs,
            TaskChanges changes,
            Observations observations) {
        this.tasks = tasks;
        this.outputs = outputs;
        this.changes = changes;
        this.observations = observations;
        this.told = new Told(id, this::add);
        if (lastEventId != null) {
            told.resume(lastEventId);
            OutputStore.Facts facts = outputs.facts(id);
            if (Stream.of(StreamName.values()).anyMatch(stream -> told.of(stream) > facts.bytes(stream))) {
                throw Told.noEvent(lastEventId);
            }
        }
    }

    @Override
    public void begin() {
        TaskId id = told.id();
        watches.add(changes.listen(task -> {
            if (task.id().equals(id)) {
                wakeup.wake();
            }
        }));
        watches.add(outputs.watch(id, _ -> wakeup.wake()));
        watches.add(observations.watch(pass -> see(pass.get(id))));
    }

    private void see(@Nullable Seen now) {
        Seen before = seen;
        if (now != null) {
            seen = now;
            if (before == null
                    || !now.facts().equals(before.facts())
                    || !Objects.equals(now.prompt(), before.prompt())) {
                wakeup.wake();
            }
        }
    }

    private void add(String type, Map<String, @Nullable Object> data) {
        events.add(new FeedEvent(place(), type, data));
    }

    @Override
    public String place() {
        return told.place();
    }

    /** A status that is not the last, then output, and an end only after all output: so the task is looked at first. */
    @Override
    List<FeedEvent> read() {
        events.clear();
        Task task = tasks.find(told.id());
        Seen now = seen;
        boolean ended = task.status().ended();
        if (!ended) {
            told.tellStatus(task);
            if (now != null) {
                told.tellFacts(now);
            }
        }
        boolean more = false;
        for (StreamName stream : StreamName.values()) {
            more |= tellOutput(stream, ended);
        }
        if (ended && !more) {
            told.tellStatus(task);
        }
        return List.copyOf(events);
    }

    /** @return whether there was something: a short read is no end, for there may be more behind a gap */
    private boolean tellOutput(StreamName stream, boolean last) {
        long from = told.of(stream);
        TextSlice slice = outputs.readText(told.id(), stream, from, READ_BYTES, last);
        told.tellOutput(stream, slice.start(), slice.next(), slice.text());
        return slice.next() != from;
    }

    /** What is printed after the end is told to who comes back for it. */
    @Override
    public boolean finished() {
        if (!told.finished()) {
            return false;
        }
        OutputStore.Facts facts = outputs.facts(told.id());
        return Stream.of(StreamName.values()).allMatch(stream -> told.of(stream) >= facts.bytes(stream));
    }

    @Override
    public void close() {
        watches.forEach(OutputStore.Watch::close);
    }
}
