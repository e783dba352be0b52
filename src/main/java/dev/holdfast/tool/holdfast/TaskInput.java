package dev.holdfast.tool.holdfast;

import dev.holdfast.render.Receipts;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.TaskView;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.control.Replies;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Types into a task and answers with what the program printed meanwhile. */
@Singleton
@ToolDescription(
        profile = Profile.HOLDFAST,
        name = "TaskInput",
        description =
                "Type into a task with tty or accepts_input; gives its output once it reads again. End lines with \\n.",
        effect = ToolDescription.Effect.RUNS)
public record TaskInput(
        Tasks tasks, TaskControl control, OutputReads reads, Replies replies, Answers answers, WrittenIds ids)
        implements Tool<TaskInput.Input> {
    private static final int MOST_BYTES = 65_536;

    /** What is typed, and how long what it prints is collected. */
    public record Input(
            @Schema(required = true) @Nullable String taskId,
            @Nullable String input,

            @Schema(description = "enter, up, ctrl-c... (tty)") @Nullable
            List<String> keys,

            @Nullable Boolean eof,

            @Schema(minimum = "0", maximum = "30000", defaultValue = "250") @Nullable
            Integer waitMs) {
        private static final int DEFAULT_WAIT_MS = 250;

        private Duration patience() {
            return Duration.ofMillis(Objects.requireNonNullElse(waitMs, DEFAULT_WAIT_MS));
        }

        /** As the body of {@code POST /v1/tasks/{id}/input}, where the text has another name. */
        private dev.holdfast.message.body.TaskInput.Written written() {
            if (input != null && keys != null) {
                throw Refusal.invalid("keys", "must not be given together with `input`", "Send one of them.");
            }
            if (input == null && keys == null && !Boolean.TRUE.equals(eof)) {
                throw Refusal.invalid("input", "is missing", "Send input or keys, or eof alone.");
            }
            return new dev.holdfast.message.body.TaskInput(input, null, keys, eof).written();
        }
    }

    /** What became of it; {@code cursor} is where the output that is told begins. */
    public record Fed(
            String taskId,
            boolean acceptedInput,
            @Nullable String inputTarget,
            int bytesWritten,
            dev.holdfast.task.TaskStatus status,
            @Nullable Integer exitStatus,
            String output,
            String cursor,
            String nextCursor) {}

    @Override
    public Outcome run(Input input, Call call) {
        var written = input.written();
        TaskId id = ids.of(input.taskId());
        String from = reads.end(id);
        TaskControl.InputOutcome taken = null;
        String head;
        try {
            taken = feed(id, written);
            head = "Wrote " + taken.bytesWritten() + " bytes to " + taken.inputTarget();
        } catch (Refusal refusal) {
            head = notAccepted(refusal);
        }
        OutputPage<String> printed = replies.after(id, from, MOST_BYTES, call.wait(input.patience()));
        TaskView view = tasks.get(id, true); // what was seen before it had its input says that it waits for it
        Fed fed = new Fed(
                id.value(),
                taken != null,
                taken == null ? null : taken.inputTarget(),
                taken == null ? 0 : taken.bytesWritten(),
                printed.status(),
                printed.exitStatus(),
                printed.content(),
                printed.cursor(),
                printed.nextCursor());
        String next = view.task().status().ended() ? null : printed.nextCursor();
        String shown = answers.drawn(view.task(), MOST_BYTES)
                .map(Receipts::initialOutput)
                .orElse(printed.content());
        String text = TaskTexts.output(head, view.task(), Views.seen(view), shown, next);
        return new Outcome(id, head, fed, text);
    }

    /** A task without input refuses keys as it refuses any input. */
    private TaskControl.InputOutcome feed(TaskId id, dev.holdfast.message.body.TaskInput.Written written) {
        boolean keys = written.keys() && tasks.find(id).command().acceptsInput();
        return control.input(id, written.bytes(), keys, written.eof());
    }

    /** That a task takes none, or no more, is an answer. */
    private static String notAccepted(Refusal refusal) {
        return switch (refusal.kind()) {
            case INPUT_NOT_ACCEPTED -> "Input was not accepted: " + refusal.getMessage() + " " + refusal.recoveryHint();
            case NOT_A_TERMINAL -> {
                String hint = "Send input, or start the command with tty.";
                throw new Refusal(refusal.kind(), refusal.getMessage(), hint, refusal.details());
            }
            default -> throw refusal;
        };
    }
}
