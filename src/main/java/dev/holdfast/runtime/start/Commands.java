package dev.holdfast.runtime.start;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.Replays;
import dev.holdfast.runtime.Starter;
import dev.holdfast.runtime.Transitions;
import dev.holdfast.runtime.call.Acting;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Permits.Permit;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Starts commands for callers and waits with them. Thread-safe; blocks, so call it on a virtual thread. */
@Singleton
public record Commands(
        Caller caller,
        Permits permits,
        Approvals approvals,
        Launches launches,
        Claims claims,
        Starter starter,
        LiveCommands live,
        Transitions transitions,
        Conditions conditions,
        Observations observations,
        Answers answers,
        Replays replays) {
    /**
     * Blocks until the command ended, its window closed or a condition held.
     *
     * @param idempotency the key its caller gave, with a digest of the request; null without one
     * @throws Refusal nothing was started
     */
    public CommandAnswer start(StartRequest request, Launch.@Nullable Idempotency idempotency) {
        Actor actor = caller.actor();
        if (idempotency == null) {
            return startNow(request, actor, null).answer();
        }
        Launch.Idempotency own = idempotency.of(actor);
        return replays.once(own, request.diagnostics(), () -> {
            approvals.refuseOtherBody(own); // also of what nobody is asked about: what is allowed then could not start
            return startNow(request, actor, own);
        });
    }

    /**
     * The same, for a caller who could not be told of a question that stays open: one that nobody answers is withdrawn,
     * and nothing starts.
     *
     * @param person how long a person has for the answer; only then the window begins
     * @param most time for both together
     * @param over why nobody waits for the answer any more, for a model
     */
    public CommandAnswer startIfAnswered(StartRequest request, Duration person, Duration most, String over) {
        long began = System.nanoTime();
        String withdrawn = "It is not started any more: " + over + ".";
        return switch (permits.of(request, caller.actor(), null, person, withdrawn, key -> running(request, key))) {
            case Permit.Running(Task task) -> new CommandAnswer.AlreadyRunning(task, request.diagnostics());
            case Permit.Open(Approval approval) -> throw Guard.refusal(approval);
            case Permit.Granted granted -> {
                StartRequest rest = until(request, most.minusNanos(System.nanoTime() - began));
                yield start(granted, rest, null).answer();
            }
        };
    }

    /** The same with a window that is no longer than that. */
    private static StartRequest until(StartRequest request, Duration left) {
        Duration most = left.isNegative() ? Duration.ZERO : left;
        return request.yieldTime().compareTo(most) > 0 ? request.within(most) : request;
    }

    private Replays.Started startNow(StartRequest request, Actor actor, Launch.@Nullable Idempotency idempotency) {
        long began = System.nanoTime();
        return switch (permits.of(
                request, actor, idempotency, request.yieldTime(), null, key -> running(request, key))) {
            case Permit.Running(Task task) -> alreadyRunning(task, request, idempotency);
            case Permit.Open(Approval approval) -> new Replays.Started(null, approval.answer(request.diagnostics()));
            case Permit.Granted granted -> {
                boolean asked = granted.approval() != null;
                Duration left = request.yieldTime().minusNanos(System.nanoTime() - began);
                yield start(granted, asked ? until(request, left) : request, idempotency);
            }
        };
    }

    private Replays.Started start(
            Permit.Granted granted, StartRequest request, Launch.@Nullable Idempotency idempotency) {
        return granted.approval() == null
                ? startNow(granted.id(), granted.command(), request, idempotency)
                : startAllowed(granted.id(), granted.command(), request, granted.approval());
    }

    /**
     * Starts, as a task, what a person allowed and nobody waits for; unless a former server did, and died before that
     * was put down.
     *
     * @throws Refusal why it could not be started
     */
    void startAllowed(Approval approval) {
        Optional<TaskId> ran =
                Optional.ofNullable(approval.beginsAs()).filter(replays::ran).or(() -> ranByKey(approval));
        if (ran.isPresent()) {
            // One that ended in its caller's window was no task.
            approvals.begun(approval.id(), answers.keeps(ran.get()) ? null : ran.get());
            return;
        }
        StartRequest request = approval.request().within(Duration.ZERO);
        CommandAnswer answer = replays.once(approval.key(), request.diagnostics(), () -> {
            TaskId id = approvals.taskOf(approval);
            return startAllowed(id, permits.again(id, request, approval), request, approval);
        });
        approvals.begun(approval.id(), answer.goesOnAs());
    }

    private Optional<TaskId> ranByKey(Approval approval) {
        try {
            return replays.ran(approval.key());
        } catch (Refusal refusal) {
            if (refusal.kind() == ErrorKind.IDEMPOTENCY_KEY_REUSED) { // else the next server tries again
                approvals.refused(approval.id(), refusal);
            }
            throw refusal;
        }
    }

    /** Once for an approval, whoever does it: the key is on disk before the command is there. */
    private Replays.Started startAllowed(TaskId id, CommandSpec command, StartRequest request, Approval approval) {
        try {
            Replays.Started started = Acting.as(approval.actor(), () -> startNow(id, command, request, approval.key()));
            approvals.begun(approval.id(), started.answer().goesOnAs());
            return started;
        } catch (Refusal refusal) {
            approvals.refused(approval.id(), refusal);
            throw refusal;
        }
    }

    private Replays.Started startNow(
            TaskId first, CommandSpec spec, StartRequest request, Launch.@Nullable Idempotency idempotency) {
        for (TaskId id = first; ; id = launches.nextId()) {
            Launch launch = launches.of(id, spec, request, idempotency, caller.actor());
            String key = launch.duplicateKey();
            LiveCommand command = starter.prepare(launch);
            if (request.duplicatePolicy() == DuplicatePolicy.START_NEW) {
                claims.add(key, launch.id());
            } else {
                Optional<TaskId> holder = claims.claim(key, launch.id());
                if (holder.isPresent()) {
                    live.remove(command.id());
                    Optional<Task> running = runningTask(holder.get());
                    if (running.isPresent()) {
                        return alreadyRunning(running.get(), request, idempotency);
                    }
                    continue;
                }
                if (idempotency != null && hasAnotherRun(idempotency, command)) {
                    starter.giveUp(command, new CancellationException(), false);
                    return replays.answeredBefore(idempotency, request.diagnostics())
                            .orElseThrow();
                }
            }
            keep(idempotency, launch.id());
            start(command, request);
            return new Replays.Started(launch.id(), await(command, request));
        }
    }

    private Replays.Started alreadyRunning(Task task, StartRequest request, Launch.@Nullable Idempotency idempotency) {
        keep(idempotency, task.id());
        return new Replays.Started(task.id(), new CommandAnswer.AlreadyRunning(task, request.diagnostics()));
    }

    /** Whether somebody else who waited for the same answer has run it, to its end. */
    private boolean hasAnotherRun(Launch.Idempotency idempotency, LiveCommand own) {
        try {
            return replays.ran(idempotency).filter(id -> !id.equals(own.id())).isPresent();
        } catch (RuntimeException unknown) {
            starter.giveUp(own, unknown, false);
            throw unknown;
        }
    }

    private void keep(Launch.@Nullable Idempotency idempotency, TaskId id) {
        if (idempotency != null) {
            replays.keep(idempotency, id);
        }
    }

    /** Without a window it is a task before its end can be heard of, however soon that comes. */
    private void start(LiveCommand command, StartRequest request) {
        if (!request.yieldTime().isZero()) {
            starter.start(command);
            return;
        }
        synchronized (command) {
            starter.start(command);
            transitions.apply(command, new TaskEvent.Promoted());
        }
    }

    /** The task that a request finds running already, and takes. */
    private Optional<Task> running(StartRequest request, String key) {
        return request.duplicatePolicy() == DuplicatePolicy.START_NEW
                ? Optional.empty()
                : claims.holder(key).flatMap(this::runningTask);
    }

    /**
     * The task of a command that holds a claim; it becomes one now if it is still in its caller's window, since its id
     * is about to be given away. Empty when it has ended meanwhile, or could not be started: then its claim is free
     * again.
     */
    private Optional<Task> runningTask(TaskId holder) {
        Optional<LiveCommand> command = live.find(holder);
        if (command.isEmpty()
                || command.get().hosted().handle((_, failure) -> failure).join() != null) {
            return Optional.empty();
        }
        Task task = transitions.apply(command.get(), new TaskEvent.Promoted());
        return task.status().ended() ? Optional.empty() : Optional.of(task);
    }

    private CommandAnswer await(LiveCommand command, StartRequest request) {
        String because = request.yieldTime().isZero()
                ? Answers.WINDOW_CLOSED
                : new Window(command, request.yieldWhen(), conditions).await(request.yieldTime());
        if (because != null) {
            Task task = transitions.apply(command, new TaskEvent.Promoted());
            // One that ended meanwhile is a task for the sake of what it left running: it ended in its window all the
            // same.
            boolean endedBefore = task.status().ended() && !command.left().isEmpty();
            if (task.promotedAt() != null && !endedBefore) {
                command.promotedBecause(because);
                observations.outdated(command.id());
                return answers.promoted(task, because, request.diagnostics());
            }
        }
        return answers.completed(command, command.ended().join(), request.diagnostics());
    }
}
