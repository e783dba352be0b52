package dev.holdfast.message.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Sha256;
import dev.holdfast.task.Task;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(name = "TaskCommand", description = "What it runs: cmd, shell and login, or argv")
public record CommandJson(
        @Schema(nullable = true, description = "Shell text, secrets masked", examples = "npm run dev") @Nullable
        String cmd,

        @Schema(nullable = true, description = "Program and arguments, secrets masked") @Nullable
        List<String> argv,

        @Schema(description = "SHA-256 of the true shell text, or of the arguments with a NUL after each")
        String cmdDigest,

        String workdir,
        @Schema(nullable = true) @Nullable String shell,
        @Schema(nullable = true) @Nullable Boolean login,
        boolean tty,
        boolean acceptsInput,

        @Schema(description = "Of its terminal, as it is now; absent without one")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        Integer rows,

        @Schema(description = "Of its terminal, as it is now; absent without one")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        Integer cols,

        @Schema(description = "Absent where it has no such limit") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
        Long timeoutMs,

        @Schema(description = "Absent where it has no such limit") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
        Long idleTimeoutMs,

        @Schema(enumeration = "stop", description = "Absent where what outlives it is left alone")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        String onExit,

        @Schema(
                nullable = true,
                enumeration = {"stdin", "tty"},
                description = "Null when it takes no input")
        @Nullable
        String inputTarget,

        @Schema(description = "Values are never stored or returned")
        List<String> envKeys,

        @Schema(
                enumeration = {"read_only", "workspace_write"},
                description = "The wall around it; absent where there is none")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        String sandbox,

        @Schema(description = "Whether the network is there behind its wall; absent without one")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        Boolean network,

        @Schema(description = "Whether its window closed before it ended")
        boolean promotedFromExecCommand) {

    static CommandJson of(Task task) {
        CommandSpec command = task.command();
        Invocation shown = Diagnostics.masked(command.invocation());
        Invocation.ShellText text = shown instanceof Invocation.ShellText shell ? shell : null;
        Invocation.Program program = shown instanceof Invocation.Program argv ? argv : null;
        TerminalSize size = command.terminal();
        Sandbox sandbox = command.sandbox();
        return new CommandJson(
                text == null ? null : text.cmd(),
                program == null ? null : program.argv(),
                digest(command.invocation()),
                command.workdir().toString(),
                text == null ? null : text.shell(),
                text == null ? null : text.login(),
                command.tty(),
                command.acceptsInput(),
                size == null ? null : size.rows(),
                size == null ? null : size.cols(),
                millis(command.timeout()),
                millis(command.idleTimeout()),
                command.onExit() == OnExit.STOP ? "stop" : null,
                inputTarget(command),
                command.envKeys(),
                sandbox == null ? null : sandbox.files().toString(),
                sandbox == null ? null : sandbox.network(),
                task.promotedAt() != null);
    }

    private static @Nullable Long millis(@Nullable Duration limit) {
        return limit == null ? null : limit.toMillis();
    }

    private static @Nullable String inputTarget(CommandSpec command) {
        if (!command.acceptsInput()) {
            return null;
        }
        return command.tty() ? "tty" : "stdin";
    }

    private static String digest(Invocation invocation) {
        String text = switch (invocation) {
            case Invocation.ShellText shell -> shell.cmd();
            case Invocation.Program program -> String.join("\0", program.argv()) + "\0";
        };
        return Sha256.of(text);
    }
}
