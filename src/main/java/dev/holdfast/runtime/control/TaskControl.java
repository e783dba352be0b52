package dev.holdfast.runtime.control;

import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.Endings;
import dev.holdfast.runtime.Leftovers;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.Transitions;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * What callers do to tasks that run: stop them, signal them, feed them. Each is told to the journal, and held to the
 * policy, before it is done. Thread-safe; may block. Each method refuses {@code task_not_found}.
 */
@Singleton
public record TaskControl(
        Caller caller,
        Tasks tasks,
        LiveCommands live,
        Transitions transitions,
        Leftovers leftovers,
        Endings endings,
        LiveGuard guard,
        Audit audit,
        CommandHost host,
        InstantSource clock) {
    private static final Duration INPUT_LIMIT = Duration.ofSeconds(5);
    /** What the kernel keeps of a line in a terminal, but for its end. */
    private static final int LONGEST_LINE = 4095;

    /** How long the end of what is verified gone may take to be on record. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /**
     * @param stopRequested false when it had ended before
     * @param survivors pids that still live although they were sent KILL
     * @param leftovers pids of what an ended task had left running and is ended now, but for survivors
     * @param goesOn whether its caller waits no longer, and the stop goes on; of an ended task, of what it left running
     */
    public record StopOutcome(
            TaskView task,
            boolean stopRequested,
            boolean forceStopRequested,
            List<Long> survivors,
            List<Long> leftovers,
            boolean goesOn) {}

    /** @param inputTarget {@code stdin} or {@code tty} */
    public record InputOutcome(String inputTarget, int bytesWritten) {}

    /**
     * Blocks until everything the task started is verified gone, or survived, or its caller waits no longer: then it
     * goes on, and the task has not ended. {@code force}: no grace at all. Of an ended task what it left running is
     * ended, and the task stays as it is.
     */
    public StopOutcome stop(TaskId id, Duration grace, boolean force) {
        return stop(id, grace, force, Duration.ofNanos(Long.MAX_VALUE));
    }

    /** The same, for who waits no longer than {@code most}, which shortens no grace. */
    public StopOutcome stop(TaskId id, Duration grace, boolean force, Duration most) {
        Task task = tasks.find(id);
        LiveCommand command = live.find(id).orElse(null);
        if (command == null || command.task().status().ended()) {
            Task ended = task.status().ended() ? task : tasks.find(id);
            return endLeftovers(ended, force ? Duration.ZERO : grace, most);
        }
        guard.stop(task, caller.actor(), "stop");
        CompletableFuture<List<Long>> stop = endings.beginStop(command, force ? Duration.ZERO : grace);
        boolean through = Patience.await(stop, most);
        List<Long> survivors = through ? stop.join() : List.of();
        if (through && survivors.isEmpty()) {
            var _ = command.awaitEnd(END_LIMIT);
        }
        Task now = command.task();
        boolean goesOn = survivors.isEmpty() && !now.status().ended();
        return new StopOutcome(view(now), true, force, survivors, List.of(), goesOn);
    }

    private TaskView view(Task task) {
        return tasks.views(List.of(task)).getFirst();
    }

    private StopOutcome endLeftovers(Task task, Duration grace, Duration most) {
        audit.stop(task.id(), grace);
        Instant ended = Objects.requireNonNullElse(task.endedAt(), task.updatedAt());
        CompletableFuture<CommandHost.Swept> end = leftovers.end(task.id(), ended, grace);
        if (!Patience.await(end, most)) {
            return new StopOutcome(tasks.get(task.id()), false, false, List.of(), List.of(), true);
        }
        CommandHost.Swept swept = end.join();
        List<Long> gone = swept.found().stream()
                .filter(pid -> !swept.survivors().contains(pid))
                .toList();
        return new StopOutcome(view(task), false, false, swept.survivors(), gone, false);
    }

    public TaskView signal(TaskId id, Signal signal) {
        LiveCommand command = running(id);
        guard.stop(command.task(), caller.actor(), "signal " + signal);
        HostedCommand hosted = command.hosted().join();
        audit.signal(id, signal);
        hosted.signal(signal);
        return tasks.get(id);
    }

    /**
     * Blocks at most 5 seconds, while its caller waits; what was taken until then is told.
     *
     * @param keys whether the bytes are keys in the normal form, which only a terminal takes, as its program wants them
     */
    public InputOutcome input(TaskId id, byte[] bytes, boolean keys, boolean eof) {
        if (keys && !tasks.find(id).command().tty()) {
            throw noKeys(id);
        }
        LiveCommand command = running(id);
        CommandSpec spec = command.launch().command();
        if (!spec.acceptsInput()) {
            throw new Refusal(
                    ErrorKind.INPUT_NOT_ACCEPTED,
                    id + " takes no input: its stdin is at end of file.",
                    spec.tty()
                            ? "Start it again without accepts_input."
                            : "Start it again with accepts_input or tty set to true.");
        }
        HostedCommand hosted = command.hosted().join();
        if (bytes.length > 0 && hosted.inputEnded()) {
            throw new Refusal(
                    ErrorKind.INPUT_NOT_ACCEPTED,
                    id + " takes no more input: its end was sent before.",
                    "Start another instance to send it more.");
        }
        guard.input(command, caller.actor(), bytes, eof);
        TerminalSize terminal = spec.terminal();
        byte[] sent = keys && terminal != null ? host.screen(id, terminal).keys(bytes) : bytes;
        int line = terminal == null ? 0 : longestLine(sent);
        if (line > LONGEST_LINE && hosted.takesLines()) {
            throw lineTooLong(id, line);
        }
        audit.input(id, sent);
        long began = System.nanoTime();
        int taken = hosted.write(sent, eof, INPUT_LIMIT);
        if (taken < bytes.length) {
            boolean waited = System.nanoTime() - began >= INPUT_LIMIT.toNanos() || Patience.isOver();
            throw waited || spec.tty() ? notConsumed(id, taken, bytes.length) : closed(id, taken, bytes.length);
        }
        return new InputOutcome(spec.tty() ? "tty" : "stdin", taken);
    }

    private static int longestLine(byte[] bytes) {
        int longest = 0;
        int begin = 0;
        for (int i = 0; i < bytes.length; i++) {
            boolean ends = bytes[i] == '\n' || bytes[i] == '\r';
            begin = ends ? i + 1 : begin;
            longest = Math.max(longest, i + 1 - begin);
        }
        return longest;
    }

    public TaskView resize(TaskId id, TerminalSize size) {
        CommandSpec spec = tasks.find(id).command();
        if (!spec.tty()) {
            throw noTerminal(id);
        }
        LiveCommand command = running(id);
        command.hosted().join().resize(size);
        transitions.rewrite(command, task -> task.withCommand(spec.withTerminal(size), clock.instant()));
        return tasks.get(id);
    }

    static Refusal noTerminal(TaskId id) {
        return new Refusal(
                ErrorKind.NOT_A_TERMINAL,
                id + " does not run in a terminal.",
                "Start it again with tty set to true.",
                Map.of("task_id", id.value()));
    }

    private static Refusal notConsumed(TaskId id, int taken, int offered) {
        return new Refusal(
                ErrorKind.INPUT_NOT_CONSUMED,
                id + " took " + taken + " of " + offered + " bytes; "
                        + (Patience.isOver()
                                ? "the call was ended before it took the rest."
                                : "it is not reading its input."),
                "Send the rest from byte " + taken + " on once it reads again (`waiting` is then `input`).",
                Map.of("bytes_written", taken, "bytes_offered", offered));
    }

    private static Refusal lineTooLong(TaskId id, int length) {
        return new Refusal(
                ErrorKind.INPUT_NOT_ACCEPTED,
                "The terminal of " + id + " keeps " + LONGEST_LINE + " bytes of a line, and this has one of " + length
                        + "; nothing was written.",
                "Send shorter lines, or start it with `accepts_input` in place of `tty`: a pipe takes lines of any"
                        + " length.",
                Map.of("longest_line_bytes", LONGEST_LINE));
    }

    /** A pipe that takes no more before the time is up has no reader. */
    private static Refusal closed(TaskId id, int taken, int offered) {
        return new Refusal(
                ErrorKind.INPUT_NOT_ACCEPTED,
                id + " has closed its input, and took " + taken + " of " + offered + " bytes before.",
                "Start another instance to send it more.",
                Map.of("bytes_written", taken, "bytes_offered", offered));
    }

    private static Refusal noKeys(TaskId id) {
        return new Refusal(
                ErrorKind.NOT_A_TERMINAL,
                "Keys are for a terminal, and this task has none.",
                "Send `text` or `base64`, or start the command with `tty` true.",
                Map.of("task_id", id.value()));
    }

    LiveCommand running(TaskId id) {
        Task task = tasks.find(id);
        return live.find(id)
                .filter(command -> !command.task().status().ended())
                .orElseThrow(() -> new Refusal(
                        ErrorKind.TASK_NOT_RUNNING,
                        id + " has ended (" + task.status().name().toLowerCase(Locale.ROOT) + ").",
                        "Start the command again with POST /v1/commands; its output stays readable.",
                        Map.of("task_id", id.value())));
    }
}
