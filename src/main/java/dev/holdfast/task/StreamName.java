package dev.holdfast.task;

/** One of the two streams a command writes. A terminal has {@link #STDOUT} alone. */
public enum StreamName {
    STDOUT,
    STDERR
}
