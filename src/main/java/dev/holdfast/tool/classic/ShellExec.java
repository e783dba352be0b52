package dev.holdfast.tool.classic;

import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Ran;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Requests.Limits;
import dev.holdfast.tool.Starts;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An agent kit's: a program without a shell. It ends with its caller. */
@Singleton
@ToolDescription(
        profile = Profile.CLASSIC,
        name = "shell.exec",
        description =
                "Run a program with its arguments, without a shell: no pipes, globs or variables. Answers when it has "
                        + "ended; any exit code but 0 is an error.",
        effect = ToolDescription.Effect.RUNS)
public record ShellExec(Starts starts, TaskControl control, OutputStore outputs) implements Tool<ShellExec.Input> {
    private static final int MOST_TOKENS = 64_000;

    /** A program and where it runs. */
    public record Input(
            @Schema(required = true, description = "name or path") @Nullable
            String executable,

            @Schema(description = "its arguments, without its name") @Nullable
            List<String> argv,

            @Nullable String cwd,

            @Schema(description = "variables to set") @Nullable
            Map<String, String> env,

            @Schema(minimum = "1", maximum = "3155760000000", description = "then it is killed") @Nullable
            Long timeoutMs) {}

    /** What came of it; {@code exitCode} is null on a signal. */
    public record Result(
            String stdout,
            String stderr,
            boolean success,
            @Nullable Integer exitCode) {
        private static Result of(Ran ran) {
            Ending ending = ran.ending();
            Integer code = ending == null ? null : ending.exitStatus();
            return new Result(ran.stdout(), ran.stderr(), ending != null && ran.failure() == null, code);
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        String program = Requests.needed("executable", input.executable());
        if (program.isBlank()) {
            throw Refusal.invalid("executable", "must not be blank", "Send the program's name or path.");
        }
        List<String> argv = new ArrayList<>(List.of(program));
        argv.addAll(input.argv() == null ? List.of() : input.argv());
        Limits limits = input.timeoutMs() == null
                ? new Limits(Call.NO_LIMIT, null, null, MOST_TOKENS)
                : Limits.endedAfter(Duration.ofMillis(input.timeoutMs()), MOST_TOKENS);
        StartRequest request =
                Requests.program(argv, input.cwd(), input.env(), limits).endingWithCaller();
        Ran ran = run(request.within(call.wait(request.yieldTime())), call);
        Result result = Result.of(ran);
        Refusal failure = ran.id() == null ? ran.failure() : unfinished(ran.id());
        String summary = failure == null ? program + " succeeded" : failure.getMessage();
        boolean exited = ran.endedBy(EndedBy.EXIT) || ran.endedBy(EndedBy.SIGNAL);
        String why = exited || failure == null ? "" : failure.getMessage() + "\n";
        String hint = failure == null || ran.id() == null ? "" : failure.recoveryHint() + "\n";
        String text = why + hint + Json.text(result);
        return new Outcome(ran.recorded(), summary, result, text, failure);
    }

    private Ran run(StartRequest request, Call call) {
        try {
            return starts.run(request, call);
        } catch (Refusal refusal) {
            throw refusal.kind() == ErrorKind.COMMAND_SPAWN_FAILED
                    ? new Refusal(
                            ErrorKind.EXECUTION_FAILED,
                            refusal.getMessage(),
                            refusal.recoveryHint().replace("use cmd instead of argv", "call bash"),
                            refusal.details())
                    : refusal;
        }
    }

    /** It ends with its caller, who is gone (or whose connection ends with the server); one who is there is told it. */
    private Refusal unfinished(TaskId id) {
        if (!Patience.isOver()) {
            return new Refusal(
                    ErrorKind.EXECUTION_FAILED,
                    "The program has not ended yet, and no call may wait longer: it runs on as " + id
                            + ". Its output is being written to " + outputs.files(id) + ".",
                    "Read on there; the same call again would start it once more. A client that asks for progress"
                            + " may wait for its end.",
                    Map.of("task_id", id.value()));
        }
        // Its caller is gone, and still it has to end before the server does.
        var _ = new Patience().during(() -> control.stop(id, Duration.ZERO, true));
        return new Refusal(
                ErrorKind.CANCELLED,
                "The call was cut short, and the program was stopped.",
                "For what takes long use ExecCommand, which makes a task of it.");
    }
}
