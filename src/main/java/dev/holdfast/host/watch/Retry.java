package dev.holdfast.host.watch;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.call.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Does again what fails, as all does that needs a descriptor when there is none, until it does not or nobody waits for
 * ends any more: an end may be told late, and is not lost. Thread-safe.
 */
public final class Retry {
    private static final Logger LOG = System.getLogger(Retry.class.getName());
    private static final long FIRST_MS = 10;
    private static final long LONGEST_MS = Duration.ofSeconds(1).toMillis();

    private Retry() {}

    /**
     * @param step done on this thread, then on virtual ones; what it does before it fails may be done twice
     * @param events without which nothing is tried again: this server ends
     */
    public static void run(Runnable step, KernelEvents events) {
        run(step, events, FIRST_MS);
    }

    private static void run(Runnable step, KernelEvents events, long pauseMs) {
        try {
            step.run();
        } catch (RuntimeException | Error failure) {
            if (events.isClosed()) {
                return;
            }
            Level level = pauseMs == FIRST_MS ? Level.WARNING : Level.DEBUG;
            LOG.log(level, "how a command ends cannot be followed just now; trying again", failure);
            var _ = Threads.after(
                    Duration.ofMillis(pauseMs), () -> run(step, events, Math.min(2 * pauseMs, LONGEST_MS)));
        }
    }
}
