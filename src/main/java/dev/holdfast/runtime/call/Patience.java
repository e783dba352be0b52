package dev.holdfast.runtime.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Of a caller who may stop waiting, or is not to wait any longer since the server stops: from then on every wait that
 * is made for it ends at once, as at its time-out, and what is not a wait goes on. Never done by
 * {@link Thread#interrupt}: that closes the database for all, for H2 writes through a channel that an interrupt closes.
 * Thread-safe.
 */
public final class Patience {
    private static final ScopedValue<Patience> CALLER = ScopedValue.newInstance();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final CompletableFuture<?> hungUp;

    public Patience() {
        this(new CompletableFuture<>());
    }

    /** @param hungUp completes when its caller has, whose window stays open: what he could not be told ends alone */
    public Patience(CompletableFuture<?> hungUp) {
        this.hungUp = hungUp;
    }

    /** Runs {@code work} on this thread, whose waits last no longer than the patience. */
    public <T> T during(Supplier<T> work) {
        try {
            return ScopedValue.where(CALLER, this).call(work::get);
        } finally {
            end(); // nothing that outlives the work hangs on it
        }
    }

    /** Ends the waits; any thread, also again. */
    public void end() {
        over.complete(null);
    }

    /** Whether the caller of this thread waits no longer. */
    public static boolean isOver() {
        return CALLER.isBound() && CALLER.get().over.isDone();
    }

    /** What is left until {@code deadline}, a {@link System#nanoTime}: nothing once that, or this, {@link #isOver}. */
    public static Duration left(long deadline) {
        return isOver() ? Duration.ZERO : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** Has the end of the patience of this thread's caller wake it, if it is one who may stop waiting. */
    static void wakes(Wakeup wakeup) {
        if (CALLER.isBound()) {
            wakeup.after(CALLER.get().over);
        }
    }

    /**
     * Waits for {@code done}, at most for {@code limit}, while this thread's caller does and it is not interrupted,
     * which stays to be seen; whether it is done.
     */
    public static boolean await(CompletableFuture<?> done, Duration limit) {
        try (Wakeup wakeup = new Wakeup()) {
            return isDone(done, wakeup, limit);
        }
    }

    /** The same for an answer that nobody hears once the caller has hung up. */
    public static boolean awaitForCaller(CompletableFuture<?> done, Duration limit) {
        try (Wakeup wakeup = new Wakeup()) {
            if (CALLER.isBound()) {
                wakeup.after(CALLER.get().hungUp);
            }
            return isDone(done, wakeup, limit);
        }
    }

    private static boolean isDone(CompletableFuture<?> done, Wakeup wakeup, Duration limit) {
        wakeup.after(done);
        try {
            wakeup.await(limit);
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
        }
        if (done.isCompletedExceptionally()) {
            throw new IllegalStateException(done.exceptionNow());
        }
        return done.isDone();
    }
}
