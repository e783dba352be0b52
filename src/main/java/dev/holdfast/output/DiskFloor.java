package dev.holdfast.output;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks from filling the file system of the data folder. Below the floor of free space the task whose output takes
 * most disk from one look to the next is paused, one at a time, until none grows; all go on when there is room again.
 * One that grows although it was paused, for not everything it started can be stopped by its process group, is ended
 * below half of the floor. A task that does not grow on disk is left alone. Looked at by the governor's thread.
 */
final class DiskFloor implements AutoCloseable {
    /** What was done shows in the sizes after this long, and only then is anything else done. */
    static final Duration SETTLES = Duration.ofMillis(250);

    /**
     * What is set aside for a stream it writes in four looks of 20 ms, or it is 32 MiB. Near the floor 50 ms pass until that
     * is seen and 250 until something else can be done about it, in which one of 800 MiB a second writes eight times as much.
     */
    private static final int WRITTEN_MEANWHILE = 8;

    private static final Logger LOG = Logger.getLogger(DiskFloor.class);

    private final LongSupplier usable;
    private final long floor;
    private final Map<GovernedTask, Long> allocated = new HashMap<>();
    private final Set<GovernedTask> paused = ConcurrentHashMap.newKeySet();
    private final ExecutorService signals = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("disk-floor").factory());
    private CompletableFuture<?> acted = CompletableFuture.completedFuture(null);

    /**
     * @param usable free bytes, by one system call
     * @param floor bytes; 0 switches it off
     */
    DiskFloor(LongSupplier usable, long floor) {
        this.usable = usable;
        this.floor = floor;
    }

    /** A task that a server before this one may have paused. */
    void add(GovernedTask task) {
        if (task.wasPaused()) {
            paused.add(task);
        }
    }

    void remove(GovernedTask task) {
        paused.remove(task);
    }

    /** Whether so many bytes can be set aside, and more be written meanwhile, before the floor is reached. One system call. */
    boolean hasRoomFor(long bytes) {
        return usable.getAsLong() - floor >= WRITTEN_MEANWHILE * bytes;
    }

    /** Whether there is something to look for although no task writes. */
    boolean holds() {
        return !paused.isEmpty();
    }

    /** @param writing tasks that wrote lately */
    void look(Collection<GovernedTask> writing) {
        long free = usable.getAsLong();
        if (free >= floor) {
            allocated.clear();
            paused.forEach(task -> resume(task, free));
        } else if (acted.isDone()) {
            GovernedTask loudest = loudest(writing, free < floor / 2);
            if (loudest != null) {
                allocated.clear();
                act(loudest, free);
            }
        }
    }

    private @Nullable GovernedTask loudest(Collection<GovernedTask> writing, boolean pausedToo) {
        GovernedTask loudest = null;
        long most = 0;
        for (GovernedTask task : writing) {
            long now = task.allocatedBytes();
            Long before = allocated.put(task, now);
            if (before != null && now - before > most && (pausedToo || !paused.contains(task))) {
                loudest = task;
                most = now - before;
            }
        }
        return loudest;
    }

    private void act(GovernedTask task, long free) {
        if (paused.add(task)) {
            LOG.warnf(
                    "%s is paused: %d bytes are free, less than holdfast.disk.floor (%d), and it writes most."
                            + " It goes on when there is room: delete ended tasks, or stop it",
                    task.id(), free, floor);
            acted = CompletableFuture.runAsync(task::pause, signals)
                    .exceptionally(failure -> failed(task, failure))
                    .thenRunAsync(
                            () -> {}, CompletableFuture.delayedExecutor(SETTLES.toMillis(), TimeUnit.MILLISECONDS));
        } else {
            LOG.warnf(
                    "%s is ended: %d bytes are free, less than half of holdfast.disk.floor (%d), and it writes"
                            + " although it was paused",
                    task.id(), free, floor);
            task.limit();
        }
    }

    private void resume(GovernedTask task, long free) {
        paused.remove(task);
        LOG.infof("%s goes on: %d bytes are free again", task.id(), free);
        var _ = CompletableFuture.runAsync(task::resume, signals).exceptionally(failure -> failed(task, failure));
    }

    private static @Nullable Void failed(GovernedTask task, Throwable failure) {
        LOG.warnf(failure, "%s could not be paused or continued", task.id());
        return null;
    }

    /** What is paused stays so; the server after this one continues it. */
    @Override
    public void close() {
        signals.shutdown();
    }
}
