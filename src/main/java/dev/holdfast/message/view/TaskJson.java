package dev.holdfast.message.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.HostedCommand.MainProcess;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.PortOwner;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A task. Every field is there always, null where there is nothing to say, but the last two. */
@Schema(name = "Task", description = "A command that runs on, or ran, as a task")
public record TaskJson(
        @Schema(examples = "task_01JZZ3NDEKTSV4RRFFQ69G5FAV")
        String taskId,

        @Schema(enumeration = KIND) String taskKind,
        TaskStatus status,

        @Schema(description = "Its command in one line, secrets masked", examples = "npm run dev")
        String summary,

        Instant createdAt,
        @Schema(nullable = true) @Nullable Instant startedAt,
        @Schema(nullable = true) @Nullable Instant promotedAt,
        Instant updatedAt,
        @Schema(nullable = true) @Nullable Instant endedAt,
        CommandJson command,
        @Schema(nullable = true) @Nullable Integer exitStatus,

        @Schema(nullable = true, examples = "SIGKILL") @Nullable
        String exitSignal,

        @Schema(nullable = true) @Nullable EndedBy endedBy,
        EndingDetails details,
        Output output,
        @Schema(nullable = true) @Nullable MainProcess process,
        @Schema(nullable = true) @Nullable Waiting waiting,
        @Schema(description = "TCP ports it listens on") List<Integer> ports,

        @Schema(
                nullable = true,
                description = "When waiting, ports and processes were last seen; null when it has ended")
        @Nullable
        Instant observedAt,

        Map<String, String> labels,

        @Schema(description = "What lives of it, by pid; not in a list of tasks")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        List<Live> processes,

        @Schema(description = "What it started and is still running, of one that has ended; absent where nothing is")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        List<AnswerJson.Left> leftRunning) {
    /** The one kind of task there is. */
    static final String KIND = "command_task";

    @Schema(name = "TaskOutput", description = "How much it printed")
    public record Output(
            long stdoutBytes,
            long stderrBytes,
            @Schema(description = "No longer kept") long omittedBytes,
            @Schema(nullable = true) @Nullable Instant lastOutputAt) {
        private static Output of(OutputStore.Facts facts) {
            return new Output(facts.stdoutBytes(), facts.stderrBytes(), facts.omittedBytes(), facts.lastOutputAt());
        }
    }

    @Schema(name = "TaskProcess", description = "A live process of a task")
    public record Live(
            long pid,
            long parentPid,

            @Schema(description = "Its command line, at most 240 characters, secrets masked")
            String command,

            @Schema(description = "Resident") long memoryBytes,
            @Schema(description = "User and system") long cpuMs) {
        private static Live of(HostedCommand.LiveProcess process) {
            return new Live(
                    process.pid(),
                    process.parent(),
                    Diagnostics.process(process.name(), process.arguments()),
                    process.memoryBytes(),
                    process.cpuTime().toMillis());
        }
    }

    @Schema(description = "What else is known of how it ended; empty when nothing is")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record EndingDetails(
            @Schema(enumeration = "kernel log") @Nullable String evidence,
            @Nullable String killedName,
            @Nullable Long killedPid,

            @Schema(
                    description = "Its exit code may be a death by this signal: nobody saw which",
                    enumeration = {"SIGINT", "SIGPIPE"})
            @Nullable
            String mayBeSignal,

            @Schema(description = "The kernel's out-of-memory killer chose a process of it") @Nullable
            Boolean outOfMemory,

            @Schema(description = "The keeper of its terminal did not answer: what it printed last may not be here")
            @Nullable
            Boolean outputMayBeMissing,

            @Schema(description = "Who holds the port that it failed for, by the kernel's tables") @Nullable
            HeldPort portOwner) {
        public static EndingDetails of(@Nullable Ending ending) {
            Map<String, String> known = ending == null ? Map.of() : ending.details();
            String pid = known.get("killed_pid");
            return new EndingDetails(
                    known.get("evidence"),
                    known.get("killed_name"),
                    pid == null ? null : Long.valueOf(pid),
                    known.get("may_be_signal"),
                    known.containsKey("out_of_memory") ? true : null,
                    known.containsKey("output_may_be_missing") ? true : null,
                    PortOwner.in(known).map(HeldPort::of).orElse(null));
        }
    }

    @Schema(name = "PortOwner", description = "Who listens on a port")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record HeldPort(
            int port,

            @Schema(description = "Absent when it is no task's", examples = "task_01JZZ3NDEKTSV4RRFFQ69G5FAV") @Nullable
            String taskId,

            @Schema(description = "Absent when it is not ours to know: another user's") @Nullable
            Long pid,

            @Schema(description = "That of the task, in one line, secrets masked", examples = "npm run dev") @Nullable
            String command) {
        private static HeldPort of(PortOwner owner) {
            TaskId task = owner.task();
            return new HeldPort(owner.port(), task == null ? null : task.value(), owner.pid(), owner.command());
        }
    }

    @Schema(name = "TaskList", description = "A page of tasks, newest first")
    public record Page(
            List<TaskJson> tasks,

            @Schema(description = "Of all tasks, how many have not ended")
            long totalActive,

            @Schema(nullable = true, description = "Where the next page begins; null at the end") @Nullable
            String nextCursor) {}

    @Schema(name = "StopOutcome", description = "The task, and what survived")
    public record Stopped(
            TaskJson task,

            @Schema(description = "False when it had ended before")
            boolean stopRequested,

            boolean forceStopRequested,

            @Schema(description = "Pids that still live although they were sent KILL")
            List<Long> survivors,

            @Schema(
                    description =
                            "Of a task that had ended before: pids of what it had left running, which is gone now")
            List<Long> endedLeftovers,

            @Schema(examples = "The task had ended before, and nothing of it was left.")
            String summaryText) {
        private static String summary(TaskControl.StopOutcome outcome) {
            String living = outcome.survivors().isEmpty() ? "" : " Still alive: " + pids(outcome.survivors()) + ".";
            if (outcome.goesOn()) {
                String what = outcome.stopRequested() ? "The task" : "The task had ended before; what it left running";
                return what
                        + " is being stopped, which goes on though nobody waits: a server that stops meanwhile leaves"
                        + " it to the next one.";
            }
            if (outcome.stopRequested()) {
                return living.isEmpty()
                        ? "The task was stopped, with all that it started."
                        : "The task was killed, and not all of it has ended." + living;
            }
            String gone = outcome.leftovers().isEmpty()
                    ? ", and nothing of it was left."
                    : "; what it had left running was ended: " + pids(outcome.leftovers()) + ".";
            return "The task had ended before"
                    + (living.isEmpty() || !outcome.leftovers().isEmpty() ? gone : ".") + living;
        }

        private static String pids(List<Long> pids) {
            return pids.stream().map(String::valueOf).collect(Collectors.joining(", ", "pid ", ""));
        }
    }

    @Schema(name = "InputOutcome", description = "All was taken")
    public record Fed(
            boolean acceptedInput,
            @Schema(enumeration = {"stdin", "tty"}) String inputTarget,
            int bytesWritten,
            String summaryText) {}

    /** One that was asked for, with its live processes. */
    public static TaskJson of(TaskView view) {
        var live = view.live();
        return of(view, live == null ? List.of() : live.facts().processes());
    }

    public static Page listing(Tasks.Listing listing) {
        var next = listing.next();
        return new Page(
                listing.tasks().stream().map(view -> of(view, null)).toList(),
                listing.totalActive(),
                next == null ? null : next.value());
    }

    public static Stopped stopped(TaskControl.StopOutcome outcome) {
        return new Stopped(
                of(outcome.task()),
                outcome.stopRequested(),
                outcome.forceStopRequested(),
                outcome.survivors(),
                outcome.leftovers(),
                Stopped.summary(outcome));
    }

    public static Fed fed(TaskControl.InputOutcome outcome, boolean eof) {
        String summary = "Wrote " + outcome.bytesWritten() + " bytes to " + outcome.inputTarget()
                + (eof ? ", then ended the input" : "");
        return new Fed(true, outcome.inputTarget(), outcome.bytesWritten(), summary);
    }

    /** @param processes those of the task itself, without the launcher's; null to leave them out */
    private static TaskJson of(TaskView view, @Nullable List<HostedCommand.LiveProcess> processes) {
        Task task = view.task();
        Ending ending = task.ending();
        var seen = view.live();
        var facts = seen == null ? null : seen.facts();
        return new TaskJson(
                task.id().value(),
                KIND,
                task.status(),
                Diagnostics.summary(task.command().invocation()),
                task.createdAt(),
                task.startedAt(),
                task.promotedAt(),
                task.updatedAt(),
                task.endedAt(),
                CommandJson.of(task),
                ending == null ? null : ending.exitStatus(),
                ending == null ? null : ending.exitSignal(),
                ending == null ? null : ending.endedBy(),
                EndingDetails.of(ending),
                Output.of(view.output()),
                facts == null ? null : facts.main(),
                facts == null ? null : facts.waiting(),
                facts == null ? List.of() : facts.ports(),
                seen == null ? null : seen.at(),
                new TreeMap<>(task.command().labels()),
                processes == null ? null : processes.stream().map(Live::of).toList(),
                view.left().isEmpty()
                        ? null
                        : view.left().stream().map(AnswerJson.Left::of).toList());
    }
}
