package dev.holdfast.runtime.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets event threads wake one waiting thread; wake-ups while it is awake are kept, and merged. */
public final class Wakeup {
    private final Semaphore permits = new Semaphore(0);

    /** For the thread that will wait: it wakes too when its caller stops waiting, see {@link Patience}. */
    public Wakeup() {
        Patience.wakes(this);
    }

    public void wake() {
        permits.release();
    }

    /** Wakes when {@code future} has completed in any way. */
    public void after(CompletableFuture<?> future) {
        var _ = future.whenComplete((_, _) -> wake());
    }

    /** Waits until {@link #wake} or until {@code atMost} has passed; a negative time does not wait. */
    public void await(Duration atMost) throws InterruptedException {
        if (permits.tryAcquire(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS)) {
            permits.drainPermits();
        }
    }
}
