package dev.holdfast.host.watch;

import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps {@link Lineage} up to date with all running commands together, once a second as long as any runs. A command
 * that has its own control group, with all that is known of it inside, is not looked at again. For the others all
 * processes are looked at: then one that leaves its session, its parent and its environment behind is known if that
 * took longer than from look to look. The pause grows with what a look cost, so that looking takes at most a hundredth
 * of a core; how long a busy machine held it up counts for nothing. Thread-safe; looks on the thread of {@code later}.
 */
public final class LineageWatch {
    private static final Logger LOG = System.getLogger(LineageWatch.class.getName());
    /** After this long a command is no short one. */
    private static final long CAPTURE_MS = 50;

    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long SHARE = 100;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Lineage lineage;
    private final ScheduledExecutorService later;
    private final ToldExits told;
    private final Map<TaskId, Supplier<TaskProcess>> running = new ConcurrentHashMap<>();
    /** Guarded by this. */
    private boolean scheduled;

    /** On the thread of later alone. */
    private final Set<TaskId> complete = new HashSet<>();

    public LineageWatch(Lineage lineage, ScheduledExecutorService later, ToldExits told) {
        this.lineage = lineage;
        this.later = later;
        this.told = told;
    }

    /**
     * When it fails (no thread can be had, or the server ends) it has changed nothing.
     *
     * @param processes who they are; asked after a moment, which puts down who the command is, and at each look
     */
    public void add(TaskId task, Supplier<TaskProcess> processes) {
        captureIn(CAPTURE_MS, task);
        synchronized (this) {
            if (!scheduled) {
                schedule(PAUSE_NANOS);
            }
            running.put(task, processes);
        }
    }

    /** What it left behind is remembered until a look finds it gone. */
    public void remove(TaskId task) {
        running.remove(task);
    }

    public Set<TaskId> running() {
        return Set.copyOf(running.keySet());
    }

    /** Where a start takes its time, nobody is the command yet: then once more, later. */
    private void captureIn(long millis, TaskId task) {
        var _ = later.schedule(
                () -> {
                    Supplier<TaskProcess> processes = running.get(task);
                    @Nullable
                    ProcessIdentity command =
                            processes == null ? null : processes.get().command();
                    if (command != null) {
                        lineage.lives(task, command);
                    } else if (processes != null) {
                        captureIn(2 * millis, task);
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    private synchronized void schedule(long pauseNanos) {
        if (!later.isShutdown()) {
            var _ = later.schedule(this::tick, pauseNanos, TimeUnit.NANOSECONDS);
            scheduled = true;
        }
    }

    private void tick() {
        Map<TaskId, Supplier<TaskProcess>> now = Map.copyOf(running);
        long began = THREADS.getCurrentThreadCpuTime();
        try {
            told.fetch();
            look(now);
        } catch (RuntimeException | Error failure) {
            LOG.log(Level.WARNING, "the processes of running commands could not be looked at", failure);
        }
        long pause = Math.clamp(SHARE * (THREADS.getCurrentThreadCpuTime() - began), PAUSE_NANOS, LONGEST_PAUSE_NANOS);
        synchronized (this) {
            scheduled = false;
            if (!now.isEmpty() || !running.isEmpty()) {
                schedule(pause);
            }
        }
    }

    private void look(Map<TaskId, Supplier<TaskProcess>> now) {
        lineage.keep(now.keySet());
        complete.retainAll(now.keySet());
        List<TaskProcess> open = now.entrySet().stream()
                .filter(task -> !complete.contains(task.getKey()))
                .map(task -> task.getValue().get())
                .toList();
        if (!open.isEmpty()) {
            complete.addAll(lineage.observe(open));
        }
    }
}
