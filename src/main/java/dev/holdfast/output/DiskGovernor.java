package dev.holdfast.output;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.OutputStore.Writer;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/**
 * Keeps the output of running tasks within its budget on disk by punching holes into the middle of the files, so that
 * offsets stay true. Files are written by the commands themselves; the governor only compares sizes.
 *
 * <p>Tasks that write are looked at every {@link #TICK} by one thread, at their beginning and while they flood more often.
 * A task that was quiet for {@link #IDLE_AFTER} is left to the kernel, which tells of its next write; idle tasks cost
 * nothing. A new task is put among those looked at without a system call, and a command that ends within a step is never
 * looked at but at its release.
 */
final class DiskGovernor implements AutoCloseable {
    /** Less makes no sense; a stream that is smaller never has a gap. */
    static final long LEAST_BUDGET = 64 * 1024;

    static final Duration TICK = Duration.ofMillis(50);

    /** Between looks at a task that began less than a tick ago: the sooner a flood is seen, the more of it is prepared for. */
    static final Duration STEP = Duration.ofMillis(10);

    static final Duration IDLE_AFTER = Duration.ofMillis(250);

    /** Bytes a second from which on a task is looked at more often. */
    static final double FLOOD = 64 << 20;

    /**
     * The most between looks while a task floods. A look may take the writer's processor away: of the time for 256 MiB on
     * two processors, one every 5 ms took 6 per cent, one every 20 ms less than could be measured.
     */
    static final Duration MOST_FLOOD_TICK = Duration.ofMillis(20);

    /** The least, when it is about to reach its limit: what it writes until it is seen costs disk. */
    static final Duration LEAST_FLOOD_TICK = Duration.ofMillis(1);

    /** With nobody to look at, the thread goes on for so many steps: commands in a row need not wake it. */
    private static final int EMPTY_STEPS = 20;

    private static final Logger LOG = Logger.getLogger(DiskGovernor.class);

    private final KernelEvents events;
    private final Budget budget;
    private final Punch punch;
    private final DiskFloor floor;
    private final Map<TaskId, GovernedTask> tasks = new ConcurrentHashMap<>();
    private final Set<GovernedTask> active = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean parked;
    private volatile boolean closed;
    private long floorSeenAt = System.nanoTime();
    private final AtomicLong looks = new AtomicLong();

    private DiskGovernor(KernelEvents events, Budget budget, Punch punch, DiskFloor floor) {
        this.events = events;
        this.budget = budget;
        this.punch = punch;
        this.floor = floor;
        this.thread = Thread.ofPlatform().daemon().name("disk-governor").unstarted(this::run);
    }

    /** Starts its thread, a daemon. */
    static DiskGovernor start(KernelEvents events, Budget budget, Punch punch, DiskFloor floor) {
        DiskGovernor governor = new DiskGovernor(events, budget, punch, floor);
        governor.thread.start();
        return governor;
    }

    /** From now on the task is looked after; a second call changes nothing. */
    void govern(TaskId id, TaskFolder folder, Writer writer) {
        GovernedTask task = new GovernedTask(id, folder, budget, punch, writer);
        if (tasks.putIfAbsent(id, task) == null) {
            floor.add(task);
            activate(task);
        }
    }

    /** Looks a last time. What is omitted is on record afterwards; a flood's last part is freed within a tick. */
    void release(TaskId id) {
        GovernedTask task = tasks.remove(id);
        if (task == null) {
            return;
        }
        active.remove(task);
        floor.remove(task);
        try {
            if (task.release()) {
                activate(task);
            }
        } catch (IOException | RuntimeException problem) {
            LOG.warnf(problem, "The output of %s was not held within its budget", id);
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        floor.close();
    }

    /** How often a task was looked at since the start; for tests. */
    long looks() {
        return looks.get();
    }

    private void activate(GovernedTask task) {
        active.add(task);
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        int empty = 0;
        long pause = STEP.toNanos();
        while (!closed) {
            LockSupport.parkNanos(this, pause);
            empty = active.isEmpty() ? empty + 1 : 0;
            if (empty > EMPTY_STEPS && !floor.holds()) {
                parkUntilNeeded();
                empty = 0;
            }
            pause = lookAtAll();
            lookAtFloor();
        }
    }

    private void lookAtFloor() {
        long now = System.nanoTime();
        if (now - floorSeenAt < TICK.toNanos()) {
            return;
        }
        floorSeenAt = now;
        try {
            floor.look(active);
        } catch (RuntimeException problem) {
            // The thread must live on; the next look tries again.
            if (!closed) {
                LOG.warn("The free space of the data folder could not be looked after", problem);
            }
        }
    }

    private void parkUntilNeeded() {
        parked = true;
        // Whoever adds a task afterwards sees the flag; who added one before is seen here.
        while (active.isEmpty() && !closed) {
            LockSupport.park(this);
        }
        parked = false;
    }

    /** @return for how many nanoseconds nobody needs to be looked at, a step at most: somebody new may come */
    private long lookAtAll() {
        long pause = STEP.toNanos();
        for (GovernedTask task : active) {
            long due = task.due() - System.nanoTime();
            if (due <= 0) {
                looks.incrementAndGet();
                due = lookAt(task).toNanos();
                task.lookAgainIn(due);
            }
            pause = Math.min(pause, due);
        }
        return pause;
    }

    /** @return for how long it need not be looked at */
    private Duration lookAt(GovernedTask task) {
        try {
            GovernedTask.Look look = task.look(floor::hasRoomFor);
            switch (look.found()) {
                case WRITING -> {}
                case OVER -> active.remove(task);
                case IDLE -> leaveToKernel(task);
            }
            return look.pause();
        } catch (IOException | RuntimeException problem) {
            // A full disk, say: nothing was dropped without being on record, and the next look tries again.
            if (task.firstTrouble()) {
                LOG.warn("A task's output is not held within its budget for now", problem);
            }
            return TICK;
        }
    }

    private void leaveToKernel(GovernedTask task) {
        active.remove(task);
        if (!task.arm(events, () -> activate(task))) {
            active.add(task);
        }
    }
}
