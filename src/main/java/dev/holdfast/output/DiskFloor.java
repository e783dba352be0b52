package dev.holdfast.output;

import dev.holdfast.runtime.call.Threads;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks from filling the file system of the data folder. Below the floor of free space the task whose output
 * takes most disk from one look to the next is paused, one at a time, until none grows; all go on when there is room
 * again. One that grows although it was paused, for not everything it started can be stopped by its process group, is
 * ended below half of the floor. A task that does not grow on disk is left alone. Looked at by the governor's thread.
 */
final class DiskFloor {
    /** What was done shows in the sizes after 250 ms, and only then is anything else done. */
    private static final Executor SETTLED = CompletableFuture.delayedExecutor(250, TimeUnit.MILLISECONDS);

    /** A task at its budget grows by less than a block. */
    private static final long STILL = 4096;

    private static final Logger LOG = Logger.getLogger(DiskFloor.class);

    private final LongSupplier usable;
    private final long floor;
    private final Map<GovernedTask, Long> kept = new HashMap<>();
    private final Set<GovernedTask> paused = ConcurrentHashMap.newKeySet();
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

    /** @param writing tasks that wrote lately */
    void look(Collection<GovernedTask> writing) {
        long free = usable.getAsLong();
        if (free >= floor) {
            kept.clear();
            paused.forEach(task -> {
                paused.remove(task);
                LOG.infof("%s goes on: %d bytes are free again", task.id(), free);
                act(task, GovernedTask::resume, () -> paused.add(task));
            });
        } else if (acted.isDone()) {
            GovernedTask loudest = loudest(writing, free < floor / 2);
            if (loudest != null) {
                kept.clear();
                hush(loudest, free);
            }
        }
    }

    private @Nullable GovernedTask loudest(Collection<GovernedTask> writing, boolean pausedToo) {
        GovernedTask loudest = null;
        long most = STILL;
        for (GovernedTask task : writing) {
            long now = task.kept();
            Long before = kept.put(task, now);
            boolean more = before != null && now - before > most;
            if (more && !task.isLimited() && (pausedToo || !paused.contains(task))) {
                loudest = task;
                most = now - before;
            }
        }
        return loudest;
    }

    private void hush(GovernedTask task, long free) {
        if (paused.add(task)) {
            LOG.warnf(
                    "%s is paused: %d bytes are free, less than holdfast.disk.floor (%d), and it writes most."
                            + " It goes on when there is room: delete ended tasks, or stop it",
                    task.id(), free, floor);
            act(task, GovernedTask::pause, () -> paused.remove(task));
        } else {
            LOG.warnf(
                    "%s is ended: %d bytes are free, less than half of holdfast.disk.floor (%d), and it writes"
                            + " although it was paused",
                    task.id(), free, floor);
            task.limit();
        }
    }

    /**
     * One after the other, on threads that may block.
     *
     * @param undo where it failed: the next look does it again
     */
    private void act(GovernedTask task, Consumer<GovernedTask> action, Runnable undo) {
        acted = acted.thenRunAsync(() -> action.accept(task), Threads::start)
                .exceptionally(failure -> {
                    LOG.warnf(failure, "%s could not be paused or continued", task.id());
                    undo.run();
                    return null;
                })
                .thenRunAsync(() -> {}, SETTLED);
    }
}
