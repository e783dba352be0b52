package dev.holdfast.tool.claude;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.EndedBy;
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
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Runs a command, in the background at once or when its time-out comes first. */
@Singleton
@ToolDescription(
        profile = Profile.CLAUDE,
        name = "Bash",
        description =
                "Run a command with bash. Answers when it has ended; one that has not by its timeout goes on in the "
                        + "background, and one with run_in_background does so at once. Then read it with TaskOutput and end it with "
                        + "TaskStop. Each call starts in the workspace.",
        effect = ToolDescription.Effect.RUNS)
public record Bash(Starts starts, OutputStore outputs) implements Tool<Bash.Input> {
    /**
     * The description is for people who watch, and the last field for that agent's own sandbox: they change nothing.
     */
    public record Input(
            @Schema(required = true) @Nullable String command,

            @Schema(
                    minimum = "1",
                    maximum = "7200000",
                    defaultValue = "120000",
                    description = "ms, at most 600000; in the background it ends the command, default 1800000")
            @Nullable
            Integer timeout,

            @Schema(description = "what it does, in a few words") @Nullable
            String description,

            @Nullable Boolean runInBackground,

            @Schema(description = "has no effect here") @JsonProperty("dangerouslyDisableSandbox") @Nullable
            Boolean dangerouslyDisableSandbox) {
        private static final int DEFAULT_MS = 120_000;
        private static final int MOST_MS = 600_000;
        private static final int BACKGROUND_MS = 1_800_000;

        private Limits limits(Call call) {
            if (Boolean.TRUE.equals(runInBackground)) {
                Duration end = Duration.ofMillis(Objects.requireNonNullElse(timeout, BACKGROUND_MS));
                return new Limits(Duration.ZERO, end, null, Shells.TOKENS);
            }
            int millis = Math.min(MOST_MS, Objects.requireNonNullElse(timeout, DEFAULT_MS));
            return new Limits(call.wait(Duration.ofMillis(millis)), null, null, Shells.TOKENS);
        }
    }

    /** What came of it. */
    public record Result(
            String stdout,
            String stderr,
            boolean interrupted,
            @Nullable Integer exitCode,
            @Nullable String backgroundTaskId) {}

    @Override
    public Outcome run(Input input, Call call) {
        StartRequest request = Requests.shell("command", input.command(), Shell.bash(), input.limits(call));
        Ran ran = starts.run(request, call);
        Refusal failure = ran.failure();
        boolean stopped = ran.endedBy(EndedBy.STOP);
        TaskId id = ran.id();
        Result result = new Result(ran.stdout(), ran.stderr(), stopped, ran.exitCode(), id == null ? null : id.value());
        String out = ran.stdout().replaceFirst("^(\\s*\\n)+", "").stripTrailing();
        String err = ran.stderr().strip();
        String printed = failure == null
                ? id == null ? joined(out, err) : background(id, request.yieldTime(), call, joined(out, err))
                : joined(exit(ran), stopped ? "[Request interrupted by user]" : "", err, out);
        String whole = Receipts.kept(ran.artifacts())
                .map(files -> "Output truncated. Full output saved to: " + files)
                .orElse("");
        String text = joined(printed, whole, Receipts.cause(ran.ending()).orElse(""), Shells.left(ran.left()));
        String summary = failure != null ? failure.getMessage() : id == null ? "Completed" : "Running as " + id;
        return new Outcome(
                ran.recorded(), summary, result, text.isEmpty() ? "(Bash completed with no output)" : text, failure);
    }

    private String background(TaskId id, Duration waited, Call call, String printed) {
        String written = ". Output is being written to: " + outputs.files(id)
                + ". No notice of its end comes: TaskOutput waits for it.";
        return waited.isZero()
                ? "Command running in background with ID: " + id + written
                : joined(
                        printed,
                        "Command did not complete "
                                + (call.shortened()
                                        ? "in the " + told(waited) + " that this call may wait"
                                        : "within its " + told(waited) + " timeout")
                                + " and was moved to the background (ID: " + id + ")" + written);
    }

    private static String told(Duration waited) {
        return waited.toMillisPart() == 0 ? waited.toSeconds() + "s" : waited.toMillis() + "ms";
    }

    private static String exit(Ran ran) {
        String signal = ran.ending() == null ? null : ran.ending().exitSignal();
        return "Exit code " + ran.exitCode() + (signal == null ? "" : " (" + signal + ")");
    }

    private static String joined(String... parts) {
        return Stream.of(parts).filter(part -> !part.isEmpty()).collect(Collectors.joining("\n"));
    }
}
