package dev.holdfast.runtime.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets event threads wake one waiting thread; wake-ups while it is awake are kept, and merged. To be closed where it
 * wakes after what outlives the wait, as the end of a command does: else each wait leaves something there.
 */
public final class Wakeup implements AutoCloseable {
    private final Semaphore permits = new Semaphore(0);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** For the thread that will wait: it wakes too when its caller stops waiting, see {@link Patience}. */
    public Wakeup() {
        Patience.wakes(this);
    }

    public void wake() {
        permits.release();
    }

    /** Wakes when {@code future} has completed in any way; until the close. */
    public void after(CompletableFuture<?> future) {
        // Of the JDK's ways to depend on a future this one alone takes itself away again, from all, when one completes.
        var _ = CompletableFuture.anyOf(future, closed).whenComplete((_, _) -> wake());
    }

    /** Leaves nothing on what it would have woken after. */
    @Override
    public void close() {
        closed.complete(null);
    }

    /** Waits until {@link #wake} or until {@code atMost} has passed; a negative time does not wait. */
    public void await(Duration atMost) throws InterruptedException {
        if (permits.tryAcquire(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS)) {
            permits.drainPermits();
        }
    }
}
