package dev.holdfast.runtime;

import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** What happens to tasks, as it happens. Thread-safe; a reader costs nothing but its kernel watches while it waits. */
@Singleton
public final class EventFeed {
    private final FeedSources sources;

    @Inject
    public EventFeed(
            Tasks tasks,
            TaskStore store,
            LiveCommands live,
            OutputStore outputs,
            TaskChanges changes,
            InstantSource clock) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("event-feed").factory());
        this.sources = new FeedSources(tasks, store, live, outputs, changes, clock, timer);
    }

    /**
     * Opens one task's events from their start, or all tasks' events from now.
     *
     * @param task null for all tasks
     * @param lastEventId the id of the last event the caller has seen, null for none
     * @throws Refusal {@code task_not_found}, or an id that is none
     */
    public FeedReader open(@Nullable TaskId task, @Nullable String lastEventId) {
        if (task == null) {
            return opened(new AllTasksReader(sources, lastEventId));
        }
        Task known = sources.tasks().find(task);
        OutputStore outputs = sources.outputs();
        return opened(new OneTaskReader(
                sources,
                lastEventId == null ? new TaskFeed(task, outputs) : TaskFeed.resume(known, outputs, lastEventId)));
    }

    private static FeedReader opened(FeedReader reader) {
        try {
            reader.begin();
            return reader;
        } catch (RuntimeException refused) {
            reader.close();
            throw refused;
        }
    }

    @PreDestroy
    void close() {
        sources.timer().shutdownNow();
    }
}
