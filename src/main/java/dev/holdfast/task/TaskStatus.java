package dev.holdfast.task;

/** Where a task stands. Only {@link TaskLifecycle} makes a new one; an ended status never changes again. */
public enum TaskStatus {
    QUEUED,
    RUNNING,
    /** A stop was asked for and the command has not ended yet. */
    CANCELLING,
    /** It exited with 0. */
    COMPLETED,
    /** Another exit code, a signal from outside, or a limit of its own. */
    FAILED,
    /** A stop was asked for, and it ended. */
    CANCELLED,
    /** The machine rebooted under it, or how it ended could not be learnt. */
    INTERRUPTED;

    public boolean ended() {
        return switch (this) {
            case QUEUED, RUNNING, CANCELLING -> false;
            case COMPLETED, FAILED, CANCELLED, INTERRUPTED -> true;
        };
    }
}
