package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What happens to tasks, as it happens. Thread-safe; a reader costs nothing but its kernel watches while it waits. */
@Singleton
public final class EventFeed {
    /** How often the processes of a watched task are looked at. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /** The longest a command can be in its caller's window, so the most by which an id is older than its promotion. */
    private static final Duration LONGEST_WINDOW = Duration.ofMinutes(11);

    /** The longest time from a promotion's moment to its being published. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private final Tasks tasks;
    private final TaskStore store;
    private final LiveCommands live;
    private final OutputStore outputs;
    private final TaskChanges changes;
    private final InstantSource clock;

    @Inject
    public EventFeed(
            Tasks tasks,
            TaskStore store,
            LiveCommands live,
            OutputStore outputs,
            TaskChanges changes,
            InstantSource clock) {
        this.tasks = tasks;
        this.store = store;
        this.live = live;
        this.outputs = outputs;
        this.changes = changes;
        this.clock = clock;
    }

    /**
     * Opens one task's events from their start, or all tasks' events from now.
     *
     * @param task null for all tasks
     * @param lastEventId the id of the last event the caller has seen, null for none
     * @throws Refusal {@code task_not_found}, or an id that is none
     */
    public Reader open(@Nullable TaskId task, @Nullable String lastEventId) {
        if (task == null) {
            return new AllReader(lastEventId);
        }
        tasks.find(task);
        return new OneReader(
                lastEventId == null ? new TaskFeed(task, outputs) : TaskFeed.resume(task, outputs, lastEventId));
    }

    /** One caller's place in the feed; used by one thread at a time. */
    public abstract sealed class Reader implements AutoCloseable {
        final Wakeup wakeup = new Wakeup();
        private final Map<TaskId, OutputStore.Watch> watches = new ConcurrentHashMap<>();
        private final Set<TaskId> changed = ConcurrentHashMap.newKeySet();
        private final OutputStore.Watch listening = changes.listen(this::changed);
        private final Map<TaskId, ProcessFacts> seen = new ConcurrentHashMap<>();
        private final AtomicBoolean looking = new AtomicBoolean();
        private long lookedAt = System.nanoTime() - LOOK.toNanos();

        private void changed(Task task) {
            if (task.promotedAt() != null) {
                changed.add(task.id());
                wakeup.wake();
            }
        }

        /** Blocks until there is something, at most {@code wait}; empty when there was nothing. */
        public List<FeedEvent> next(Duration wait) throws InterruptedException {
            long deadline = System.nanoTime() + wait.toNanos();
            List<FeedEvent> events = new ArrayList<>();
            while (true) {
                Set<TaskId> heard = Set.copyOf(changed);
                changed.removeAll(heard);
                collect(heard, events);
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (!events.isEmpty() || finished() || !left.isPositive()) {
                    return events;
                }
                wakeup.await(left.compareTo(LOOK) < 0 ? left : LOOK);
            }
        }

        abstract void collect(Set<TaskId> heard, List<FeedEvent> into);

        abstract String cursor();

        /** Whether everything there will ever be was handed out. */
        public abstract boolean finished();

        /** Looks at their processes on another thread when it is time: a look takes long, and output does not wait. */
        final void lookInTime(Collection<TaskId> watched) {
            long now = System.nanoTime();
            if (now - lookedAt >= LOOK.toNanos() && looking.compareAndSet(false, true)) {
                lookedAt = now;
                List<TaskId> ids = List.copyOf(watched);
                Thread.startVirtualThread(() -> look(ids));
            }
        }

        private void look(List<TaskId> ids) {
            try {
                for (TaskId id : ids) {
                    live.find(id)
                            .filter(command -> !command.task().status().ended())
                            .map(command -> command.hosted().getNow(null))
                            .ifPresent(hosted -> {
                                seen.put(id, hosted.facts());
                                changed.add(id);
                                wakeup.wake();
                            });
                }
            } finally {
                looking.set(false);
            }
        }

        final void watch(TaskId id) {
            watches.computeIfAbsent(
                    id,
                    watched -> outputs.watch(watched, () -> {
                        changed.add(watched);
                        wakeup.wake();
                    }));
        }

        final void unwatch(TaskId id) {
            Optional.ofNullable(watches.remove(id)).ifPresent(OutputStore.Watch::close);
        }

        final void tell(TaskFeed feed, List<FeedEvent> into) {
            Task task = tasks.find(feed.id());
            ProcessFacts facts = seen.remove(feed.id());
            if (facts != null && !task.status().ended()) {
                feed.tellFacts(facts, (type, data) -> into.add(new FeedEvent(cursor(), type, data)));
            }
            feed.tell(task, (type, data) -> into.add(new FeedEvent(cursor(), type, data)));
        }

        @Override
        public void close() {
            listening.close();
            watches.keySet().forEach(this::unwatch);
        }
    }

    private final class OneReader extends Reader {
        private final TaskFeed feed;

        OneReader(TaskFeed feed) {
            this.feed = feed;
            if (!feed.finished()) {
                watch(feed.id());
            }
        }

        @Override
        void collect(Set<TaskId> heard, List<FeedEvent> into) {
            if (!feed.finished()) {
                lookInTime(List.of(feed.id()));
                tell(feed, into);
            }
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

    /**
     * All tasks. Its cursor is a time and the place in each task that had not ended by then; a task promoted after that
     * time and not named in it is new. The time lies back far enough that every promotion before it was heard of.
     */
    private final class AllReader extends Reader {
        private final Map<TaskId, TaskFeed> feeds = new LinkedHashMap<>();
        private Instant since = clock.instant();

        AllReader(@Nullable String lastEventId) {
            if (lastEventId == null) {
                promotedSince(Instant.EPOCH).stream()
                        .filter(task -> !task.status().ended())
                        .forEach(task -> add(new TaskFeed(task.id(), outputs)).fromNow());
            } else {
                resume(lastEventId);
            }
        }

        private void resume(String cursor) {
            String[] parts = cursor.split(";", -1);
            try {
                since = Instant.ofEpochMilli(Long.parseLong(parts[0]));
            } catch (NumberFormatException notOne) {
                throw Refusal.invalid(
                        "Last-Event-ID",
                        "is not the id of an event: " + cursor,
                        "Pass the id of an event of this feed.");
            }
            for (int i = 1; i < parts.length; i++) {
                String[] entry = parts[i].split("=", 2);
                TaskId id = TaskId.parse(entry[0])
                        .orElseThrow(() -> Refusal.invalid(
                                "Last-Event-ID",
                                "names no task: " + entry[0],
                                "Pass the id of an event of this feed."));
                if (live.find(id).isPresent() || store.find(id).isPresent()) {
                    add(TaskFeed.resume(id, outputs, entry.length > 1 ? entry[1] : ""));
                }
            }
            for (Task task : promotedSince(since)) {
                if (!feeds.containsKey(task.id())) {
                    add(new TaskFeed(task.id(), outputs));
                }
            }
        }

        /** Active tasks for {@link Instant#EPOCH}, else all that were promoted later. */
        private List<Task> promotedSince(Instant time) {
            TaskStore.StatusFilter filter =
                    time.equals(Instant.EPOCH) ? TaskStore.StatusFilter.ACTIVE : TaskStore.StatusFilter.ALL;
            List<Task> found = new ArrayList<>();
            TaskId before = null;
            while (true) {
                TaskStore.Page page = store.list(new TaskStore.Query(filter, null, Map.of(), null, 100, before));
                page.tasks().stream()
                        .filter(task ->
                                task.promotedAt() != null && task.promotedAt().isAfter(time))
                        .forEach(found::add);
                before = page.next();
                if (before == null
                        || page.tasks()
                                .getLast()
                                .createdAt()
                                .plus(LONGEST_WINDOW)
                                .isBefore(time)) {
                    return found;
                }
            }
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
                    add(new TaskFeed(id, outputs));
                }
            }
            since = clock.instant().minus(SETTLED);
            lookInTime(feeds.keySet());
            for (TaskFeed feed : List.copyOf(feeds.values())) {
                if (heard.contains(feed.id()) || feed.isNew()) {
                    tell(feed, into);
                }
                if (feed.finished()) {
                    unwatch(feed.id());
                }
            }
            feeds.values().removeIf(feed -> feed.finishedBefore(since));
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
}
