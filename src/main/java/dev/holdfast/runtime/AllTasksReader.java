package dev.holdfast.runtime;

import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads all tasks' events, without end. Its cursor is a time and the place in each task that had not ended by then; a
 * task promoted after that time and not named in it is new. The time lies back far enough that every promotion before it
 * was heard of.
 */
final class AllTasksReader extends FeedReader {
    /** The longest a command can be in its caller's window, so the most by which an id is older than its promotion. */
    private static final Duration LONGEST_WINDOW = Duration.ofMinutes(11);

    /** The longest time from a promotion's moment to its being published. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private final Map<TaskId, TaskFeed> feeds = new LinkedHashMap<>();
    private final FeedSources sources;
    private final @Nullable String lastEventId;
    private Instant since;

    AllTasksReader(FeedSources sources, @Nullable String lastEventId) {
        super(sources);
        this.sources = sources;
        this.lastEventId = lastEventId;
        this.since = sources.clock().instant();
    }

    @Override
    void join() {
        if (lastEventId == null) {
            beginNow();
        } else {
            resume(lastEventId);
        }
    }

    /** What ended shortly before is named in the cursor too, lest it be taken for new by who resumes from it. */
    private void beginNow() {
        promotedSince(Instant.EPOCH).stream()
                .filter(task -> !task.status().ended())
                .forEach(task -> add(task.id()).fromNow());
        promotedSince(since.minus(SETTLED)).stream()
                .filter(task -> task.status().ended() && !feeds.containsKey(task.id()))
                .forEach(task -> feeds.put(task.id(), TaskFeed.told(task, sources.outputs())));
    }

    @Override
    boolean concerns(TaskId id) {
        return true;
    }

    private void resume(String cursor) {
        String[] parts = cursor.split(";", -1);
        try {
            since = Instant.ofEpochMilli(Long.parseLong(parts[0]));
        } catch (NumberFormatException notOne) {
            throw Refusal.invalid(
                    "Last-Event-ID", "is not the id of an event: " + cursor, "Pass the id of an event of this feed.");
        }
        for (int i = 1; i < parts.length; i++) {
            String[] entry = parts[i].split("=", 2);
            TaskId id = TaskId.parse(entry[0])
                    .orElseThrow(() -> Refusal.invalid(
                            "Last-Event-ID", "names no task: " + entry[0], "Pass the id of an event of this feed."));
            String place = entry.length > 1 ? entry[1] : "";
            sources.live()
                    .find(id)
                    .map(LiveCommand::task)
                    .or(() -> sources.store().find(id))
                    .ifPresent(task -> resume(task, place));
        }
        for (Task task : promotedSince(since)) {
            if (!feeds.containsKey(task.id())) {
                add(task.id());
            }
        }
    }

    /** It may have ended meanwhile, so that nothing more is heard of it. */
    private void resume(Task task, String place) {
        add(TaskFeed.resume(task, sources.outputs(), place));
        heard(task.id());
    }

    /** Active tasks for {@link Instant#EPOCH}, else all that were promoted later. */
    private List<Task> promotedSince(Instant time) {
        TaskStore.StatusFilter filter =
                time.equals(Instant.EPOCH) ? TaskStore.StatusFilter.ACTIVE : TaskStore.StatusFilter.ALL;
        List<Task> found = new ArrayList<>();
        TaskId before = null;
        while (true) {
            TaskStore.Page page = sources.store().list(new TaskStore.Query(filter, null, Map.of(), null, 100, before));
            page.tasks().stream()
                    .filter(task ->
                            task.promotedAt() != null && task.promotedAt().isAfter(time))
                    .forEach(found::add);
            before = page.next();
            if (before == null
                    || page.tasks().getLast().createdAt().plus(LONGEST_WINDOW).isBefore(time)) {
                return found;
            }
        }
    }

    private TaskFeed add(TaskId id) {
        return add(new TaskFeed(id, sources.outputs()));
    }

    private TaskFeed add(TaskFeed feed) {
        feeds.put(feed.id(), feed);
        watch(feed.id());
        return feed;
    }

    @Override
    void collect(Set<TaskId> heard, List<FeedEvent> into) {
        for (TaskId id : heard) {
            if (!feeds.containsKey(id)) {
                add(id);
            }
        }
        since = sources.clock().instant().minus(SETTLED);
        for (TaskFeed feed : List.copyOf(feeds.values())) {
            if ((heard.contains(feed.id()) || feed.isNew()) && !tellIfKnown(feed, into)) {
                feeds.remove(feed.id());
                unwatch(feed.id());
            } else if (feed.finished()) {
                unwatch(feed.id());
            }
        }
        feeds.values().removeIf(feed -> feed.finishedBefore(since));
    }

    /** @return false when the task was forgotten meanwhile: of that one there is nothing more to tell */
    private boolean tellIfKnown(TaskFeed feed, List<FeedEvent> into) {
        try {
            tell(feed, into);
            return true;
        } catch (Refusal refusal) {
            if (refusal.kind() == ErrorKind.TASK_NOT_FOUND) {
                return false;
            }
            throw refusal;
        }
    }

    @Override
    @Nullable
    TaskFeed feed(TaskId id) {
        return feeds.get(id);
    }

    @Override
    String cursor() {
        return feeds.values().stream()
                .map(feed -> feed.id() + "=" + feed.place())
                .collect(Collectors.joining(";", since.toEpochMilli() + ";", ""));
    }

    @Override
    public boolean finished() {
        return false;
    }
}
