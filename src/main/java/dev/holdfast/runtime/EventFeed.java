package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What happens to tasks, as it happens. Thread-safe. */
public interface EventFeed {
    /**
     * @param task null for all tasks
     * @param lastEventId the id of the last event the caller has seen, null for none
     */
    Reader open(@Nullable TaskId task, @Nullable String lastEventId);

    /** One caller's place in the feed; used by one thread at a time. */
    interface Reader extends AutoCloseable {
        /** Blocks until there is something, at most {@code wait}; empty when there was nothing. */
        List<FeedEvent> next(Duration wait) throws InterruptedException;

        /** Whether the task ended and everything was handed out. */
        boolean finished();

        @Override
        void close();
    }
}
