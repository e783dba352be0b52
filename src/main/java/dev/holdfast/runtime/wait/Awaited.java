package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.wait.Outcome.Found;
import dev.holdfast.task.Task;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One condition of one task, for all who wait for it: it is looked at once, however many they are. Thread-safe. */
abstract class Awaited {
    /** Guarded by this. */
    private final Set<Wakeup> waiters = new HashSet<>();

    private volatile @Nullable Outcome outcome;
    private volatile @Nullable Task ended;
    private volatile boolean looked;
    private volatile boolean left;

    /** Looks from now on, without blocking. Called once. */
    abstract void begin();

    /** Its task has ended: settles it soon, without blocking. */
    abstract void lastLook();

    /** Its task has ended. */
    final void ended(Task task) {
        ended = task;
        lastLook();
    }

    /** Nobody waits for it any more. */
    void close() {
        left = true;
    }

    /** Whether nothing is to be done for it any more. */
    final boolean isOver() {
        return left || outcome != null;
    }

    /** Null while it may come true. */
    final @Nullable Outcome outcome() {
        return outcome;
    }

    /** The ended task, when it has ended while this was waited for. */
    final @Nullable Task endedTask() {
        return ended;
    }

    /** Whether it was looked at, so that a caller who has no time can be told. */
    final boolean isLooked() {
        return looked || outcome != null;
    }

    final void came(@Nullable Found found) {
        settle(new Outcome.True(found));
    }

    final void impossible() {
        settle(new Outcome.Impossible());
    }

    final void failed(RuntimeException failure) {
        settle(new Outcome.Failed(failure));
    }

    private synchronized void settle(Outcome now) {
        if (outcome == null) {
            outcome = now;
            waiters.forEach(Wakeup::wake);
        }
    }

    /** It does not hold just now. */
    final synchronized void looked() {
        if (!looked) {
            looked = true;
            waiters.forEach(Wakeup::wake);
        }
    }

    final synchronized void enter(Wakeup waiter) {
        waiters.add(waiter);
    }

    /** @return whether that was the last */
    final synchronized boolean leave(Wakeup waiter) {
        return waiters.remove(waiter) && waiters.isEmpty();
    }
}
