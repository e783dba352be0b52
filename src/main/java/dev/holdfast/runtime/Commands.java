package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.runtime.StartRequest.DuplicatePolicy;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Preview;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts commands for callers and waits with them. Thread-safe; blocks, so call it on a virtual thread. */
@Singleton
public final class Commands {
    private final Launches launches;
    private final Claims claims;
    private final Starter starter;
    private final LiveCommands live;
    private final Transitions transitions;
    private final OutputStore outputs;
    private final Answers answers;
    private final Replays replays;

    @Inject
    public Commands(
            Launches launches,
            Claims claims,
            Starter starter,
            LiveCommands live,
            Transitions transitions,
            OutputStore outputs,
            Answers answers,
            Replays replays) {
        this.launches = launches;
        this.claims = claims;
        this.starter = starter;
        this.live = live;
        this.transitions = transitions;
        this.outputs = outputs;
        this.answers = answers;
        this.replays = replays;
    }

    /**
     * Blocks until the command ended, its window closed or a condition held.
     *
     * @param idempotency the key its caller gave, with a digest of the request; null without one
     * @throws Refusal nothing was started
     */
    public CommandAnswer start(StartRequest request, Launch.@Nullable Idempotency idempotency) {
        CommandDiagnostics diagnostics = answers.diagnose(request);
        if (idempotency == null) {
            return startNow(request, null, diagnostics).answer();
        }
        return replays.once(idempotency, diagnostics, () -> startNow(request, idempotency, diagnostics));
    }

    private Replays.Started startNow(
            StartRequest request, Launch.@Nullable Idempotency idempotency, CommandDiagnostics diagnostics) {
        while (true) {
            Launch launch = launches.of(request, idempotency);
            String key = launch.duplicateKey();
            LiveCommand command = starter.prepare(launch);
            if (request.duplicatePolicy() == DuplicatePolicy.START_NEW) {
                claims.add(key, launch.id());
            } else {
                Optional<TaskId> holder = claims.claim(key, launch.id());
                if (holder.isPresent()) {
                    starter.discard(command);
                    Optional<Task> running = runningTask(holder.get());
                    if (running.isPresent()) {
                        return new Replays.Started(
                                holder.get(), new CommandAnswer.AlreadyRunning(running.get(), diagnostics));
                    }
                    continue;
                }
            }
            start(command, request);
            return new Replays.Started(launch.id(), await(command, request, diagnostics));
        }
    }

    /** Without a window it is a task before its end can be heard of, however soon that comes. */
    private void start(LiveCommand command, StartRequest request) {
        if (!request.yieldTime().isZero()) {
            starter.start(command);
            return;
        }
        command.lock.lock();
        try {
            starter.start(command);
            transitions.apply(command, new TaskEvent.Promoted());
        } finally {
            command.lock.unlock();
        }
    }

    /**
     * The task of a command that holds a claim; it becomes one now if it is still in its caller's window, since its id is
     * about to be given away. Empty when it has ended meanwhile, or could not be started: then its claim is free again.
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

    private CommandAnswer await(LiveCommand command, StartRequest request, CommandDiagnostics diagnostics) {
        String because = request.yieldTime().isZero() ? Window.CLOSED : closed(command, request);
        if (because != null) {
            Task task = transitions.apply(command, new TaskEvent.Promoted());
            if (task.promotedAt() != null) {
                Preview initial = outputs.preview(command.id(), diagnostics.outputCharBudget(), false);
                return new CommandAnswer.PromotedToTask(task, initial, because, diagnostics);
            }
        }
        return answers.completed(command.launch(), command.ended().join(), diagnostics);
    }

    private @Nullable String closed(LiveCommand command, StartRequest request) {
        try {
            return new Window(command, outputs, request.yieldWhen()).await(request.yieldTime());
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
            return Window.CLOSED;
        }
    }
}
