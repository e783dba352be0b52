package dev.holdfast.host;

import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Keeps {@link Lineage} up to date with all running commands together, once a second as long as any runs: fetches what the
 * kernel tells of births, so that it does not pile up. Three seconds after the last command has ended, and when what it
 * left is not being stopped, the kernel is asked to tell nothing more.
 *
 * <p>Where births cannot tell of all (the kernel tells of none, some were lost, a command was adopted) it looks at all
 * processes besides: then one that leaves its session, its parent and its environment behind is known if that took longer
 * than from look to look. Where no pid is new since the last look and the commands are the same, nobody can have been
 * born, and nothing but the list of pids is read: about a millisecond with 500 processes, where a look takes 15. A pid
 * that is used again between two looks is not noticed. The pause grows with what a look cost, so that looking takes at
 * most a hundredth of a core.
 * Thread-safe; looks on the thread of {@code later}.
 */
final class LineageWatch {
    private static final Logger LOG = System.getLogger(LineageWatch.class.getName());
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long SHARE = 100;
    /** Seconds with nothing running before the kernel need not tell: an ended command may be stopped with what it left. */
    private static final int LAST_TICKS = 3;

    private final Lineage lineage;
    private final ScheduledExecutorService later;
    private final WitnessedExits witnessed;
    private final Map<TaskId, Supplier<TaskProcess>> running = new ConcurrentHashMap<>();
    /** Guarded by this. */
    private boolean scheduled;

    // of the last look; on the thread of later alone
    private long[] pids = {};
    private Set<TaskId> tasks = Set.of();
    private int idleTicks;
    private long nextLook = System.nanoTime();

    LineageWatch(Lineage lineage, ScheduledExecutorService later, WitnessedExits witnessed) {
        this.lineage = lineage;
        this.later = later;
        this.witnessed = witnessed;
    }

    /** A launcher is about to be started; to be closed when it was added, or did not start. */
    Ancestry.Attention expect() {
        return lineage.expect();
    }

    /** @param processes who they are; asked at each look */
    void add(TaskId task, ProcessIdentity launcher, Supplier<TaskProcess> processes) {
        lineage.launched(task, launcher);
        running.put(task, processes);
        synchronized (this) {
            if (!scheduled) {
                schedule();
            }
        }
    }

    /** What it left behind is remembered until a look finds it gone. */
    void remove(TaskId task) {
        running.remove(task);
    }

    private synchronized void schedule() {
        scheduled = !later.isShutdown();
        if (scheduled) {
            var _ = later.schedule(this::tick, PAUSE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void tick() {
        try {
            witnessed.fetch();
            long began = System.nanoTime();
            if (began - nextLook >= 0) {
                look();
                long now = System.nanoTime();
                nextLook = now + Math.min(SHARE * (now - began), LONGEST_PAUSE_NANOS) - PAUSE_NANOS / 2;
            } else {
                lineage.list();
            }
        } catch (RuntimeException failure) {
            LOG.log(Level.WARNING, "the processes of running commands could not be looked at", failure);
        }
        idleTicks = running.isEmpty() ? idleTicks + 1 : 0;
        boolean over = idleTicks >= LAST_TICKS && lineage.rest(running::isEmpty);
        synchronized (this) {
            scheduled = false;
            if (!over || !running.isEmpty()) {
                schedule();
            }
        }
    }

    private void look() {
        Map<TaskId, Supplier<TaskProcess>> now = Map.copyOf(running);
        long[] listed = lineage.list();
        if (lineage.follows(now.keySet())) {
            for (Supplier<TaskProcess> processes : now.values()) {
                var _ = processes.get(); // a command that was not found before is put down now
            }
            return;
        }
        Arrays.sort(listed);
        boolean same = now.keySet().equals(tasks)
                && Arrays.stream(listed).allMatch(pid -> Arrays.binarySearch(pids, pid) >= 0);
        pids = listed;
        if (!same) {
            lineage.observe(now.values().stream().map(Supplier::get).toList());
            tasks = now.keySet();
        }
    }
}
