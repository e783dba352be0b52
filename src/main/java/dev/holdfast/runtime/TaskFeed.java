package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.OutputStore.TextSlice;
import dev.holdfast.task.Ending;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What one task has told one caller so far, and what there is to tell next. Its place is a short text,
 * {@code stdout:stderr:status:waiting:ports}, from which it goes on later without loss or repeats, also on another
 * server. Used by one thread at a time.
 */
final class TaskFeed {
    private static final int READ_BYTES = 64 * 1024;
    /** What is told by the way, in bytes; an event of more is worth a thread. */
    private static final int LITTLE = 16 * 1024;

    private final TaskId id;
    private final OutputStore outputs;
    private long stdout;
    private long stderr;
    private String status = "";
    private String waiting = "";
    private String ports = "";
    private boolean finished;
    private Instant endedAt = Instant.MAX;

    TaskFeed(TaskId id, OutputStore outputs) {
        this.id = id;
        this.outputs = outputs;
    }

    /** Of an ended task, nothing more. */
    static TaskFeed told(Task task, OutputStore outputs) {
        TaskFeed feed = new TaskFeed(task.id(), outputs);
        feed.fromNow();
        feed.status = lower(task.status());
        feed.finish(task);
        return feed;
    }

    /** Goes on from a former place. */
    static TaskFeed resume(Task task, OutputStore outputs, String place) {
        String[] parts = place.split(":", -1);
        try {
            TaskFeed feed = new TaskFeed(task.id(), outputs);
            feed.stdout = Long.parseUnsignedLong(parts[0]);
            feed.stderr = Long.parseUnsignedLong(parts[1]);
            feed.status = parts[2];
            feed.waiting = parts[3];
            feed.ports = parts[4];
            if (isEnd(feed.status)) {
                feed.finish(task);
            }
            return feed;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException notOne) {
            throw Refusal.invalid(
                    "Last-Event-ID", "is not the id of an event: " + place, "Pass the id of an event of this feed.");
        }
    }

    private static boolean isEnd(String status) {
        for (TaskStatus known : TaskStatus.values()) {
            if (lower(known).equals(status)) {
                return known.ended();
            }
        }
        return false;
    }

    /** Skips what was printed so far. */
    void fromNow() {
        OutputStore.Facts facts = outputs.facts(id);
        stdout = facts.stdoutBytes();
        stderr = facts.stderrBytes();
    }

    TaskId id() {
        return id;
    }

    String place() {
        return stdout + ":" + stderr + ":" + status + ":" + waiting + ":" + ports;
    }

    /** Whether its end was told and lies before {@code time}. */
    boolean finishedBefore(Instant time) {
        return finished && endedAt.isBefore(time);
    }

    /** Whether nothing was told yet. */
    boolean isNew() {
        return status.isEmpty();
    }

    /** Whether the end was told. */
    boolean finished() {
        return finished;
    }

    /**
     * Tells what is new: a status that is not the last, then output, and an end only after all output.
     *
     * @param task as it stood before the output is read
     */
    void tell(Task task, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        if (finished) {
            return;
        }
        boolean ended = task.status().ended();
        if (!ended) {
            tellStatus(task, sink);
        }
        tellOutput(StreamName.STDOUT, ended, sink);
        tellOutput(StreamName.STDERR, ended, sink);
        if (ended) {
            finish(task);
            tellStatus(task, sink);
        }
    }

    private void finish(Task task) {
        finished = true;
        endedAt = Objects.requireNonNullElse(task.endedAt(), Instant.MIN);
    }

    private void tellStatus(Task task, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        if (status.equals(lower(task.status()))) {
            return;
        }
        status = lower(task.status());
        Ending ending = task.ending();
        Map<String, @Nullable Object> data = data();
        data.put("status", status);
        data.put("exit_status", ending == null ? null : ending.exitStatus());
        data.put("exit_signal", ending == null ? null : ending.exitSignal());
        data.put("ended_by", ending == null ? null : lower(ending.endedBy()));
        sink.accept("status", data);
    }

    /**
     * Tells what was printed, if it is little and in one piece.
     *
     * @return false when there is more to tell, by {@link #tell}
     */
    boolean tellPrinted(StreamName stream, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        if (finished || isNew()) {
            return finished;
        }
        long from = place(stream);
        TextSlice slice = outputs.readText(id, stream, from, LITTLE, false);
        if (!slice.omitted().isEmpty() || slice.next() - from >= LITTLE / 2) {
            return false;
        }
        tell(stream, slice, sink);
        return true;
    }

    private void tellOutput(StreamName stream, boolean ended, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        while (true) {
            TextSlice slice = outputs.readText(id, stream, place(stream), READ_BYTES, ended);
            boolean more = slice.next() != place(stream)
                    && (slice.next() - slice.start() >= READ_BYTES
                            || !slice.omitted().isEmpty());
            tell(stream, slice, sink);
            if (!more) {
                return;
            }
        }
    }

    private long place(StreamName stream) {
        return stream == StreamName.STDOUT ? stdout : stderr;
    }

    private void tell(StreamName stream, TextSlice slice, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        if (slice.next() == place(stream)) {
            return;
        }
        switch (stream) {
            case STDOUT -> stdout = slice.next();
            case STDERR -> stderr = slice.next();
        }
        Map<String, @Nullable Object> data = data();
        data.put("stream", lower(stream));
        data.put("from", slice.start());
        data.put("to", slice.next());
        data.put("text", slice.text());
        sink.accept("output", data);
    }

    /** Tells what its processes do, when that has changed. */
    void tellFacts(ProcessFacts facts, BiConsumer<String, Map<String, @Nullable Object>> sink) {
        String waitingNow = lower(facts.waiting());
        if (!waiting.equals(waitingNow)) {
            waiting = waitingNow;
            Map<String, @Nullable Object> data = data();
            data.put("waiting", waitingNow);
            sink.accept("waiting", data);
        }
        String portsNow =
                String.join("_", facts.ports().stream().map(Objects::toString).toList());
        if (!ports.equals(portsNow)) {
            ports = portsNow;
            Map<String, @Nullable Object> data = data();
            data.put("ports", List.copyOf(facts.ports()));
            sink.accept("ports", data);
        }
    }

    private Map<String, @Nullable Object> data() {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("task_id", id.value());
        return data;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
