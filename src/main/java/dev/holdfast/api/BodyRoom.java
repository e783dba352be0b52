package dev.holdfast.api;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the bodies of all requests hold together. None may hold more than it leaves to the others: a large one finds
 * room only where there is much, and a small one as good as always. Thread-safe.
 */
final class BodyRoom {
    private final long size;
    private final AtomicLong held = new AtomicLong();

    /** @param size in bytes */
    BodyRoom(long size) {
        this.size = size;
    }

    long size() {
        return size;
    }

    Share share() {
        return new Share();
    }

    /** What one body holds. */
    final class Share {
        private long mine;
        private boolean over;

        /** @return whether there was room; without it nothing is held any more */
        synchronized boolean take(int bytes) {
            if (over) {
                return false;
            }
            mine += bytes;
            if (held.addAndGet(bytes) + mine > size) {
                release();
                return false;
            }
            return true;
        }

        /** A second call does nothing. */
        synchronized void release() {
            if (!over) {
                over = true;
                held.addAndGet(-mine);
            }
        }
    }
}
