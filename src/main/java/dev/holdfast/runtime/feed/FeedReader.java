package dev.holdfast.runtime.feed;

import dev.holdfast.runtime.call.Wakeup;
import java.time.Duration;
import java.util.List;

/**
 * One caller's place in a feed of events. Costs nothing before it {@linkplain #begin begins}. Used by one thread at a
 * time, but for {@link #abandon}.
 */
public abstract class FeedReader implements AutoCloseable {
    final Wakeup wakeup = new Wakeup();
    private volatile boolean abandoned;

    /** From now on nothing is missed. Once, before anything else but {@link #finished}; to be closed from here on. */
    public abstract void begin();

    /** The cursor after all that was handed out; the id of the last event, or where it began. */
    public abstract String place();

    /** What there is now, and was not handed out yet; some of it where it is much. */
    abstract List<FeedEvent> read();

    /** Blocks until there is something, at most {@code wait}; empty when there was nothing, or it was abandoned. */
    public final List<FeedEvent> next(Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        while (true) {
            List<FeedEvent> events = read();
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            if (!events.isEmpty() || finished() || abandoned || !left.isPositive()) {
                return events;
            }
            wakeup.await(left);
        }
    }

    /** Whether everything there will ever be was handed out. */
    public boolean finished() {
        return false;
    }

    /** Whether nobody waits for what is still to come. */
    public final boolean abandoned() {
        return abandoned;
    }

    /** Its caller is gone, or to go: a wait ends now, and there is no other. From any thread. */
    public final void abandon() {
        abandoned = true;
        wakeup.wake();
    }

    @Override
    public abstract void close();
}
