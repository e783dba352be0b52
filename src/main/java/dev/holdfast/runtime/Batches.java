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
            boolean closed = closed(command, request);
            if (closed) {
                stop(command);
            }
            result = answers.completed(command.launch(), command.ended().join(), diagnostics);
            message = closed
                    ? "did not end within " + request.yieldTime().toMillis() + " ms and was stopped"
                    : failure(result);
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

    private boolean closed(LiveCommand command, StartRequest request) {
        try {
            return new Window(command, outputs, request.yieldWhen()).await(request.yieldTime()) != null;
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void stop(LiveCommand command) {
        causes.write(command.id(), EndedBy.STOP);
        transitions.apply(command, new TaskEvent.StopRequested());
        command.hosted().join().stop(GRACE);
    }

    /** Why an item that ended by itself has failed, or null. */
    private static @Nullable String failure(Completed result) {
        Integer status = result.ending().exitStatus();
        String signal = result.ending().exitSignal();
        if (result.ending().endedBy() != EndedBy.EXIT) {
            return signal == null ? "ended by " + result.ending().endedBy() : "ended on signal " + signal;
        }
        return status != null && status == 0 ? null : "exited with code " + status;
    }
}
