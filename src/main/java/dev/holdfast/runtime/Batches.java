package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.runtime.BatchAnswer.Item;
import dev.holdfast.runtime.BatchAnswer.Status;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands one after the other, each to its end or to the close of its window, when it is stopped. */
@Singleton
public final class Batches {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final CommandResolver resolver;
    private final CommandEnvironment environment;
    private final Fingerprint fingerprint;
    private final Claims claims;
    private final Starter starter;
    private final Transitions transitions;
    private final OutputStore outputs;
    private final Answers answers;
    private final Causes causes;
    private final TaskIds ids;
    private final InstantSource clock;

    @Inject
    public Batches(
            CommandResolver resolver,
            CommandEnvironment environment,
            Fingerprint fingerprint,
            Claims claims,
            Starter starter,
            Transitions transitions,
            OutputStore outputs,
            Answers answers,
            Causes causes,
            TaskIds ids,
            InstantSource clock) {
        this.resolver = resolver;
        this.environment = environment;
        this.fingerprint = fingerprint;
        this.claims = claims;
        this.starter = starter;
        this.transitions = transitions;
        this.outputs = outputs;
        this.answers = answers;
        this.causes = causes;
        this.ids = ids;
        this.clock = clock;
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
        CommandSpec spec = resolver.resolve(request);
        TaskId id = ids.next();
        String key = fingerprint.of(spec, request.env());
        LiveCommand command =
                starter.prepare(new Launch(id, spec, environment.of(request), clock.instant(), key, null));
        claims.add(key, id);
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
