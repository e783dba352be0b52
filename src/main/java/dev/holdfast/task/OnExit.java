package dev.holdfast.task;

/** What becomes of the processes a command started that outlive it. */
public enum OnExit {
    LEAVE,
    STOP
}
