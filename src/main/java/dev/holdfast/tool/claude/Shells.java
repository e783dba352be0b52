package dev.holdfast.tool.claude;

import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskStatus;
import dev.holdfast.tool.Requests;
import dev.holdfast.tool.Running;
import dev.holdfast.tool.WrittenIds;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Background shells, as that agent speaks of tasks. Thread-safe. */
@Singleton
record Shells(Tasks tasks, WrittenIds ids, Running running) {
    static final String TYPE = "local_bash";
    /** 30,000 characters, as that agent shows a model of an output. */
    static final int TOKENS = 7500;

    Task find(@Nullable String written) {
        try {
            return tasks.find(ids.of(Requests.needed("task_id", written)));
        } catch (Refusal refusal) {
            if (refusal.kind() != ErrorKind.TASK_NOT_FOUND) {
                throw refusal;
            }
            String gone = refusal.details().containsKey("forgotten_at")
                    ? refusal.getMessage() + " "
                    : refusal.details().containsKey("in_window")
                            ? refusal.getMessage() + " " + refusal.recoveryHint() + " "
                            : "";
            throw new Refusal(
                    ErrorKind.TASK_NOT_FOUND,
                    "No task found with ID: " + written,
                    gone + running.named(Task::id),
                    refusal.details());
        }
    }

    /** What a command left running, and what to do; empty for nothing. */
    static String left(CommandAnswer.@Nullable LeftRunning left) {
        return left == null
                ? ""
                : Receipts.leftProcesses(left) + "\nUse run_in_background, not &. TaskStop of " + left.task()
                        + " ends what is left.";
    }

    static String status(TaskStatus status) {
        return switch (status) {
            case QUEUED, RUNNING, CANCELLING -> "running";
            case COMPLETED -> "completed";
            case FAILED, INTERRUPTED -> "failed";
            case CANCELLED -> "killed";
        };
    }
}
