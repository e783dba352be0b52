package dev.holdfast.tool.classic;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.Audit;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.Invocation;
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
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Runs a command and waits for its end, which its time limit brings at the latest; three designs, by configuration. */
@Singleton
@ToolDescription(
        profile = Profile.CLASSIC,
        name = "bash",
        description =
                "Run a command with bash; answers when it has ended, with its output and exit code. At the time-out "
                        + "it and all that it started are killed. Each call is a new shell; calls with the same session go on in "
                        + "the directory where the last one ended.",
        effect = ToolDescription.Effect.RUNS)
public record Bash(Starts starts, BashSessions sessions, OutputStore outputs, Audit audit, HoldfastConfig config)
        implements Tool<Bash.Input> {
    private static final int SUMMARY = 60;

    /** A command, and how long it may take. */
    public record Input(
            @Schema(required = true) @Nullable String command,

            @Schema(minimum = "0.001", maximum = "3155760000", description = "in seconds") @Nullable
            Double timeout,

            @Schema(description = "any name; keeps the working directory between calls") @Nullable
            String session) {}

    @Override
    public boolean requiredByProtocol() {
        return true;
    }

    @Override
    public Outcome run(Input input, Call call) {
        String command = Requests.needed("command", input.command());
        check(command);
        Duration timeout =
                input.timeout() == null ? dialect().timeout() : Duration.ofMillis(Math.round(input.timeout() * 1000));
        Limits limits = Limits.endedAfter(timeout, dialect().maxOutputTokens());
        StartRequest request = Requests.shell("command", command, shell(input.session()), limits);
        Ran ran = starts.run(request.within(call.wait(request.yieldTime())), call);
        String summary = summary(command);
        if (ran.task() != null) {
            TaskId id = ran.task().id();
            String text = dialect().text(ran) + "\n(not ended yet: it runs on as " + id
                    + " until its time-out; its output is being written to " + outputs.files(id)
                    + ")";
            return new Outcome(id, summary, dialect().result(ran), text);
        }
        return switch (Objects.requireNonNull(ran.ending()).endedBy()) {
            case TIMEOUT -> failed(ErrorKind.EXECUTION_FAILED, dialect().timedOut(timeout), ran, summary);
            case STOP -> failed(ErrorKind.CANCELLED, "The command was stopped.", ran, summary);
            default ->
                new Outcome(
                        ran.recorded(),
                        summary,
                        dialect().result(ran),
                        dialect().text(ran));
        };
    }

    private Dialects dialect() {
        return Dialects.of(config.tools().bash());
    }

    private void check(String command) {
        try {
            dialect().check(command);
        } catch (Refusal denied) {
            audit.denied(command, "bash: " + denied.details().get("rule"));
            throw denied;
        }
    }

    private Outcome failed(ErrorKind kind, String message, Ran ran, String summary) {
        Refusal why = new Refusal(kind, message, "Give it more time with timeout, or do less at once.");
        return new Outcome(null, summary, dialect().nothing(ran), message, why);
    }

    private Shell shell(@Nullable String session) {
        boolean keeps = session != null && !session.isEmpty();
        if (!keeps && dialect().environment().isEmpty()) {
            return Shell.bash();
        }
        BashSessions.Place place =
                sessions.place(keeps ? session : null, dialect().environment().orElse(null));
        return new Shell(place.workdir(), place.shell(), false, false);
    }

    @Override
    public String activity(long seconds) {
        return "Running command...";
    }

    @Override
    public String told(Refusal refusal) {
        if (refusal.kind() != ErrorKind.COMMAND_DENIED) {
            return Tool.super.told(refusal);
        }
        return refusal.details().containsKey("approval_id") ? dialect().unconfirmed(refusal) : refusal.getMessage();
    }

    /** {@code [bash: …]}, at most 60 characters of what a person sees, secrets masked before it is cut. */
    static String summary(String command) {
        String line = Diagnostics.summary(new Invocation.ShellText(command, "bash", false));
        int room = SUMMARY - "[bash: ]".length();
        boolean fits = line.codePointCount(0, line.length()) <= room;
        String shown = fits ? line : line.substring(0, line.offsetByCodePoints(0, room - 1)) + "…";
        return "[bash: " + shown + "]";
    }
}
