package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** What the kernel tells of the machine. */
public final class Machine {
    private static final int CLOCK_BOOTTIME = 7;
    private static final LibcFunction CLOCK_GETTIME = LibcFunction.ofInt("clock_gettime");
    private static final LibcFunction PAGE_SIZE = LibcFunction.ofInt("getpagesize");

    private Machine() {}

    /** How long it has been up, by the clock that start times of processes are of: nobody sets it, and sleep counts. */
    public static Duration uptime() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(JAVA_LONG, 2);
            Libc.checked("clock_gettime", CLOCK_GETTIME.call(CLOCK_BOOTTIME, address(time)));
            return Duration.ofSeconds(time.getAtIndex(JAVA_LONG, 0), time.getAtIndex(JAVA_LONG, 1));
        }
    }

    /** Of memory, in bytes. */
    public static long pageSize() {
        return PAGE_SIZE.call();
    }
}
