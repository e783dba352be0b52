package dev.holdfast.tool.codex;

import dev.holdfast.runtime.start.StartRequest;
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
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Runs a command, which has a session when it has not ended soon enough. */
@Singleton
@ToolDescription(
        profile = Profile.CODEX,
        name = "exec_command",
        description =
                "Run a shell command. Answers with its output, and with a session ID to go on with in write_stdin if "
                        + "it still runs when the wait is over; it then runs on by itself.",
        effect = ToolDescription.Effect.RUNS)
public record ExecCommand(Starts starts, SessionReads sessions) implements Tool<ExecCommand.Input> {
    /** The last three go with that agent's own approvals; they are taken and change nothing. */
    public record Input(
            @Schema(required = true, description = "shell text") @Nullable
            String cmd,

            @Schema(nullable = true, description = "default: the workspace") @Nullable
            String workdir,

            @Schema(nullable = true, description = "default: the user's") @Nullable
            String shell,

            @Schema(nullable = true, defaultValue = "true") @Nullable
            Boolean login,

            @Schema(nullable = true, description = "run in a terminal, which can be written to") @Nullable
            Boolean tty,

            @Schema(
                    nullable = true,
                    minimum = "0",
                    defaultValue = "10000",
                    description = "how long to wait, 250 to 30000")
            @Nullable
            Double yieldTimeMs,

            @Schema(nullable = true, minimum = "0", defaultValue = "10000") @Nullable
            Double maxOutputTokens,

            @Schema(nullable = true, description = "has no effect here") @Nullable
            String sandboxPermissions,

            @Schema(nullable = true, description = "has no effect here") @Nullable
            String justification,

            @Schema(nullable = true, description = "has no effect here") @Nullable
            List<String> prefixRule) {
        private static final int DEFAULT_WAIT_MS = 10_000;

        private Duration window() {
            return Duration.ofMillis(Chunk.whole(yieldTimeMs, DEFAULT_WAIT_MS, 250, 30_000));
        }

        private int tokens() {
            return Chunk.tokens(maxOutputTokens);
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        boolean login = !Boolean.FALSE.equals(input.login());
        Shell shell = new Shell(input.workdir(), input.shell(), login, Boolean.TRUE.equals(input.tty()));
        Limits limits = new Limits(call.wait(input.window()), null, null, input.tokens());
        StartRequest request = Requests.shell("cmd", input.cmd(), shell, limits).inPlainText();
        long began = System.nanoTime();
        Ran ran = starts.run(request, call);
        Chunk chunk = ran.id() == null
                ? ended(ran, began, input.tokens())
                : sessions.tell(ran.id(), Duration.ZERO, input.tokens(), began);
        return new Outcome(ran.recorded(), chunk.summary(), chunk, chunk.text());
    }

    private Chunk ended(Ran ran, long began, int tokens) {
        String all = ran.output();
        HeadTail cut = ran.kept() == null ? null : sessions.whole(ran.kept(), tokens);
        return (cut == null
                        ? Chunk.of(began, ran.exitCode(), null, all.length(), all)
                        : Chunk.of(began, ran.exitCode(), null, cut.chars(), cut.text()))
                .noting(ran.ending(), ran.left());
    }
}
