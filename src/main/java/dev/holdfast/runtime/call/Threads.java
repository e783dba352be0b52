package dev.holdfast.runtime.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads for what must not be left undone. A machine may give none for a while, as where a fork bomb has taken
 * all the processes that a container may have: what was to begin then begins once there is one. From the first use on
 * those that carry virtual threads are kept, so that a stop needs no new one.
 */
public final class Threads {
    private static final Duration AGAIN = Duration.ofMillis(100);
    /** They go after 30 s without work. */
    private static final Duration KEPT_BY = Duration.ofSeconds(20);

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private Threads() {}

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        // To wait for a time each of these has a thread of the JVM wake it, which is made when it is first needed.
        var _ = new CompletableFuture<Void>().completeOnTimeout(null, 1, TimeUnit.NANOSECONDS);
        Runnable use = () -> LockSupport.parkNanos(1);
        var _ = timer.scheduleWithFixedDelay(() -> start(use), 0, KEPT_BY.toNanos(), TimeUnit.NANOSECONDS);
        return timer;
    }

    /** Never fails; an {@link Executor}. */
    public static void start(Runnable work) {
        start(work, Thread::startVirtualThread);
    }

    /** @param delay at least so long; none when negative */
    public static Future<?> after(Duration delay, Runnable work) {
        return TIMER.schedule(() -> start(work), TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
    }

    static void start(Runnable work, Executor threads) {
        AtomicBoolean begun = new AtomicBoolean();
        attempt(
                () -> {
                    // A start that fails may have begun all the same, on a thread that was there.
                    if (!begun.getAndSet(true)) {
                        work.run();
                    }
                },
                threads);
    }

    private static void attempt(Runnable work, Executor threads) {
        try {
            threads.execute(work);
        } catch (OutOfMemoryError | RejectedExecutionException noThread) {
            var _ = TIMER.schedule(() -> attempt(work, threads), AGAIN.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
