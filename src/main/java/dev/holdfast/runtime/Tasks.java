package dev.holdfast.runtime;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What callers do with tasks, which is all that is done with them for anybody who calls: here alone it is told whose a
 * task is. What its caller may not see is not there. Thread-safe; may block. Each method refuses
 * {@code task_not_found}.
 */
@Singleton
public final class Tasks {
    private static final Duration INPUT_LIMIT = Duration.ofSeconds(5);
    /** How long the end of what is verified gone may take to be on record. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final Caller caller;
    private final Observations observations;
    private final LiveCommands live;
    private final TaskStore store;
    private final OutputStore outputs;
    private final Transitions transitions;
    private final Leftovers leftovers;
    private final Endings endings;
    private final UnknownTasks unknown;
    private final LiveGuard guard;
    private final Audit audit;
    private final InstantSource clock;

    @Inject
    public Tasks(
            Caller caller,
            Observations observations,
            LiveCommands live,
            TaskStore store,
            OutputStore outputs,
            Transitions transitions,
            Leftovers leftovers,
            Endings endings,
            UnknownTasks unknown,
            LiveGuard guard,
            Audit audit,
            InstantSource clock) {
        this.caller = caller;
        this.observations = observations;
        this.live = live;
        this.store = store;
        this.outputs = outputs;
        this.transitions = transitions;
        this.leftovers = leftovers;
        this.endings = endings;
        this.unknown = unknown;
        this.guard = guard;
        this.audit = audit;
        this.clock = clock;
    }

    /** @param next the cursor to go on from, null at the end */
    public record Listing(
            List<TaskView> tasks,
            long totalActive,
            @Nullable TaskId next) {
        public Listing {
            tasks = List.copyOf(tasks);
        }
    }

    /**
     * @param stopRequested false when it had ended before
     * @param survivors pids that still live although they were sent KILL
     * @param leftovers pids of what an ended task had left running and is ended now, but for survivors
     */
    public record StopOutcome(
            TaskView task,
            boolean stopRequested,
            boolean forceStopRequested,
            List<Long> survivors,
            List<Long> leftovers) {
        public StopOutcome {
            leftovers = List.copyOf(leftovers);
            survivors = List.copyOf(survivors);
        }
    }

    /** @param inputTarget {@code stdin} or {@code tty} */
    public record InputOutcome(String inputTarget, int bytesWritten) {}

    public TaskView get(TaskId id) {
        return view(find(id), false);
    }

    /** @param fresh whether its processes are looked at now, rather than shown as last seen */
    public TaskView get(TaskId id, boolean fresh) {
        return view(find(id), fresh);
    }

    /** The task as it stands, without its processes. */
    public Task find(TaskId id) {
        Actor actor = caller.actor();
        return live.find(id)
                .map(LiveCommand::task)
                .or(() -> store.find(id))
                .filter(task -> actor.sees(task.command().owner()))
                .orElseThrow(() -> unknown.refusal(id));
    }

    /** Waits for its end; false when {@code limit} passes first, or an interrupt comes. */
    public boolean awaitEnd(TaskId id, Duration limit) {
        if (find(id).status().ended()) {
            return true;
        }
        LiveCommand command = live.find(id).orElse(null);
        if (command == null) {
            return find(id).status().ended();
        }
        try {
            return Patience.await(command.ended(), limit);
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private TaskView view(Task task, boolean fresh) {
        return views(List.of(task), fresh).getFirst();
    }

    /** What these tasks do and have printed, their processes as last seen. */
    public List<TaskView> views(List<Task> tasks) {
        return views(tasks, false);
    }

    private List<TaskView> views(List<Task> tasks, boolean fresh) {
        List<LiveCommand> running =
                tasks.stream().flatMap(task -> running(task).stream()).toList();
        Map<TaskId, Observations.Seen> seen = fresh ? observations.now(running) : observations.of(running);
        return tasks.stream()
                .map(task -> new TaskView(task, outputs.facts(task.id()), seen.get(task.id())))
                .toList();
    }

    private Optional<LiveCommand> running(Task task) {
        return task.status().ended() ? Optional.empty() : live.find(task.id());
    }

    /** What of the rows the caller sees, as they are on disk. */
    public TaskStore.Page page(TaskStore.Query query) {
        return store.list(query.of(caller.actor().owner()));
    }

    /** @param fresh as for one */
    public Listing list(TaskStore.Query query, boolean fresh) {
        TaskStore.Page page = page(query);
        List<Task> tasks = page.tasks().stream()
                .map(row -> live.find(row.id()).map(LiveCommand::task).orElse(row))
                .toList();
        return new Listing(views(tasks, fresh), store.countActive(caller.actor().owner()), page.next());
    }

    /**
     * Blocks until everything the task started is verified gone, or survived, or its caller waits no longer: then it
     * goes on, and the task has not ended. {@code force}: no grace at all. Of an ended task what it left running is
     * ended, and the task stays as it is.
     */
    public StopOutcome stop(TaskId id, Duration grace, boolean force) {
        Task task = find(id);
        LiveCommand command = live.find(id).orElse(null);
        if (command == null || command.task().status().ended()) {
            return endLeftovers(task.status().ended() ? task : find(id), force ? Duration.ZERO : grace);
        }
        guard.stop(task.command(), caller.actor());
        CompletableFuture<List<Long>> stop = endings.beginStop(command, force ? Duration.ZERO : grace);
        boolean through = isWaitedFor(stop);
        List<Long> survivors = through ? stop.join() : List.of();
        if (through && survivors.isEmpty()) {
            var _ = command.awaitEnd(END_LIMIT);
        }
        return new StopOutcome(view(command.task(), false), true, force, survivors, List.of());
    }

    private static boolean isWaitedFor(CompletableFuture<?> stop) {
        try {
            return Patience.await(stop, Duration.ofNanos(Long.MAX_VALUE));
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private StopOutcome endLeftovers(Task task, Duration grace) {
        audit.stop(task.id(), grace);
        Instant ended = Objects.requireNonNullElse(task.endedAt(), task.updatedAt());
        CommandHost.Swept swept = leftovers.end(task.id(), ended, grace);
        List<Long> gone = swept.found().stream()
                .filter(pid -> !swept.survivors().contains(pid))
                .toList();
        return new StopOutcome(view(task, false), false, false, swept.survivors(), gone);
    }

    public TaskView signal(TaskId id, Signal signal) {
        LiveCommand command = running(id);
        guard.stop(command.launch().command(), caller.actor());
        HostedCommand hosted = command.hosted().join();
        audit.signal(id, signal);
        hosted.signal(signal);
        return get(id);
    }

    /** Blocks at most 5 seconds. */
    public InputOutcome input(TaskId id, byte[] bytes, boolean eof) {
        LiveCommand command = running(id);
        CommandSpec spec = command.launch().command();
        if (!spec.acceptsInput()) {
            throw new Refusal(
                    ErrorKind.INPUT_NOT_ACCEPTED,
                    id + " takes no input: its stdin is at end of file.",
                    "Start it again with accepts_input or tty set to true.");
        }
        HostedCommand hosted = command.hosted().join();
        if (bytes.length > 0 && hosted.inputEnded()) {
            throw new Refusal(
                    ErrorKind.INPUT_NOT_ACCEPTED,
                    id + " takes no more input: its end was sent before.",
                    "Start another instance to send it more.");
        }
        guard.input(command, caller.actor(), bytes, eof);
        audit.input(id, bytes);
        int taken = hosted.write(bytes, eof, INPUT_LIMIT);
        if (taken < bytes.length) {
            throw new Refusal(
                    ErrorKind.INPUT_NOT_CONSUMED,
                    id + " took " + taken + " of " + bytes.length + " bytes; it is not reading its input.",
                    "Send the rest from byte " + taken + " on once it reads again (`waiting` is then `input`).",
                    Map.of("bytes_written", taken, "bytes_offered", bytes.length));
        }
        return new InputOutcome(spec.tty() ? "tty" : "stdin", taken);
    }

    public TaskView resize(TaskId id, TerminalSize size) {
        CommandSpec spec = find(id).command();
        if (!spec.tty()) {
            throw noTerminal(id);
        }
        LiveCommand command = running(id);
        command.hosted().join().resize(size);
        transitions.rewrite(command, command.task().withCommand(spec.withTerminal(size), clock.instant()));
        return get(id);
    }

    static Refusal noTerminal(TaskId id) {
        return new Refusal(
                ErrorKind.NOT_A_TERMINAL, id + " does not run in a terminal.", "Start it again with tty set to true.");
    }

    /** Forgets an ended task and its output. */
    public void delete(TaskId id) {
        if (!find(id).status().ended()) {
            throw new Refusal(
                    ErrorKind.TASK_RUNNING,
                    id + " has not ended, so it cannot be deleted.",
                    "Stop it first with POST /v1/tasks/" + id + "/stop.");
        }
        forget(id);
    }

    /** The same of one that is known to have ended, by the server itself. */
    void forget(TaskId id) {
        live.find(id).ifPresent(transitions::forget);
        // Its output first: on a full disk the database cannot write before that is gone.
        leftovers.forgetWhenQuiet(id).join();
        store.forget(id, clock.instant());
    }

    LiveCommand running(TaskId id) {
        Task task = find(id);
        return live.find(id)
                .filter(command -> !command.task().status().ended())
                .orElseThrow(() -> new Refusal(
                        ErrorKind.TASK_NOT_RUNNING,
                        id + " has ended (" + task.status().name().toLowerCase(java.util.Locale.ROOT) + ").",
                        "Start the command again with POST /v1/commands; its output stays readable.",
                        Map.of("task_id", id.value())));
    }
}
