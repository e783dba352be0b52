package dev.holdfast.kernel;

import java.time.Duration;

/** How long the machine has been up. */
public final class Uptime {
    private Uptime() {}

    /** By the clock that start times of processes are of: nobody sets it, and sleep counts. */
    public static Duration now() {
        return Duration.ofNanos(Libc.checked("clock_gettime", Libc.clock(Libc.CLOCK_BOOTTIME)));
    }
}
