package dev.holdfast.runtime;

import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place in the feed. Used by one thread at a time, but for {@link #abandon} and {@link #pass}. It waits
 * without a time limit of its own, for arming a timer costs more than an event: a tick, shared with the look at the
 * processes, tells the time.
 *
 * <p>What a task prints while that thread waits need not wake it, which would cost more than to tell it: it is passed on
 * by another thread, the listener's.
 */
public abstract sealed class FeedReader implements AutoCloseable permits OneTaskReader, AllTasksReader {
    /** How often the processes of a watched task are looked at, and how exactly a wait is held. */
    private static final Duration TICK = Duration.ofMillis(500);

    private final FeedSources sources;
    private final Wakeup wakeup = new Wakeup();
    /** Taken by whoever reads and tells. The reader's own thread gives it away only while it waits. */
    private final Semaphore turn = new Semaphore(0);

    private final Queue<Printed> printed = new ConcurrentLinkedQueue<>();
    private final Map<TaskId, OutputStore.Watch> watches = new ConcurrentHashMap<>();
    private final Set<TaskId> changed = ConcurrentHashMap.newKeySet();
    private final Map<TaskId, ProcessFacts> seen = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long deadline = System.nanoTime();
    private volatile boolean abandoned;
    private volatile @Nullable Listener listener;
    private OutputStore.@Nullable Watch listening;
    private @Nullable Future<?> ticking;

    FeedReader(FeedSources sources) {
        this.sources = sources;
    }

    /** One stream of a watched task, queued at most once as long as nobody has looked at what was printed to it. */
    private static final class Printed {
        private final TaskId task;
        private final StreamName stream;
        private final AtomicBoolean queued = new AtomicBoolean();

        Printed(TaskId task, StreamName stream) {
            this.task = task;
            this.stream = stream;
        }
    }

    /** Takes what tasks print, on a thread of its own choice. */
    public interface Listener {
        /** There is something to {@link FeedReader#pass}. On an event thread: hand over, do not block. */
        void onPrinted();

        /** Whether it can take something without waiting, and after all that it was told before. */
        boolean isReady();

        void take(List<FeedEvent> events);
    }

    /** From now on what is printed while the reader's thread waits is passed on to {@code listener}. */
    public final void listen(Listener listener) {
        this.listener = listener;
    }

    /**
     * Tells the listener what was printed. Does not block, but for reading some KiB that were just written. Where there
     * is more to it (much at once, a gap, a listener that is behind), the thread that waits is woken instead.
     */
    public final void pass() {
        List<Printed> fresh = fresh();
        Listener to = listener;
        if (to == null || !turn.tryAcquire()) {
            fresh.forEach(one -> heard(one.task));
            return;
        }
        try {
            List<FeedEvent> events = new ArrayList<>();
            for (Printed one : fresh) {
                if (!to.isReady() || !tellPrinted(one, events)) {
                    heard(one.task);
                }
            }
            if (!events.isEmpty()) {
                to.take(events);
            }
        } finally {
            turn.release();
        }
    }

    /** What is printed from here on is queued again; for that another pass is asked for. */
    private List<Printed> fresh() {
        List<Printed> fresh = new ArrayList<>();
        for (int left = printed.size(); left > 0; left--) {
            Printed one = printed.remove();
            one.queued.set(false);
            fresh.add(one);
        }
        return fresh;
    }

    private boolean tellPrinted(Printed one, List<FeedEvent> into) {
        TaskFeed feed = feed(one.task);
        try {
            return feed != null
                    && feed.tellPrinted(one.stream, (type, data) -> into.add(new FeedEvent(cursor(), type, data)));
        } catch (UncheckedIOException unreadable) {
            return false; // the thread that waits meets the same, and can say so
        }
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

    /** What it has told of that task; null when nothing yet. */
    abstract @Nullable TaskFeed feed(TaskId id);

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
            turn.release();
            wakeup.await();
            turn.acquire();
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

    /** There may be something to tell of it. */
    final void heard(TaskId id) {
        changed.add(id);
        wakeup.wake();
    }

    private void printed(Printed one) {
        Listener to = listener;
        if (to == null || turn.availablePermits() == 0) {
            heard(one.task);
        } else if (one.queued.compareAndSet(false, true)) {
            printed.add(one);
            to.onPrinted();
        }
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
        watches.computeIfAbsent(id, watched -> {
            Printed out = new Printed(watched, StreamName.STDOUT);
            Printed err = new Printed(watched, StreamName.STDERR);
            return sources.outputs().watch(watched, stream -> printed(stream == StreamName.STDOUT ? out : err));
        });
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
