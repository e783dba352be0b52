package dev.holdfast.host;

import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which processes were seen to descend from which task, so that one that leaves its session, its parent and
 * its environment behind is still known, if it was looked at once in between. In memory: after a restart of the server
 * the memory begins anew. Thread-safe; a look reads {@code /proc} on the calling thread, some milliseconds.
 */
@Singleton
public final class Lineage {
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

    /** A look this soon after another says nothing of idleness: it does not take the other's place. */
    private static final long TOO_SOON_NANOS = 30_000_000;

    private final Markers markers = new Markers();
    private final ConcurrentMap<TaskId, Memory> memories = new ConcurrentHashMap<>();

    /**
     * Looks once at all processes for all of these tasks, and forgets the tasks that are not among them and have no
     * process left. Called by {@link LineageWatch}: what escapes between two calls by leaving session, parent
     * and environment at once is not found.
     */
    public void observe(Collection<TaskProcess> running) {
        if (running.isEmpty() && memories.isEmpty()) {
            return;
        }
        ProcessTable table = ProcessTable.read();
        Map<TaskId, List<ProcessStat>> marked = markers.in(table);
        Set<TaskId> kept = new HashSet<>();
        for (TaskProcess task : running) {
            kept.add(task.id());
            look(task, table, marked.getOrDefault(task.id(), List.of()));
        }
        memories.entrySet()
                .removeIf(memory -> !kept.contains(memory.getKey())
                        && memory.getValue().descendants().stream().noneMatch(known -> lives(known, table)));
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
        ProcessTable table = ProcessTable.read();
        return look(task, table, markers.in(table).getOrDefault(task.id(), List.of()));
    }

    /** The last look at the task that is old enough to compare with, null without one. */
    @Nullable
    Activity activity(TaskId task) {
        return memories.getOrDefault(task, Memory.NONE).activity();
    }

    private TaskTree look(TaskProcess task, ProcessTable table, List<ProcessStat> marked) {
        Memory before = memories.getOrDefault(task.id(), Memory.NONE);
        List<ProcessStat> known = Stream.concat(
                        marked.stream(), before.descendants().stream().mapMulti((identity, living) -> {
                            ProcessStat process = table.find(identity);
                            if (process != null) {
                                living.accept(process);
                            }
                        }))
                .toList();
        TaskTree tree = TaskTree.of(task, table, known, before.sessionHolds());
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
