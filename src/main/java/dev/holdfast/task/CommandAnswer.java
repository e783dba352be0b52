package dev.holdfast.task;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a caller who started a command is told. */
public sealed interface CommandAnswer {
    CommandDiagnostics diagnostics();

    /** The task that its caller goes on with; null where there is none. */
    default @Nullable TaskId goesOnAs() {
        return switch (this) {
            case PromotedToTask promoted -> promoted.task().id();
            case AlreadyRunning running -> running.task().id();
            case Completed _, AwaitingApproval _ -> null;
        };
    }

    /**
     * It ended in its window.
     *
     * @param limit what the limit was, when one of its own ended it (its timeout, its idle timeout), else null
     * @param artifacts the whole output, kept: only when the preview is truncated
     * @param left what it left running, null where nothing is
     */
    record Completed(
            Ending ending,
            Preview preview,
            @Nullable Duration limit,
            List<Artifact> artifacts,
            Duration duration,
            @Nullable LeftRunning left,
            CommandDiagnostics diagnostics)
            implements CommandAnswer {}

    /**
     * It goes on.
     *
     * @param because {@code yield_time}, or the name of the condition of {@code yield_when} that held
     * @param prompt what it asks, where it needs input and has printed something
     */
    record PromotedToTask(
            Task task,
            Preview initial,
            String because,
            @Nullable String prompt,
            CommandDiagnostics diagnostics) implements CommandAnswer {}

    record AlreadyRunning(Task task, CommandDiagnostics diagnostics) implements CommandAnswer {}

    /**
     * Nothing runs yet: a person is asked.
     *
     * @param rule that asks, null for the policy's default
     * @param suggested the pattern that may be allowed for longer, null where none is safe
     */
    record AwaitingApproval(
            String approvalId,
            @Nullable String rule,
            @Nullable String reason,
            @Nullable String suggested,
            Instant expiresAt,
            CommandDiagnostics diagnostics)
            implements CommandAnswer {}

    /** @param task which a stop of ends them, and which stays when none of them lives any more */
    record LeftRunning(TaskId task, List<LeftProcess> processes) {
        public LeftRunning {
            processes = List.copyOf(processes);
        }

        /** Null where nothing is left. */
        public static @Nullable LeftRunning of(TaskId task, List<LeftProcess> processes) {
            return processes.isEmpty() ? null : new LeftRunning(task, processes);
        }
    }

    /**
     * A stream kept on disk.
     *
     * @param omitted what of it is not, beyond its budget; the file reads as zeros there. Null: it is whole
     */
    record Artifact(
            Path path,
            StreamName stream,
            long bytes,
            @Nullable Omitted omitted) {}

    /** Bytes {@code from} inclusive to {@code to} exclusive. */
    record Omitted(long from, long to) {}
}
