package dev.holdfast.task;

import dev.holdfast.task.TaskEvent.Ended;
import dev.holdfast.task.TaskEvent.Promoted;
import dev.holdfast.task.TaskEvent.Spawned;
import dev.holdfast.task.TaskEvent.StopRequested;
import java.time.Instant;

/**
 * The one table of how a task's status changes.
 *
 * <pre>
 *              Spawned     Promoted    StopRequested  Ended
 * QUEUED       RUNNING     QUEUED      CANCELLING     by its ending
 * RUNNING      refused     RUNNING     CANCELLING     by its ending
 * CANCELLING   CANCELLING  CANCELLING  CANCELLING     CANCELLED
 * (ended)      unchanged   unchanged   unchanged      unchanged
 * </pre>
 *
 * By its ending: exit 0 is COMPLETED; another code, a signal or a limit FAILED; a stop CANCELLED; a reboot or an exit
 * that nobody saw INTERRUPTED.
 */
public final class TaskLifecycle {
    private TaskLifecycle() {}

    /**
     * The task after {@code event}. An ended task is returned as it is.
     *
     * @throws IllegalStateException for the one impossible cell, a second process for a running task
     */
    public static Task apply(Task task, TaskEvent event, Instant now) {
        if (task.status().ended()) {
            return task;
        }
        return switch (event) {
            case Spawned _ -> spawned(task, now);
            case Promoted _ -> task.promotedAt() != null ? task : task.promoted(now);
            case StopRequested _ -> task.withStatus(TaskStatus.CANCELLING, now);
            case Ended ended -> ended(task, ended.ending(), now);
        };
    }

    private static Task spawned(Task task, Instant now) {
        return switch (task.status()) {
            case QUEUED -> task.started(TaskStatus.RUNNING, now);
            case CANCELLING -> task.started(TaskStatus.CANCELLING, now);
            default -> throw new IllegalStateException(task.id() + " is " + task.status() + " and cannot start again");
        };
    }

    private static Task ended(Task task, Ending ending, Instant now) {
        if (task.status() == TaskStatus.CANCELLING) {
            return task.ended(TaskStatus.CANCELLED, ending.by(EndedBy.STOP), now);
        }
        return task.ended(statusAfter(ending), ending, now);
    }

    private static TaskStatus statusAfter(Ending ending) {
        return switch (ending.endedBy()) {
            case EXIT -> Integer.valueOf(0).equals(ending.exitStatus()) ? TaskStatus.COMPLETED : TaskStatus.FAILED;
            case SIGNAL, TIMEOUT, IDLE_TIMEOUT, OUTPUT_LIMIT -> TaskStatus.FAILED;
            case STOP -> TaskStatus.CANCELLED;
            case REBOOT, UNKNOWN -> TaskStatus.INTERRUPTED;
        };
    }
}
