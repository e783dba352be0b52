package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * For how long the scheduler lets the calling thread run at a stretch (sched_setattr(2)). Since Linux 6.12 an ordinary
 * thread may ask for slices of its own, 0.1 to 100 ms. Who asks for short ones gets no more of the processor, but gets it
 * sooner when it is woken: at once, instead of when whoever woke it has finished. Older kernels take no notice.
 */
final class TimeSlice {
    /** The shortest that the kernel gives. */
    static final Duration SHORTEST = Duration.ofNanos(100_000);

    private static final int THIS_THREAD = 0;
    /** {@code struct sched_attr}: size, policy, flags, nice, priority, runtime, deadline, period. */
    private static final int SIZE = 48;

    private static final int POLICY = 4;
    private static final int FLAGS = 8;
    private static final int RUNTIME = 24;
    private static final int SCHED_OTHER = 0;
    private static final long SCHED_FLAG_RESET_ON_FORK = 1;

    private TimeSlice() {}

    /**
     * Asks for it, for this thread and not for the threads and processes that it starts. Where the kernel refuses, or the
     * thread is no ordinary one, nothing changes.
     */
    static void ask(Duration slice) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(SIZE, 8);
            if (Libc.schedGetAttributes(THIS_THREAD, attributes) == 0
                    && attributes.get(JAVA_INT, POLICY) == SCHED_OTHER) {
                attributes.set(JAVA_LONG, FLAGS, attributes.get(JAVA_LONG, FLAGS) | SCHED_FLAG_RESET_ON_FORK);
                attributes.set(JAVA_LONG, RUNTIME, slice.toNanos());
                Libc.schedSetAttributes(THIS_THREAD, attributes);
            }
        }
    }

    /** What the calling thread has; zero before Linux 6.12. */
    static Duration current() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(SIZE, 8);
            Bindings.checked("sched_getattr", Libc.schedGetAttributes(THIS_THREAD, attributes));
            return Duration.ofNanos(attributes.get(JAVA_LONG, RUNTIME));
        }
    }
}
