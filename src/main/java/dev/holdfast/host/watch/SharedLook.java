package dev.holdfast.host.watch;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One look at a time, which serves all who asked before it began: who asks in the midst of one waits for the next. So
 * that many who look at once cost two looks, not one each, and nobody gets to see what is older than his question.
 * Thread-safe; looks on the thread of one of those who ask, and hands each the same object.
 *
 * @param <T> what is seen, immutable
 */
final class SharedLook<T> {
    private final Supplier<T> look;
    private final ReentrantLock looking = new ReentrantLock();
    /** Kept only as long as somebody waits for it; guarded by the lock, as is when it began. */
    private @Nullable T latest;

    private long began;

    SharedLook(Supplier<T> look) {
        this.look = look;
    }

    /** What there is, looked at after this was called. */
    T now() {
        long asked = System.nanoTime();
        looking.lock();
        try {
            T seen = latest;
            if (seen == null || began - asked <= 0) {
                latest = null; // not to be kept if the look fails
                began = System.nanoTime();
                seen = look.get();
            }
            latest = looking.hasQueuedThreads() ? seen : null;
            return seen;
        } finally {
            looking.unlock();
        }
    }
}
