package dev.holdfast.tool.gemini;

import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Preview;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Ran;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Requests.Limits;
import dev.holdfast.tool.Requests.Shell;
import dev.holdfast.tool.Starts;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Runs a command, in the background where it is asked to. */
@Singleton
@ToolDescription(
        profile = Profile.GEMINI,
        name = "run_shell_command",
        description =
                "Run a command as bash -c. Answers when it has ended: Output, and Exit Code if it is not 0, or Signal. "
                        + "For a server or watcher set is_background, never &; the answer has its PID and first output, and "
                        + "read_background_output the rest. It leads a process group: kill -- -PID ends all of it.",
        effect = ToolDescription.Effect.RUNS)
public record RunShellCommand(Starts starts, Tasks tasks, Answers answers, Pids pids, LeadingShell bash)
        implements Tool<RunShellCommand.Input> {
    /** A command that prints nothing for so long is ended. */
    private static final Duration SILENCE = Duration.ofMinutes(5);

    /** The description is for people who watch. */
    public record Input(
            @Schema(required = true) @Nullable String command,

            @Schema(description = "what it does, for the user") @Nullable
            String description,

            @Schema(description = "default: the workspace") @Nullable
            String dirPath,

            @Nullable Boolean isBackground,

            @Schema(
                    minimum = "0",
                    maximum = "600000",
                    defaultValue = "200",
                    description = "how long its first output is waited for in the background")
            @Nullable
            Integer delayMs) {
        private static final int DEFAULT_DELAY_MS = 200;

        private Limits limits(Call call) {
            return Boolean.TRUE.equals(isBackground)
                    ? new Limits(
                            call.wait(Duration.ofMillis(Objects.requireNonNullElse(delayMs, DEFAULT_DELAY_MS))),
                            null,
                            null,
                            StartRequest.DEFAULT_MAX_OUTPUT_TOKENS)
                    : new Limits(call.wait(Call.NO_LIMIT), null, SILENCE, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS);
        }
    }

    /** What came of it. */
    public record Result(
            String output,
            @Nullable Integer exitCode,
            @Nullable String signal,
            @Nullable Long pid,
            List<Long> backgroundPids) {}

    @Override
    public Outcome run(Input input, Call call) {
        Shell shell = new Shell(input.dirPath(), bash.path(), false, false);
        Ran ran = starts.run(Requests.shell("command", input.command(), shell, input.limits(call)), call);
        return ran.id() == null ? ended(ran) : running(ran, ran.id());
    }

    private Outcome running(Ran ran, TaskId id) {
        Long pid = pids.soon(id).stream().boxed().findFirst().orElse(null);
        Task task = tasks.find(id);
        if (task.status().ended()) {
            return ended(endedSince(task));
        }
        String text = "Command is running in background. PID: " + pid + ". "
                + whole(ran.preview().truncated() ? answers.artifacts(id) : List.of()) + "Initial output:\n"
                + ran.output();
        return new Outcome(id, "PID: " + pid, new Result(ran.output(), null, null, pid, List.of()), text);
    }

    /** One that ended sooner than it was told of: nothing may ever have seen its pid. */
    private Ran endedSince(Task task) {
        TaskId id = task.id();
        Preview preview = answers.preview(task, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS * Diagnostics.CHARS_PER_TOKEN);
        return new Ran(
                task,
                task.ending(),
                preview,
                preview.truncated() ? answers.artifacts(id) : List.of(),
                CommandAnswer.LeftRunning.of(id, tasks.left(task)));
    }

    private static Outcome ended(Ran ran) {
        var ending = Objects.requireNonNull(ran.ending());
        List<Long> left = ran.left() == null
                ? List.of()
                : ran.left().processes().stream().map(LeftProcess::pid).toList();
        Result result = new Result(ran.output(), ending.exitStatus(), ending.exitSignal(), null, left);
        String text = whole(ran.artifacts()) + "<untrusted_context>\n"
                + text(ran, result).replace("</untrusted_context>", "&lt;/untrusted_context&gt;")
                + "\n</untrusted_context>";
        String summary = result.signal() == null
                ? "Exit Code: " + Objects.requireNonNullElse(result.exitCode(), "unknown")
                : "Signal: " + result.signal();
        return new Outcome(ran.recorded(), summary, result, text);
    }

    private static String whole(List<CommandAnswer.Artifact> artifacts) {
        return Receipts.kept(artifacts)
                .map(files -> "Output too large. For full output see: " + files + "\n")
                .orElse("");
    }

    private static String text(Ran ran, Result result) {
        if (ran.endedBy(EndedBy.IDLE_TIMEOUT)) {
            return cancelled(
                    "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.",
                    ran.output());
        }
        if (ran.endedBy(EndedBy.STOP)) {
            return cancelled("Command was cancelled by user before it could complete.", ran.output());
        }
        List<String> parts = new ArrayList<>();
        parts.add("Output: " + (result.output().isEmpty() ? "(empty)" : result.output()));
        if (result.exitCode() != null && result.exitCode() != 0) {
            parts.add("Exit Code: " + result.exitCode());
        }
        if (result.signal() != null) {
            parts.add("Signal: " + result.signal());
        }
        if (result.exitCode() == null && result.signal() == null) {
            parts.add("Exit Code: unknown");
        }
        Pids.left(ran.left() == null ? List.of() : ran.left().processes()).ifPresent(parts::add);
        Receipts.causeWithoutTask(ran.ending()).ifPresent(parts::add);
        return String.join("\n", parts);
    }

    private static String cancelled(String why, String output) {
        return output.isBlank()
                ? why + " There was no output before it was cancelled."
                : why + " Below is the output before it was cancelled:\n" + output;
    }
}
