package dev.holdfast.output;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore.Writer;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/**
 * Keeps the output of running tasks within its budget on disk by punching holes into the middle of the files, so that
 * offsets stay true. The commands write the files themselves; one thread compares sizes every {@link #PACE}. A task
 * that was quiet for {@link #QUIET_AFTER} is left to the kernel, which tells of its next write: quiet tasks cost
 * nothing.
 */
final class DiskGovernor implements AutoCloseable {
    /** Less makes no sense; a stream that is smaller never has a gap. */
    static final long LEAST_BUDGET = 64 * 1024;

    /**
     * What a flood writes in it is held beyond its budget; the more often it is dropped, the more it holds its writer
     * up.
     */
    static final Duration PACE = Duration.ofMillis(75);

    static final Duration QUIET_AFTER = Duration.ofSeconds(1);

    private static final Logger LOG = Logger.getLogger(DiskGovernor.class);

    private final KernelEvents events;
    private final long budget;
    private final DiskFloor floor;
    private final Map<TaskId, GovernedTask> tasks = new ConcurrentHashMap<>();
    private final Set<GovernedTask> writing = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean closed;

    /**
     * Starts its thread, a daemon.
     *
     * @param budget bytes that are kept of a stream
     */
    DiskGovernor(KernelEvents events, long budget, DiskFloor floor) {
        if (budget < LEAST_BUDGET) {
            throw new IllegalArgumentException("holdfast.output.max-bytes is " + budget + "; the least is "
                    + LEAST_BUDGET + ", for head and tail must remain readable");
        }
        this.events = events;
        this.budget = budget;
        this.floor = floor;
        this.thread = Thread.ofPlatform().daemon().name("disk-governor").start(this::run);
    }

    /** From now on the task is looked after; a second call changes nothing. */
    void govern(TaskId id, TaskFolder folder, Writer writer) {
        GovernedTask task = new GovernedTask(id, folder, budget, writer);
        if (tasks.putIfAbsent(id, task) == null) {
            floor.add(task);
            writing.add(task);
        }
    }

    /** Whether any process has its output open for writing; who drops from it, here, is none. */
    boolean isHeld(TaskId id, TaskFolder folder) {
        GovernedTask task = tasks.get(id);
        return (task == null ? new GovernedTask(id, folder, budget, () -> {}) : task).isHeld();
    }

    /** Looks a last time: what is beyond the budget is on record and dropped afterwards. */
    void release(TaskId id) {
        GovernedTask task = tasks.remove(id);
        if (task != null) {
            writing.remove(task);
            floor.remove(task);
            task.release();
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        boolean troubled = false;
        while (!closed) {
            try {
                floor.look(writing);
                List.copyOf(writing).forEach(this::look); // each once: one that is put back may come again behind
                troubled = false;
            } catch (RuntimeException | Error failure) {
                // No memory for a thread, say: without this one nothing is held within its budget any more.
                if (!troubled) {
                    LOG.warn("Output is not held within its budget for now", failure);
                }
                troubled = true;
            }
            LockSupport.parkNanos(this, PACE.toNanos());
        }
    }

    private void look(GovernedTask task) {
        if (!task.look()) {
            writing.remove(task);
            if (!task.arm(events, () -> writing.add(task))) {
                writing.add(task);
            }
        }
    }
}
