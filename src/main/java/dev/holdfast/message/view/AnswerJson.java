package dev.holdfast.message.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskStatus;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.media.DiscriminatorMapping;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

@Schema(
        name = "CommandAnswer",
        description = "Tagged by disposition",
        oneOf = {
            AnswerJson.Completed.class,
            AnswerJson.PromotedToTask.class,
            AnswerJson.AlreadyRunning.class,
            AnswerJson.AwaitingApproval.class
        },
        discriminatorProperty = "disposition",
        discriminatorMapping = {
            @DiscriminatorMapping(value = "completed", schema = AnswerJson.Completed.class),
            @DiscriminatorMapping(value = "promoted_to_task", schema = AnswerJson.PromotedToTask.class),
            @DiscriminatorMapping(value = "already_running", schema = AnswerJson.AlreadyRunning.class),
            @DiscriminatorMapping(value = "awaiting_approval", schema = AnswerJson.AwaitingApproval.class)
        })
public sealed interface AnswerJson {

    @Schema(description = "It ended in its window; a non-zero exit is a result, not an error")
    record Completed(
            @Schema(enumeration = "completed") String disposition,

            @Schema(nullable = true, description = "Null when a signal ended it") @Nullable
            Integer exitStatus,

            @Schema(nullable = true, examples = "SIGKILL") @Nullable
            String exitSignal,

            EndedBy endedBy,
            @JsonInclude(JsonInclude.Include.NON_NULL) TaskJson.@Nullable EndingDetails details,

            @Schema(nullable = true, description = "Head and tail; null when empty") @Nullable
            String stdoutPreview,

            @Schema(nullable = true, description = "Head and tail; null when empty") @Nullable
            String stderrPreview,

            @Schema(description = "Whether a preview leaves something out")
            boolean truncated,

            @Schema(description = "The whole output, kept; only when truncated")
            List<Artifact> artifacts,

            @Schema(description = "Index into artifacts, or absent")
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            Integer stdoutArtifact,

            @Schema(description = "Index into artifacts, or absent")
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            Integer stderrArtifact,

            @Schema(description = "What it started and is still running; absent where nothing is")
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            List<Left> leftRunning,

            @Schema(
                    description = "Of one that is a task, as what left something running is: a stop of it ends that",
                    examples = "task_01JZZ3NDEKTSV4RRFFQ69G5FAV")
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            String taskId,

            long durationMs,
            String summaryText,
            CommandDiagnostics commandDiagnostics)
            implements AnswerJson {}

    @Schema(description = "It runs on as a task")
    record PromotedToTask(
            @Schema(enumeration = "promoted_to_task") String disposition,
            TaskHandle taskHandle,
            @Schema(nullable = true) @Nullable String initialOutputPreview,
            boolean initialOutputTruncated,

            @Schema(description = "yield_time, or the condition of yield_when that held")
            String promotedBecause,

            @Schema(description = "With needs_input: the last line it printed, absent where there is none")
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            String prompt,

            String summaryText,
            CommandDiagnostics commandDiagnostics)
            implements AnswerJson {}

    @Schema(description = "The same command runs already; nothing was started")
    record AlreadyRunning(
            @Schema(enumeration = "already_running") String disposition,
            TaskHandle taskHandle,
            CommandJson command,
            String summary,
            String instructions,
            String summaryText,
            CommandDiagnostics commandDiagnostics)
            implements AnswerJson {}

    @Schema(description = "Nothing was started yet: a person is asked. Once allowed it starts as a task")
    record AwaitingApproval(
            @Schema(enumeration = "awaiting_approval") String disposition,

            @Schema(examples = "approval_01JZZ3NDEKTSV4RRFFQ69G5FAV")
            String approvalId,

            @Schema(nullable = true, description = "The rule that asks; null: the policy's default") @Nullable
            String rule,

            @Schema(nullable = true) @Nullable String reason,

            @Schema(
                    nullable = true,
                    description = "What may be allowed for longer; null where no pattern is safe",
                    examples = "git push *")
            @Nullable
            String suggestedRule,

            Instant expiresAt,
            String summaryText,
            CommandDiagnostics commandDiagnostics)
            implements AnswerJson {}

    @Schema(description = "A stream, kept: whole where nothing is omitted")
    record Artifact(
            String path,
            StreamName stream,
            long bytes,

            @Schema(description = "What is no longer kept, beyond the output's budget; the file has zeros there")
            @JsonInclude(JsonInclude.Include.NON_EMPTY)
            List<CommandAnswer.Omitted> omitted) {
        static Artifact of(CommandAnswer.Artifact kept) {
            CommandAnswer.Omitted omitted = kept.omitted();
            return new Artifact(
                    kept.path().toString(),
                    kept.stream(),
                    kept.bytes(),
                    omitted == null ? List.of() : List.of(omitted));
        }
    }

    @Schema(name = "LeftRunning", description = "A process that outlives its command")
    record Left(
            long pid,

            @Schema(
                    description = "Its command line, at most 240 characters, secrets masked",
                    examples = "node server.js")
            String command,

            @Schema(description = "TCP ports it listens on") List<Integer> ports) {
        public static Left of(LeftProcess process) {
            return new Left(process.pid(), Diagnostics.process(process.name(), process.arguments()), process.ports());
        }
    }

    @Schema(description = "The task to ask for: GET /v1/tasks/{task_id}")
    record TaskHandle(
            @Schema(examples = "task_01JZZ3NDEKTSV4RRFFQ69G5FAV")
            String taskId,

            @Schema(enumeration = TaskJson.KIND) String taskKind,
            TaskStatus status) {
        static TaskHandle of(Task task) {
            return new TaskHandle(task.id().value(), TaskJson.KIND, task.status());
        }
    }

    static AnswerJson of(CommandAnswer answer) {
        return switch (answer) {
            case CommandAnswer.Completed completed -> of(completed);
            case CommandAnswer.PromotedToTask promoted ->
                new PromotedToTask(
                        "promoted_to_task",
                        TaskHandle.of(promoted.task()),
                        Receipts.initialOutput(promoted.initial()),
                        promoted.initial().truncated(),
                        promoted.because(),
                        promoted.prompt(),
                        Receipts.summaryText(answer),
                        answer.diagnostics());
            case CommandAnswer.AlreadyRunning running ->
                new AlreadyRunning(
                        "already_running",
                        TaskHandle.of(running.task()),
                        CommandJson.of(running.task()),
                        Diagnostics.summary(running.task().command().invocation()),
                        Receipts.START_ANOTHER,
                        Receipts.summaryText(answer),
                        answer.diagnostics());
            case CommandAnswer.AwaitingApproval awaiting ->
                new AwaitingApproval(
                        "awaiting_approval",
                        awaiting.approvalId(),
                        awaiting.rule(),
                        awaiting.reason(),
                        awaiting.suggested(),
                        awaiting.expiresAt(),
                        Receipts.summaryText(answer),
                        answer.diagnostics());
        };
    }

    static Completed of(CommandAnswer.Completed answer) {
        List<Artifact> artifacts = answer.artifacts().stream().map(Artifact::of).toList();
        CommandAnswer.LeftRunning left = answer.left();
        return new Completed(
                "completed",
                answer.ending().exitStatus(),
                answer.ending().exitSignal(),
                answer.ending().endedBy(),
                answer.ending().details().isEmpty() ? null : TaskJson.EndingDetails.of(answer.ending()),
                answer.preview().stdout(),
                answer.preview().stderr(),
                answer.preview().truncated(),
                artifacts,
                index(artifacts, StreamName.STDOUT),
                index(artifacts, StreamName.STDERR),
                left == null || left.processes().isEmpty()
                        ? null
                        : left.processes().stream().map(Left::of).toList(),
                left == null ? null : left.task().value(),
                answer.duration().toMillis(),
                Receipts.summaryText(answer),
                answer.diagnostics());
    }

    private static @Nullable Integer index(List<Artifact> artifacts, StreamName stream) {
        return IntStream.range(0, artifacts.size())
                .filter(i -> artifacts.get(i).stream() == stream)
                .boxed()
                .findFirst()
                .orElse(null);
    }
}
