package dev.holdfast.task;

/** Who or what ended a command. */
public enum EndedBy {
    /** It exited by itself. */
    EXIT,
    /** A signal that no stop or limit of ours sent. */
    SIGNAL,
    STOP,
    TIMEOUT,
    IDLE_TIMEOUT,
    OUTPUT_LIMIT,
    /** The machine restarted while it ran. */
    REBOOT,
    /** Its exit was seen by nobody. */
    UNKNOWN
}
