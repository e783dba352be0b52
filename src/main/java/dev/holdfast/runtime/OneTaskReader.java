package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;
import java.util.List;
import java.util.Set;

/** Reads one task's events; ends after its end. */
final class OneTaskReader extends FeedReader {
    private final TaskFeed feed;

    OneTaskReader(FeedSources sources, TaskFeed feed) {
        super(sources);
        this.feed = feed;
    }

    @Override
    void join() {
        if (!feed.finished()) {
            watch(feed.id());
        }
    }

    @Override
    boolean concerns(TaskId id) {
        return id.equals(feed.id());
    }

    @Override
    void collect(Set<TaskId> heard, List<FeedEvent> into) {
        if (!feed.finished()) {
            tell(feed, into);
        }
    }

    @Override
    TaskFeed feed(TaskId id) {
        return feed;
    }

    @Override
    String cursor() {
        return feed.place();
    }

    @Override
    public boolean finished() {
        return feed.finished();
    }
}
