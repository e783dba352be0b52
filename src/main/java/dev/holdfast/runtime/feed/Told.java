package dev.holdfast.runtime.feed;

import dev.holdfast.runtime.Observations.Seen;
import dev.holdfast.runtime.Prompts.Prompt;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.port.HostedCommand.ProcessFacts;
import dev.holdfast.task.Ending;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was told of one task so far. Its place is a short text, {@code stdout:stderr:status:waiting:ports}, from which
 * it goes on later without loss or repeats, also on another server. Used by one thread at a time.
 */
final class Told {
    private static final Pattern PLACE = Pattern.compile("(\\d{1,18}):(\\d{1,18}):("
            + Stream.of(TaskStatus.values()).map(Told::lower).collect(Collectors.joining("|"))
            + "|):([a-z]*(?:@\\d{1,19})?):([0-9_]*)");

    private final TaskId id;
    private final Sink sink;
    private OutputCursor output = OutputCursor.START;
    private @Nullable TaskStatus status;
    /** With {@code @} and where the line begins, where it asks something. */
    private String waiting = "";

    private String ports = "";

    /** Takes each event, after the place has moved behind it. */
    @FunctionalInterface
    interface Sink {
        void accept(String type, Map<String, @Nullable Object> data);
    }

    Told(TaskId id, Sink sink) {
        this.id = id;
        this.sink = sink;
    }

    /**
     * Goes on from a former place.
     *
     * @throws Refusal it is none
     */
    void resume(String place) {
        Matcher parts = PLACE.matcher(place);
        if (!parts.matches()) {
            throw noEvent(place);
        }
        String last = parts.group(3).toUpperCase(Locale.ROOT);
        output = new OutputCursor(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
        status = last.isEmpty() ? null : TaskStatus.valueOf(last);
        waiting = parts.group(4);
        ports = parts.group(5);
    }

    static Refusal noEvent(String place) {
        return Refusal.invalid(
                "Last-Event-ID", "is not the id of an event: " + place, "Pass the id of an event of this feed.");
    }

    /** What it has come to so far counts as told. */
    void skip(TaskStatus now, OutputCursor printed) {
        status = now;
        output = printed;
    }

    TaskId id() {
        return id;
    }

    String place() {
        return output.stdout() + ":" + output.stderr() + ":" + lower(status) + ":" + waiting + ":" + ports;
    }

    /** How much of a stream was told, in bytes. */
    long of(StreamName stream) {
        return output.of(stream);
    }

    /** Whether the end was told. */
    boolean finished() {
        return status != null && status.ended();
    }

    /** Tells a status that comes after the last. */
    void tellStatus(Task task) {
        TaskStatus now = task.status();
        if (finished() || (status != null && now.compareTo(status) <= 0)) {
            return;
        }
        status = now;
        Ending ending = task.ending();
        tell("status", data -> {
            data.put("status", lower(now));
            data.put("exit_status", ending == null ? null : ending.exitStatus());
            data.put("exit_signal", ending == null ? null : ending.exitSignal());
            data.put("ended_by", ending == null ? null : lower(ending.endedBy()));
        });
    }

    /** @param text of these bytes; null where it is not told */
    void tellOutput(StreamName stream, long from, long to, @Nullable String text) {
        if (to == of(stream)) {
            return;
        }
        output = output.with(stream, to);
        tell("output", data -> {
            data.put("stream", lower(stream));
            data.put("from", from);
            data.put("to", to);
            if (text != null) {
                data.put("text", text);
            }
        });
    }

    /** Tells what its processes do, where that has changed, or it asks another question. */
    void tellFacts(Seen seen) {
        ProcessFacts facts = seen.facts();
        Prompt prompt = seen.prompt();
        String waitingNow = lower(facts.waiting()) + (prompt == null ? "" : "@" + prompt.line());
        if (!waiting.equals(waitingNow)) {
            waiting = waitingNow;
            tell("waiting", data -> {
                data.put("waiting", lower(facts.waiting()));
                if (prompt != null) {
                    data.put("prompt", prompt.text());
                }
            });
        }
        String portsNow = facts.ports().stream().map(String::valueOf).collect(Collectors.joining("_"));
        if (!ports.equals(portsNow)) {
            ports = portsNow;
            tell("ports", data -> data.put("ports", List.copyOf(facts.ports())));
        }
    }

    private void tell(String type, Consumer<Map<String, @Nullable Object>> fill) {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("task_id", id.value());
        fill.accept(data);
        sink.accept(type, data);
    }

    private static String lower(@Nullable Enum<?> constant) {
        return constant == null ? "" : constant.name().toLowerCase(Locale.ROOT);
    }
}
