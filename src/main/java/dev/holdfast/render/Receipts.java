package dev.holdfast.render;

import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.AwaitingApproval;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.PortOwner;
import dev.holdfast.task.Preview;
import dev.holdfast.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers as the text an agent reads. Sections are apart by an empty line; one that would be empty is left out, and
 * there is no newline at the end.
 */
public final class Receipts {
    /** What to do when the command one wants runs already. */
    public static final String START_ANOTHER = "Set duplicate_policy=\"start_new\" to start another instance.";

    private static final String WITHOUT_AMPERSAND = "Run it without `&`: it becomes a task by itself. A stop of ";

    private static final int LEFT_SHOWN = 10;
    private static final String NO_INITIAL_OUTPUT = "(none captured before promotion)";

    private Receipts() {}

    public static String of(CommandAnswer answer) {
        return switch (answer) {
            case Completed completed -> completed(completed);
            case PromotedToTask promoted -> promoted(promoted);
            case AlreadyRunning running -> alreadyRunning(running.task());
            case AwaitingApproval awaiting -> awaiting(awaiting);
        };
    }

    public static String failure(String message, String recoveryHint) {
        return failure(message, recoveryHint, Map.of());
    }

    /** @param details of which is told what a model can go on with: since when a task is forgotten, and what runs */
    public static String failure(String message, String recoveryHint, Map<String, ?> details) {
        Object forgotten = details.get("forgotten_at");
        return sections(
                "Command failed",
                message,
                forgotten instanceof Instant at ? "Forgotten at: " + at.truncatedTo(ChronoUnit.MILLIS) : null,
                recoveryHint.isBlank() ? null : recoveryHint,
                details.get("running") instanceof List<?> running ? running(running) : null);
    }

    private static String running(List<?> running) {
        return running.isEmpty()
                ? "Nothing is running."
                : running.stream()
                        .map(task -> (Map<?, ?>) task)
                        .map(task -> task.get("task_id") + "  " + task.get("command"))
                        .collect(Collectors.joining("\n", "Running:\n", ""));
    }

    /** The answer in one line. */
    public static String summaryText(CommandAnswer answer) {
        return switch (answer) {
            case Completed completed ->
                outcome(completed) + (completed.limit() == null ? " after " : ", it ran ")
                        + completed.duration().toMillis() + " ms";
            case PromotedToTask promoted ->
                "Command promoted to background task " + promoted.task().id() + " (" + promoted.because() + ")";
            case AlreadyRunning running ->
                "Command is already running as " + running.task().id();
            case AwaitingApproval awaiting -> "Command awaits approval " + awaiting.approvalId();
        };
    }

    /** Both streams of a preview in one text, stdout first; null when nothing was printed, not even an empty line. */
    public static @Nullable String initialOutput(Preview preview) {
        String both = Stream.of(preview.stdout(), preview.stderr())
                .filter(Objects::nonNull)
                .map(Receipts::withoutLastNewline)
                .filter(stream -> !stream.isEmpty())
                .collect(Collectors.joining("\n"));
        return preview.stdout() == null && preview.stderr() == null ? null : both;
    }

    private static String completed(Completed completed) {
        return sections(
                outcome(completed),
                stream("stdout", completed.preview().stdout()),
                stream("stderr", completed.preview().stderr()),
                cause(completed.ending()).orElse(null),
                artifacts(completed.artifacts()),
                omitted(completed.artifacts()),
                left(completed.left()));
    }

    /**
     * What is known of its end, in a line: there was no memory left, or who holds the port that it wanted, or its last
     * output may be missing, or its exit code may be a signal.
     */
    public static Optional<String> cause(@Nullable Ending ending) {
        return cause(ending, Receipts::heldPort);
    }

    /** The same for who has no use for a task's id. */
    public static Optional<String> causeWithoutTask(@Nullable Ending ending) {
        return cause(ending, Receipts::heldByProcess);
    }

    private static Optional<String> cause(@Nullable Ending ending, Function<PortOwner, String> held) {
        Map<String, String> details = ending == null ? Map.of() : ending.details();
        if (details.containsKey("out_of_memory")) {
            return Optional.of("Out of memory: the kernel killed its process " + details.get("killed_pid") + " ("
                    + details.get("killed_name") + ").");
        }
        if (details.containsKey("output_may_be_missing")) {
            return Optional.of("What it printed last may be missing: the keeper of its terminal did not answer.");
        }
        return details.containsKey("may_be_signal")
                ? Optional.of("That exit code may be " + details.get("may_be_signal") + ": nobody saw which.")
                : PortOwner.in(details).map(held);
    }

    private static String heldByProcess(PortOwner owner) {
        return "Port " + owner.port() + " is held by "
                + (owner.pid() == null ? "another user's process" : "process " + owner.pid())
                + (owner.command() == null ? "." : " (" + owner.command() + ").");
    }

    private static String heldPort(PortOwner owner) {
        String holder = owner.task() != null
                ? owner.task() + " (" + owner.command() + ")"
                : owner.pid() != null ? "process " + owner.pid() + ", no task's" : "another user's process";
        return "Port " + owner.port() + " is held by " + holder + ".";
    }

    /** What it left running and how that is ended, null where nothing is. */
    static @Nullable String left(CommandAnswer.@Nullable LeftRunning left) {
        if (left == null || left.processes().isEmpty()) {
            return null;
        }
        return leftProcesses(left) + "\n" + WITHOUT_AMPERSAND + left.task() + " ends what is left.";
    }

    /** {@code Left running:}, and a line for each. */
    public static String leftProcesses(CommandAnswer.LeftRunning left) {
        List<String> lines = new ArrayList<>(List.of("Left running:"));
        left.processes().stream().limit(LEFT_SHOWN).map(Receipts::process).forEach(lines::add);
        int more = left.processes().size() - LEFT_SHOWN;
        if (more > 0) {
            lines.add("… and " + more + " more");
        }
        return String.join("\n", lines);
    }

    private static String process(LeftProcess process) {
        String ports = process.ports().stream().map(String::valueOf).collect(Collectors.joining(", "));
        return process.pid() + " " + Diagnostics.process(process.name(), process.arguments())
                + (ports.isEmpty() ? "" : " (port " + ports + ")");
    }

    private static String outcome(Completed completed) {
        return switch (completed.ending().endedBy()) {
            case EXIT, SIGNAL -> exit(completed.ending());
            case STOP -> "Process stopped: a stop was asked for";
            case TIMEOUT -> "Process stopped: timeout" + after(completed.limit());
            case IDLE_TIMEOUT -> "Process stopped: idle timeout" + after(completed.limit());
            case OUTPUT_LIMIT -> "Process stopped: output limit reached";
            case REBOOT -> "Process ended: the machine restarted, its exit is not known";
            case UNKNOWN -> "Process ended: nobody saw how, its exit is not known";
        };
    }

    private static String exit(Ending ending) {
        String signal = ending.exitSignal();
        return signal == null
                ? "Process exited with code " + ending.exitStatus()
                : "Process exited on signal " + signal;
    }

    private static String after(@Nullable Duration limit) {
        return limit == null ? "" : " after " + limit.toMillis() + " ms";
    }

    private static @Nullable String stream(String name, @Nullable String preview) {
        String text = preview == null ? "" : withoutLastNewline(preview);
        return text.isEmpty() ? null : name + ":\n" + text;
    }

    private static @Nullable String artifacts(List<CommandAnswer.Artifact> artifacts) {
        if (artifacts.isEmpty()) {
            return null;
        }
        return artifacts.stream()
                .map(artifact -> artifact.path().toString())
                .collect(Collectors.joining("\n", "Artifacts:\n", ""));
    }

    /** Where all that was printed lies, in a line, and what of it is not kept; empty where it was told whole. */
    public static Optional<String> kept(List<CommandAnswer.Artifact> artifacts) {
        String paths =
                artifacts.stream().map(artifact -> artifact.path().toString()).collect(Collectors.joining(", "));
        String omitted = omitted(artifacts);
        return artifacts.isEmpty() ? Optional.empty() : Optional.of(omitted == null ? paths : paths + "\n" + omitted);
    }

    /** Who reads or searches the file itself finds nothing there. */
    private static @Nullable String omitted(List<CommandAnswer.Artifact> artifacts) {
        List<String> lines = new ArrayList<>();
        for (CommandAnswer.Artifact artifact : artifacts) {
            CommandAnswer.Omitted omitted = artifact.omitted();
            if (omitted != null) {
                String stream = artifact.stream().name().toLowerCase(Locale.ROOT);
                lines.add("%s bytes %d to %d: zeros in its file".formatted(stream, omitted.from(), omitted.to()));
            }
        }
        return lines.isEmpty() ? null : "Not kept, beyond the output's budget:\n" + String.join("\n", lines);
    }

    private static String promoted(PromotedToTask promoted) {
        String output = initialOutput(promoted.initial());
        return sections(
                "Command promoted to background task\nTask: " + promoted.task().id(),
                "Initial output:\n" + (output == null ? NO_INITIAL_OUTPUT : output));
    }

    private static String alreadyRunning(Task task) {
        CommandSpec command = task.command();
        String summary = Diagnostics.summary(command.invocation());
        List<String> lines = new ArrayList<>(List.of(
                "Command is already running",
                "Task: " + task.id(),
                "Status: " + TaskTexts.status(task, TaskTexts.Seen.NOTHING),
                "Task summary: " + summary,
                "Command: " + summary,
                "workdir=" + command.workdir()));
        if (command.invocation() instanceof Invocation.ShellText shell) {
            lines.add("shell=" + shell.shell());
        }
        return sections(String.join("\n", lines), START_ANOTHER);
    }

    private static String awaiting(AwaitingApproval awaiting) {
        String reason = awaiting.reason() == null ? "" : "\nReason: " + awaiting.reason();
        return sections(
                "Command awaits approval\nApproval: " + awaiting.approvalId() + "\nRule: "
                        + (awaiting.rule() == null ? "the default" : awaiting.rule()) + reason,
                "A person is asked. Once allowed it starts as a task by itself; do not send it again.");
    }

    private static String withoutLastNewline(String text) {
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    private static String sections(@Nullable String... sections) {
        return Stream.of(sections).filter(Objects::nonNull).collect(Collectors.joining("\n\n"));
    }
}
