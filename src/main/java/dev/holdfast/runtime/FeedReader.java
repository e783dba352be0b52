package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place in the feed. Used by one thread at a time, but for {@link #abandon}. It waits without a time limit of
 * its own, for arming a timer costs more than an event: a tick, shared with the look at the processes, tells the time.
 */
public abstract sealed class FeedReader implements AutoCloseable permits OneTaskReader, AllTasksReader {
    /** How often the processes of a watched task are looked at, and how exactly a wait is held. */
    private static final Duration TICK = Duration.ofMillis(500);

    private final FeedSources sources;
    private final Wakeup wakeup = new Wakeup();
    private final Map<TaskId, OutputStore.Watch> watches = new ConcurrentHashMap<>();
    private final Set<TaskId> changed = ConcurrentHashMap.newKeySet();
    private final Map<TaskId, ProcessFacts> seen = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long deadline = System.nanoTime();
    private volatile boolean abandoned;
    private OutputStore.@Nullable Watch listening;
    private @Nullable Future<?> ticking;

    FeedReader(FeedSources sources) {
        this.sources = sources;
    }

    /** From now on it hears of changes. Once, before anything else. */
    final void begin() {
        listening = sources.changes().listen(this::changed);
        ticking = sources.timer().scheduleAtFixedRate(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
        join();
    }

    /** What was there before it heard of changes. */
    abstract void join();

    /** Whether a change of that task is to be told. */
    abstract boolean concerns(TaskId id);

    abstract void collect(Set<TaskId> heard, List<FeedEvent> into);

    abstract String cursor();

    /** Whether everything there will ever be was handed out. */
    public abstract boolean finished();

    /** Blocks until there is something, at most about {@code wait}; empty when there was nothing, or it was abandoned. */
    public final List<FeedEvent> next(Duration wait) throws InterruptedException {
        deadline = System.nanoTime() + wait.toNanos();
        List<FeedEvent> events = new ArrayList<>();
        while (true) {
            Set<TaskId> heard = Set.copyOf(changed);
            changed.removeAll(heard);
            collect(heard, events);
            if (!events.isEmpty() || finished() || abandoned || late()) {
                return events;
            }
            wakeup.await();
        }
    }

    /** Its caller is gone: a wait ends now. From any thread. */
    public final void abandon() {
        abandoned = true;
        wakeup.wake();
    }

    private boolean late() {
        return System.nanoTime() - deadline >= 0;
    }

    private void changed(Task task) {
        if (task.promotedAt() != null && concerns(task.id())) {
            heard(task.id());
        }
    }

    private void heard(TaskId id) {
        changed.add(id);
        wakeup.wake();
    }

    /** A look takes long, and neither output nor other readers wait for it: it gets a thread of its own. */
    private void tick() {
        if (late()) {
            wakeup.wake();
        }
        if (!watches.isEmpty() && looking.compareAndSet(false, true)) {
            Thread.startVirtualThread(this::look);
        }
    }

    private void look() {
        try {
            sources.tasks().facts(watches.keySet().stream()).forEach((id, facts) -> {
                seen.put(id, facts);
                heard(id);
            });
        } finally {
            looking.set(false);
        }
    }

    final void watch(TaskId id) {
        watches.computeIfAbsent(id, watched -> sources.outputs().watch(watched, () -> heard(watched)));
    }

    final void unwatch(TaskId id) {
        Optional.ofNullable(watches.remove(id)).ifPresent(OutputStore.Watch::close);
    }

    final void tell(TaskFeed feed, List<FeedEvent> into) {
        Task task = sources.tasks().find(feed.id());
        ProcessFacts facts = seen.remove(feed.id());
        if (facts != null && !task.status().ended()) {
            feed.tellFacts(facts, (type, data) -> into.add(new FeedEvent(cursor(), type, data)));
        }
        feed.tell(task, (type, data) -> into.add(new FeedEvent(cursor(), type, data)));
    }

    @Override
    public final void close() {
        if (ticking != null) {
            ticking.cancel(false);
        }
        if (listening != null) {
            listening.close();
        }
        watches.keySet().forEach(this::unwatch);
    }
}
