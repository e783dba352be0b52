package dev.holdfast.kernel;

/** The clock of process start times (CLOCK_BOOTTIME, clock_gettime(2)): time since boot, sleep included, nobody sets it. */
public final class BootTime {
    private static final int CLOCK_MONOTONIC = 1;
    private static final int CLOCK_BOOTTIME = 7;
    private static final int TRIES = 3;

    private BootTime() {}

    public static long nanos() {
        return Libc.clock(CLOCK_BOOTTIME);
    }

    /** How long the machine has slept since boot; a thread that was interrupted here would make it more, so thrice. */
    static long aheadOfMonotonic() {
        long ahead = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long monotonic = Libc.clock(CLOCK_MONOTONIC);
            ahead = Math.min(ahead, nanos() - monotonic);
        }
        return ahead;
    }
}
