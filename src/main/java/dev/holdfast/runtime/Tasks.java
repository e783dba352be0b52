package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What callers do with tasks. Thread-safe; may block. Each method refuses {@code task_not_found}. */
@Singleton
public final class Tasks {
    private static final Duration INPUT_LIMIT = Duration.ofSeconds(5);

    private final CommandHost host;
    private final LiveCommands live;
    private final TaskStore store;
    private final OutputStore outputs;
    private final Transitions transitions;
    private final Claims claims;
    private final Replays replays;
    private final Leftovers leftovers;
    private final Causes causes;
    private final InstantSource clock;

    @Inject
    public Tasks(
            CommandHost host,
            LiveCommands live,
            TaskStore store,
            OutputStore outputs,
            Transitions transitions,
            Claims claims,
            Replays replays,
            Leftovers leftovers,
            Causes causes,
            InstantSource clock) {
        this.host = host;
        this.live = live;
        this.store = store;
        this.outputs = outputs;
        this.transitions = transitions;
        this.claims = claims;
        this.replays = replays;
        this.leftovers = leftovers;
        this.causes = causes;
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
     */
    public record StopOutcome(TaskView task, boolean stopRequested, boolean forceStopRequested, List<Long> survivors) {
        public StopOutcome {
            survivors = List.copyOf(survivors);
        }
    }

    /** @param inputTarget {@code stdin} or {@code tty} */
    public record InputOutcome(String inputTarget, int bytesWritten) {}

    public TaskView get(TaskId id) {
        return view(find(id));
    }

    /** The task as it stands, without a look at its processes. */
    Task find(TaskId id) {
        return live.find(id).map(LiveCommand::task).or(() -> store.find(id)).orElseThrow(() -> notFound(id));
    }

    static Refusal notFound(TaskId id) {
        return new Refusal(
                ErrorKind.TASK_NOT_FOUND,
                "There is no task " + id + ".",
                "List tasks with GET /v1/tasks?status=all; ended ones are forgotten after a while.",
                Map.of("task_id", id.value()));
    }

    private TaskView view(Task task) {
        return views(List.of(task)).getFirst();
    }

    /** All of them by one look at the machine's processes, for that may take some ten milliseconds. */
    private List<TaskView> views(List<Task> tasks) {
        Map<TaskId, HostedCommand.ProcessFacts> facts =
                facts(tasks.stream().filter(task -> !task.status().ended()).map(Task::id));
        return tasks.stream()
                .map(task -> new TaskView(task, outputs.facts(task.id()), facts.get(task.id())))
                .toList();
    }

    /** Of those that run. */
    Map<TaskId, HostedCommand.ProcessFacts> facts(Stream<TaskId> ids) {
        List<HostedCommand> running = ids.flatMap(id -> live.find(id).stream())
                .filter(command -> !command.task().status().ended())
                .flatMap(command -> Stream.ofNullable(command.hosted().getNow(null)))
                .toList();
        return running.isEmpty() ? Map.of() : host.facts(running);
    }

    public Listing list(TaskStore.Query query) {
        TaskStore.Page page = store.list(query);
        List<Task> tasks = page.tasks().stream()
                .map(row -> live.find(row.id()).map(LiveCommand::task).orElse(row))
                .toList();
        return new Listing(views(tasks), store.countActive(), page.next());
    }

    /** Blocks until everything the task started is verified gone, or survived. {@code force}: no grace at all. */
    public StopOutcome stop(TaskId id, Duration grace, boolean force) {
        LiveCommand command = live.find(id).orElse(null);
        if (command == null || command.task().status().ended()) {
            return new StopOutcome(get(id), false, false, List.of());
        }
        claims.release(command.launch().duplicateKey(), id);
        causes.write(id, EndedBy.STOP);
        transitions.apply(command, new TaskEvent.StopRequested());
        List<Long> survivors = command.hosted().join().stop(force ? Duration.ZERO : grace);
        if (survivors.isEmpty()) {
            command.ended()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .exceptionally(_ -> command.task())
                    .join();
        }
        return new StopOutcome(view(command.task()), true, force, survivors);
    }

    public TaskView signal(TaskId id, Signal signal) {
        running(id).hosted().join().signal(signal);
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
        replays.forget(id);
        live.find(id).ifPresent(transitions::forget);
        // Its output first: on a full disk the database cannot write before that is gone.
        leftovers.forgetWhenQuiet(id).join();
        store.delete(id);
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
