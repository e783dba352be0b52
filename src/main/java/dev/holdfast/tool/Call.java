package dev.holdfast.tool;

import java.time.Duration;

/**
 * How long one call of a tool may wait: a client that gives up after a minute must have its answer before. Used by one
 * thread.
 */
public final class Call {
    /** Longer than any tool waits. */
    public static final Duration NO_LIMIT = Duration.ofDays(1);

    private final Duration most;
    private boolean shortened;

    public Call(Duration most) {
        this.most = most;
    }

    public Duration most() {
        return most;
    }

    /** What of the time asked for may be waited. */
    public Duration wait(Duration asked) {
        shortened |= asked.compareTo(most) > 0;
        return asked.compareTo(most) > 0 ? most : asked;
    }

    /** Whether somebody asked to wait longer than the call may. */
    public boolean shortened() {
        return shortened;
    }
}
