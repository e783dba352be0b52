package dev.holdfast.tool.claude;

import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.render.TaskTexts;
import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Preview;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.tool.Call;
import dev.holdfast.tool.Profile;
import dev.holdfast.tool.Tool;
import dev.holdfast.tool.ToolDescription;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Waits for a background shell's end and answers with its output. */
@Singleton
@ToolDescription(
        profile = Profile.CLAUDE,
        name = "TaskOutput",
        description =
                "Output of a command in the background, whether it runs or has ended. Waits for its end, unless block is "
                        + "false; a time-out is no error: call again.",
        effect = ToolDescription.Effect.READS)
public record TaskOutput(Tasks tasks, Answers answers, Shells shells) implements Tool<TaskOutput.Input> {
    /** Whose output, and how long its end is waited for. */
    public record Input(
            @Schema(required = true) @Nullable String taskId,

            @Schema(defaultValue = "true", description = "wait for its end") @Nullable
            Boolean block,

            @Schema(minimum = "0", maximum = "600000", defaultValue = "30000", description = "ms") @Nullable
            Integer timeout) {
        private static final int DEFAULT_MS = 30_000;

        private Duration patience() {
            return Boolean.FALSE.equals(block)
                    ? Duration.ZERO
                    : Duration.ofMillis(Objects.requireNonNullElse(timeout, DEFAULT_MS));
        }
    }

    /** How the task stands. */
    public record Part(
            String taskId,
            String taskType,
            String status,
            String description,
            String output,
            @Nullable Integer exitCode,
            @Nullable String error) {}

    /** The answer. */
    public record Result(String retrievalStatus, Part task) {
        private String text() {
            List<String> tags = new ArrayList<>();
            tags.add(tag("retrieval_status", retrievalStatus));
            tags.add(tag("task_id", task.taskId()));
            tags.add(tag("task_type", task.taskType()));
            tags.add(tag("status", task.status()));
            if (task.exitCode() != null) {
                tags.add(tag("exit_code", task.exitCode()));
            }
            if (!task.output().isBlank()) {
                tags.add(tag("output", "\n" + task.output().stripTrailing() + "\n"));
            }
            if (task.error() != null) {
                tags.add(tag("error", task.error()));
            }
            return String.join("\n\n", tags);
        }

        private static String tag(String name, Object content) {
            return "<" + name + ">" + content + "</" + name + ">";
        }
    }

    @Override
    public Outcome run(Input input, Call call) {
        TaskId id = shells.find(input.taskId()).id();
        boolean ended = tasks.awaitEnd(id, call.wait(input.patience()));
        Task task = tasks.find(id);
        String waited = Boolean.FALSE.equals(input.block()) ? "not_ready" : "timeout";
        Result result = new Result(ended ? "success" : waited, part(task));
        String left = Shells.left(CommandAnswer.LeftRunning.of(id, tasks.left(task)));
        String text = left.isEmpty() ? result.text() : result.text() + "\n\n" + left;
        return new Outcome(id, result.retrievalStatus() + ": " + id, result, text);
    }

    private Part part(Task task) {
        Preview preview = answers.preview(task, Shells.TOKENS * Diagnostics.CHARS_PER_TOKEN);
        String output = Objects.requireNonNullElse(Receipts.initialOutput(preview), "");
        String whole = Receipts.kept(preview.truncated() ? answers.artifacts(task.id()) : List.of())
                .map(files -> "[Truncated. Full output: " + files + "]\n\n")
                .orElse("");
        Ending ending = task.ending();
        boolean plain = ending == null || ending.endedBy() == EndedBy.EXIT;
        String status = plain ? "" : TaskTexts.status(task, TaskTexts.Seen.NOTHING) + "\n";
        String problem = (status + Receipts.cause(ending).orElse("")).strip();
        return new Part(
                task.id().value(),
                Shells.TYPE,
                Shells.status(task.status()),
                Diagnostics.summary(task.command().invocation()),
                whole + output,
                ending == null ? null : ending.exitStatus(),
                problem.isEmpty() ? null : problem);
    }
}
