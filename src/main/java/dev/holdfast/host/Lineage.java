package dev.holdfast.host;

import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which processes descend from which task, so that one that leaves its session, its parent and its environment
 * behind is still known: by the births that the kernel tells of ({@link Ancestry}), or, where it tells of none, if it was
 * looked at once in between. In memory: after a restart of the server the memory begins anew. Thread-safe; a look reads
 * {@code /proc} on the calling thread, some milliseconds.
 */
@Singleton
public final class Lineage implements AutoCloseable {
    /**
     * What was seen of a task; immutable.
     *
     * @param emptySessions how many looks in a row found nothing in its session
     */
    private record Memory(
            Set<ProcessIdentity> descendants,
            int emptySessions,
            @Nullable Activity activity) {
        static final Memory NONE = new Memory(Set.of(), 0, null);

        /** A session that was empty may be another's when its number shows up again; one look alone may be mistaken. */
        boolean sessionHolds() {
            return emptySessions < 2;
        }
    }

    /**
     * How much a task had run when it was looked at.
     *
     * @param nanoTime of {@link System#nanoTime}
     */
    record Activity(long nanoTime, long cpuTicks, Set<ProcessIdentity> processes) {
        static Activity of(TaskTree tree) {
            Set<ProcessIdentity> identities = new HashSet<>();
            tree.processes().forEach(process -> identities.add(process.identity()));
            long ticks =
                    tree.processes().stream().mapToLong(ProcessStat::cpuTicks).sum();
            return new Activity(System.nanoTime(), ticks, identities);
        }

        boolean sameWorkAs(Activity other) {
            return cpuTicks == other.cpuTicks && processes.equals(other.processes);
        }
    }

    /**
     * All processes at one moment; immutable.
     *
     * @param marked those that carry a task's marker
     * @param born those whose births lead to a task
     */
    private record Snapshot(
            ProcessTable table, Map<TaskId, List<ProcessStat>> marked, Map<TaskId, List<ProcessStat>> born) {
        Stream<ProcessStat> knownOf(TaskId task) {
            return Stream.of(marked, born).flatMap(of -> of.getOrDefault(task, List.of()).stream());
        }
    }

    /** A look this soon after another says nothing of idleness: it does not take the other's place. */
    private static final long TOO_SOON_NANOS = 30_000_000;

    private final Markers markers = new Markers();
    private final Ancestry ancestry;
    private final ConcurrentMap<TaskId, Memory> memories = new ConcurrentHashMap<>();
    /** Many stops at once look at the same processes. */
    private final SharedLook<Snapshot> looks = new SharedLook<>(this::snapshot);

    public Lineage() {
        this(new Ancestry());
    }

    Lineage(Ancestry ancestry) {
        this.ancestry = ancestry;
    }

    /**
     * Looks once at all processes for all of these tasks, and forgets the tasks that are not among them and have no
     * process left. Called by {@link LineageWatch}: where the kernel does not tell of births, what escapes between two
     * calls by leaving session, parent and environment at once is not found.
     */
    public void observe(Collection<TaskProcess> running) {
        if (running.isEmpty() && memories.isEmpty()) {
            return;
        }
        Snapshot now = snapshot(running);
        Set<TaskId> kept = new HashSet<>();
        for (TaskProcess task : running) {
            kept.add(task.id());
            look(task, now);
        }
        keep(kept, known -> lives(known, now.table()));
    }

    /**
     * Whether a look at these tasks would find nobody who is not known, by the births that were told; if so, what is
     * remembered of others is let go once they have no process left.
     *
     * @param running all the tasks that run
     */
    boolean follows(Set<TaskId> running) {
        ancestry.follow(running);
        boolean follows = ancestry.follows(running);
        if (follows) {
            keep(running, ProcessTable::alive);
        }
        return follows;
    }

    private void keep(Set<TaskId> running, Predicate<ProcessIdentity> lives) {
        memories.entrySet()
                .removeIf(memory -> !running.contains(memory.getKey())
                        && memory.getValue().descendants().stream().noneMatch(lives));
    }

    private Snapshot snapshot(Collection<TaskProcess> tasks) {
        tasks.forEach(task -> ancestry.launched(task.id(), task.launcher()));
        return looks.now();
    }

    private Snapshot snapshot() {
        long moment = ancestry.moment();
        // In this order, so that who is seen has been told of.
        ProcessTable table = ProcessTable.read();
        return new Snapshot(table, markers.in(table), ancestry.in(table, moment));
    }

    private static boolean lives(ProcessIdentity known, ProcessTable table) {
        ProcessStat process = table.find(known);
        return process != null && process.alive();
    }

    /** Whether any live process carries the task's marker, the launcher's own left out. */
    boolean exists(TaskId task) {
        return markers.in(ProcessTable.read()).getOrDefault(task, List.of()).stream()
                .anyMatch(process -> !Launcher.isOwn(process.arguments()));
    }

    /** Lets go of what is known of an ended task. */
    public void forget(TaskId task) {
        memories.remove(task);
    }

    /** The processes of a task as they are now; what is seen is remembered. */
    TaskTree look(TaskProcess task) {
        return look(task, snapshot(List.of(task)));
    }

    /** The same of several tasks at one moment, for the price of one. */
    Map<TaskId, TaskTree> look(Collection<TaskProcess> tasks) {
        Map<TaskId, TaskTree> trees = new HashMap<>();
        if (!tasks.isEmpty()) {
            Snapshot now = snapshot(tasks);
            tasks.forEach(task -> trees.put(task.id(), look(task, now)));
        }
        return trees;
    }

    /** To be closed when the launcher that is about to be started is {@link #launched}, or did not start. */
    Ancestry.Attention expect() {
        return ancestry.expect();
    }

    /** What the kernel told is kept until it is closed, though nothing runs. */
    Ancestry.Attention hold() {
        return ancestry.hold();
    }

    /** From now on all that descends from this process is known to be the task's. */
    void launched(TaskId task, ProcessIdentity launcher) {
        ancestry.launched(task, launcher);
    }

    /** Whether the kernel told of this process, which may have ended, as born of that one. */
    boolean isChild(long pid, long parent) {
        return ancestry.isChild(pid, parent);
    }

    /** All pids there are; meanwhile what the kernel told is fetched, which must not wait for long. */
    long[] list() {
        long moment = ancestry.moment();
        long[] listed = ProcFiles.numbers("/proc");
        ancestry.follow(listed, moment);
        return listed;
    }

    /**
     * Lets the kernel tell nothing more.
     *
     * @param idle asked when nobody can begin to {@link #expect}
     * @return false when it is still to tell
     */
    boolean rest(BooleanSupplier idle) {
        return ancestry.rest(idle);
    }

    @Override
    @PreDestroy
    public void close() {
        ancestry.close();
    }

    /** The last look at the task that is old enough to compare with, null without one. */
    @Nullable
    Activity activity(TaskId task) {
        return memories.getOrDefault(task, Memory.NONE).activity();
    }

    private TaskTree look(TaskProcess task, Snapshot now) {
        Memory before = memories.getOrDefault(task.id(), Memory.NONE);
        Stream<ProcessStat> remembered = before.descendants().stream().mapMulti((identity, living) -> {
            ProcessStat process = now.table().find(identity);
            if (process != null) {
                living.accept(process);
            }
        });
        List<ProcessStat> known =
                Stream.concat(now.knownOf(task.id()), remembered).toList();
        TaskTree tree = TaskTree.of(task, now.table(), known, before.sessionHolds());
        ancestry.claim(task.id(), tree.all());
        memories.merge(task.id(), seen(task, tree), Lineage::merge);
        return tree;
    }

    private static Memory seen(TaskProcess task, TaskTree tree) {
        Set<ProcessIdentity> seen = new HashSet<>();
        tree.all().forEach(process -> seen.add(process.identity()));
        boolean session = task.launcher() == null || tree.all().anyMatch(p -> p.session() == task.session());
        return new Memory(seen, session ? 0 : 1, Activity.of(tree));
    }

    /** Looks may overlap: a process that either saw is kept until it is gone. */
    private static Memory merge(Memory old, Memory seen) {
        Set<ProcessIdentity> descendants = new HashSet<>(seen.descendants());
        old.descendants().stream()
                .filter(identity -> !descendants.contains(identity) && ProcessTable.alive(identity))
                .forEach(descendants::add);
        int empty = old.sessionHolds() && seen.emptySessions() == 0 ? 0 : old.emptySessions() + 1;
        return new Memory(descendants, empty, later(old.activity(), seen.activity()));
    }

    private static @Nullable Activity later(@Nullable Activity old, @Nullable Activity seen) {
        boolean soon = old != null && seen != null && seen.nanoTime() - old.nanoTime() < TOO_SOON_NANOS;
        return soon ? old : seen;
    }
}
