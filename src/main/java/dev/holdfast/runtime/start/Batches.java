package dev.holdfast.runtime.start;

import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.Endings;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.Replays;
import dev.holdfast.runtime.Starter;
import dev.holdfast.runtime.Transitions;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.BatchAnswer.Item;
import dev.holdfast.runtime.start.BatchAnswer.Status;
import dev.holdfast.runtime.start.Permits.Permit;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs commands one after the other, each to its end or to the close of its window, when it is stopped. */
@Singleton
public record Batches(
        Caller caller,
        Permits permits,
        Approvals approvals,
        Launches launches,
        Starter starter,
        Transitions transitions,
        Conditions conditions,
        Answers answers,
        Replays replays,
        Endings endings) {
    private static final Duration GRACE = Duration.ofSeconds(2);
    /**
     * How long the end of an item may take to be on record: of one that is verified gone, and of one of which something
     * lives.
     */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private static final Duration SURVIVOR_LIMIT = Duration.ofSeconds(1);
    /** How long after its window an item is stopped by whichever server has it, if this batch has not done it. */
    private static final Duration LATER = Duration.ofSeconds(5);

    private static final Logger LOG = Logger.getLogger(Batches.class);

    /**
     * Blocks until every item ended or was skipped; an item that fails is an answer, not an error. Where its caller's
     * patience ends before, the item that runs then becomes a task, and the rest is skipped; so it is where its token
     * was removed or changed meanwhile, also when nothing else cuts it short.
     */
    public BatchAnswer run(BatchRequest request) {
        List<Item> items = new ArrayList<>();
        boolean failed = false;
        for (StartRequest next : request.items()) {
            boolean skip =
                    (failed && request.stopOnError()) || Patience.isOver() || !permits.isAsBefore(caller.actor());
            Item item = skip ? skipped(items.size(), next) : run(items.size(), next);
            failed |= item.status() == Status.FAILED;
            items.add(item);
        }
        return new BatchAnswer(items, request.stopOnError());
    }

    private Item skipped(int index, StartRequest request) {
        String cmd = request.diagnostics().cmdPreview();
        return new Item(index, cmd, Status.SKIPPED, null, null, null, Duration.ZERO);
    }

    private Item run(int index, StartRequest request) {
        CommandDiagnostics diagnostics = request.diagnostics();
        long started = System.nanoTime();
        Completed result = null;
        ErrorKind kind = null;
        String message;
        try {
            Permit.Granted permit = permitted(request);
            LiveCommand command = start(permit, request);
            String closed = new Window(command, request.yieldWhen(), conditions).await(request.yieldTime());
            String reason = closed == null ? null : stopped(closed, request);
            boolean goesOn = reason != null && Patience.isOver();
            Task ended = reason == null ? command.ended().join() : goesOn ? promoted(command) : stop(command);
            if (ended.status().ended()) {
                result = answers.completed(command, ended, diagnostics);
                message = reason == null || goesOn ? failure(result) : reason;
            } else if (goesOn) {
                message = "did not end before its batch had to answer; it runs on as " + ended.id()
                        + ", until its yield time";
            } else {
                message = reason + ", but lives: it is now " + ended.id() + ", being stopped";
            }
            if (permit.approval() != null) {
                approvals.begun(permit.approval().id(), ended.promotedAt() == null ? null : ended.id());
            }
        } catch (Refusal refusal) {
            kind = refusal.kind();
            message = refusal.getMessage();
        }
        Duration duration = Duration.ofNanos(System.nanoTime() - started);
        Status status = message == null ? Status.COMPLETED : Status.FAILED;
        return new Item(index, diagnostics.cmdPreview(), status, result, kind, message, duration);
    }

    private LiveCommand start(Permit.Granted permit, StartRequest request) {
        Approval approval = permit.approval();
        Launch.Idempotency key = approval == null ? null : approval.key();
        Launch launch = launches.of(permit.id(), permit.command(), request, key, caller.actor())
                .within(request.yieldTime().plus(LATER));
        LiveCommand command = starter.prepare(launch);
        if (key != null) {
            replays.keep(key, launch.id());
        }
        try {
            starter.start(command);
            return command;
        } catch (Refusal refusal) {
            if (approval != null) {
                approvals.refused(approval.id(), refusal);
            }
            throw refusal;
        }
    }

    /** @throws Refusal also when nobody answers in the item's window: a batch goes on, and leaves no question behind */
    private Permit.Granted permitted(StartRequest request) {
        return switch (permits.of(
                request,
                caller.actor(),
                null,
                request.yieldTime(),
                "Its batch does not wait any longer.",
                _ -> Optional.empty())) {
            case Permit.Granted granted -> granted;
            case Permit.Running(Task same) -> throw new IllegalStateException(same.id() + " is no item of this batch");
            case Permit.Open(Approval approval) ->
                throw Guard.refusal(approval); // another item of another batch still waits for the same
        };
    }

    private static String stopped(String closed, StartRequest request) {
        return closed.equals(Answers.WINDOW_CLOSED)
                ? "did not end within " + request.yieldTime().toMillis() + " ms and was stopped"
                : "was stopped when its `yield_when." + closed + "` held: a batch leaves nothing running."
                        + " Start what is to go on by itself";
    }

    /**
     * The ended task; or, of what cannot be ended (in a system call that does not return, for one), a task that lives.
     */
    private Task stop(LiveCommand command) {
        Duration limit = SURVIVOR_LIMIT;
        try {
            limit = endings.stop(command, GRACE).isEmpty() ? END_LIMIT : SURVIVOR_LIMIT;
        } catch (RuntimeException failure) {
            LOG.errorf(failure, "%s, an item of a batch, could not be stopped", command.id());
        }
        return command.awaitEnd(limit).orElseGet(() -> promoted(command));
    }

    private Task promoted(LiveCommand command) {
        return transitions.apply(command, new TaskEvent.Promoted());
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
