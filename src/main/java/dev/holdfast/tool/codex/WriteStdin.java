package dev.holdfast.tool.codex;

import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskIds;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Running;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Types into a session, or looks at it; answers with what is new. */
@Singleton
@ToolDescription(
        profile = Profile.CODEX,
        name = "write_stdin",
        description =
                "Type into a session of exec_command, or, without chars, wait for it; answers with what it printed "
                        + "since the last answer. \\u0003 interrupts it, also without a terminal. A session that has ended still "
                        + "answers.",
        effect = ToolDescription.Effect.RUNS)
public record WriteStdin(TaskControl control, SessionReads sessions, Running running, UnknownTasks unknown)
        implements Tool<WriteStdin.Input> {
    private static final String INTERRUPT = "\u0003";

    /** Which session, and what is typed. */
    public record Input(
            @Schema(required = true, minimum = "0", maximum = "9007199254740991", description = "from exec_command")
            @Nullable
            Long sessionId,

            @Schema(nullable = true, description = "none: only wait") @Nullable
            String chars,

            @Schema(
                    nullable = true,
                    minimum = "0",
                    defaultValue = "250",
                    description = "how long to wait, 250 to 30000; without chars 5000 to 300000")
            @Nullable
            Double yieldTimeMs,

            @Schema(nullable = true, minimum = "0", defaultValue = "10000") @Nullable
            Double maxOutputTokens) {
        private static final int DEFAULT_WAIT_MS = 250;

        private boolean types() {
            return chars != null && !chars.isEmpty();
        }

        private Duration wait(boolean typed) {
            return Duration.ofMillis(
                    typed
                            ? Chunk.whole(yieldTimeMs, DEFAULT_WAIT_MS, 250, 30_000)
                            : Chunk.whole(yieldTimeMs, DEFAULT_WAIT_MS, 5000, 300_000));
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        long number = Requests.needed("session_id", input.sessionId());
        Task task = running.numbered(number).orElseThrow(() -> unknown(number));
        if (input.types() && !task.status().ended()) {
            type(task, Objects.requireNonNull(input.chars()));
        }
        int tokens = Chunk.tokens(input.maxOutputTokens());
        Chunk chunk = sessions.tell(task.id(), call.wait(input.wait(input.types())), tokens, System.nanoTime());
        return new Outcome(task.id(), chunk.summary(), chunk, chunk.text());
    }

    /** One that ends meanwhile is told of as ended. */
    private void type(Task task, String chars) {
        try {
            if (task.command().acceptsInput()) {
                control.input(task.id(), chars.getBytes(StandardCharsets.UTF_8), false, false);
            } else if (chars.equals(INTERRUPT)) {
                control.signal(task.id(), Signal.INT);
            } else {
                throw new Refusal(
                        ErrorKind.INPUT_NOT_ACCEPTED,
                        "stdin is closed for this session",
                        "Start the command with tty=true to type into it; \\u0003 alone interrupts this one.");
            }
        } catch (Refusal refusal) {
            if (refusal.details().containsKey("longest_line_bytes")) {
                String hint = "Send shorter lines, or write the text to a file that the command reads.";
                throw new Refusal(refusal.kind(), refusal.getMessage(), hint, refusal.details());
            }
            if (refusal.kind() != ErrorKind.TASK_NOT_RUNNING) {
                throw refusal;
            }
        }
    }

    private Refusal unknown(long number) {
        String message = "Unknown process id " + number;
        String next = running.named(task -> TaskIds.number(task.id())) + " A new session is begun with exec_command.";
        return TaskIds.lastOf(number)
                .flatMap(last -> unknown.forgotten(TaskIds.millisecond(last), id -> TaskIds.number(id) == number))
                .map(gone -> new Refusal(
                        ErrorKind.TASK_NOT_FOUND,
                        message,
                        "Its command ended, and was forgotten with its output. " + next,
                        gone.details()))
                .orElseGet(() -> unknown.completed(new Refusal(ErrorKind.TASK_NOT_FOUND, message, next)));
    }
}
