package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.runtime.BatchAnswer.Item;
import dev.holdfast.runtime.BatchAnswer.Status;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands one after the other, each to its end or to the close of its window, when it is stopped. */
@Singleton
public final class Batches {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final Launches launches;
    private final Claims claims;
    private final Starter starter;
    private final Transitions transitions;
    private final OutputStore outputs;
    private final Answers answers;
    private final Causes causes;

    @Inject
    public Batches(
            Launches launches,
            Claims claims,
            Starter starter,
            Transitions transitions,
            OutputStore outputs,
            Answers answers,
            Causes causes) {
        this.launches = launches;
        this.claims = claims;
        this.starter = starter;
        this.transitions = transitions;
        this.outputs = outputs;
        this.answers = answers;
        this.causes = causes;
    }

    /** Blocks until every item ended or was skipped; an item that fails is an answer, not an error. */
    public BatchAnswer run(BatchRequest request) {
        List<Item> items = new ArrayList<>();
        boolean failed = false;
        for (StartRequest next : request.items()) {
            Item item = failed && request.stopOnError() ? skipped(items.size(), next) : run(items.size(), next);
            failed |= item.status() == Status.FAILED;
            items.add(item);
        }
        return new BatchAnswer(items, request.stopOnError());
    }

    private Item skipped(int index, StartRequest request) {
        String cmd = answers.diagnose(request).cmdPreview();
        return new Item(index, cmd, Status.SKIPPED, null, null, null, Duration.ZERO);
    }

    private Item run(int index, StartRequest request) {
        CommandDiagnostics diagnostics = answers.diagnose(request);
        long started = System.nanoTime();
        Completed result = null;
        ErrorKind kind = null;
        String message;
        try {
            LiveCommand command = start(request);
            String closed = closed(command, request);
            if (closed != null) {
                stop(command);
            }
            result = answers.completed(command.launch(), command.ended().join(), diagnostics);
            message = closed == null ? failure(result) : stopped(closed, request);
        } catch (Refusal refusal) {
            kind = refusal.kind();
            message = refusal.getMessage();
        }
        Duration duration = Duration.ofNanos(System.nanoTime() - started);
        Status status = message == null ? Status.COMPLETED : Status.FAILED;
        return new Item(index, diagnostics.cmdPreview(), status, result, kind, message, duration);
    }

    private LiveCommand start(StartRequest request) {
        Launch launch = launches.of(request, null);
        LiveCommand command = starter.prepare(launch);
        claims.add(launch.duplicateKey(), launch.id());
        starter.start(command);
        return command;
    }

    /** What closed its window, or null when it ended before. */
    private @Nullable String closed(LiveCommand command, StartRequest request) {
        try {
            return new Window(command, outputs, request.yieldWhen()).await(request.yieldTime());
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
            return Window.CLOSED;
        }
    }

    private static String stopped(String closed, StartRequest request) {
        return closed.equals(Window.CLOSED)
                ? "did not end within " + request.yieldTime().toMillis() + " ms and was stopped"
                : "was stopped when its `yield_when." + closed + "` held: a batch leaves nothing running."
                        + " Start what is to go on by itself";
    }

    private void stop(LiveCommand command) {
        causes.write(command.id(), EndedBy.STOP);
        transitions.apply(command, new TaskEvent.StopRequested());
        command.hosted().join().stop(GRACE);
    }

    /** Why an item whose window did not close has failed, or null. */
    private static @Nullable String failure(Completed result) {
        Integer status = result.ending().exitStatus();
        return switch (result.ending().endedBy()) {
            case EXIT -> status != null && status == 0 ? null : "exited with code " + status;
            case SIGNAL -> "ended on signal " + result.ending().exitSignal();
            case TIMEOUT -> "was stopped at its timeout";
            case IDLE_TIMEOUT -> "was stopped for its silence, at its idle timeout";
            case OUTPUT_LIMIT -> "was stopped at the limit of its output";
            case STOP -> "was stopped";
            case REBOOT, UNKNOWN -> "ended, and nobody saw how";
        };
    }
}
