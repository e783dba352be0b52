package dev.holdfast.host.watch;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.Cgroup;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Knows which processes are a task's, though one leaves its session, its parent and its environment behind: by the
 * task's control group ({@link TaskCgroups}), or, where there is none, if it was looked at once before. What was seen
 * is in memory and begins anew after a restart of the server; groups stay. Thread-safe; a look reads {@code /proc} on
 * the calling thread, some milliseconds.
 */
@Singleton
public final class Lineage {
    /**
     * What was seen of a task; immutable.
     *
     * @param emptySessions how many looks in a row found nothing in its session
     */
    private record Memory(Set<ProcessIdentity> descendants, int emptySessions) {
        static final Memory NONE = new Memory(Set.of(), 0);

        /** A session that was empty may be another's when its number shows up again; one look alone may be mistaken. */
        boolean sessionHolds() {
            return emptySessions < 2;
        }
    }

    /**
     * All processes at one moment; immutable.
     *
     * @param marked those that carry a task's marker
     */
    private record Snapshot(ProcessTable table, Map<TaskId, List<ProcessStat>> marked) {}

    private final Markers markers = new Markers();
    private final TaskCgroups groups;
    private final ConcurrentMap<TaskId, Memory> memories = new ConcurrentHashMap<>();
    /** Many stops at once look at the same processes. */
    private final SharedLook<Snapshot> looks = new SharedLook<>(() -> snapshot(markers));

    @Inject
    public Lineage(HoldfastConfig config) {
        this(config.dataDir());
    }

    /** Makes no control groups. */
    public Lineage() {
        this((Path) null);
    }

    /** @param dataDir null for one that makes no control groups */
    public Lineage(@Nullable Path dataDir) {
        this.groups = new TaskCgroups(dataDir);
    }

    /** Its command has lived for a while: from now on it has a group of its own, with what descends from it. */
    public void lives(TaskId task, ProcessIdentity command) {
        groups.begin(task, command);
    }

    /** Kills what is in the task's group, also what nobody has seen; who is being forked may be missed. */
    public void kill(TaskId task) {
        groups.kill(task);
    }

    /** Whether anybody lives in the task's group, also one whom no look finds since he is another each time. */
    public boolean groupLives(TaskId task) {
        return groups.populated(task);
    }

    /** Lets go of what is known of all other tasks, as far as nothing of them lives. */
    public void keep(Set<TaskId> running) {
        groups.sweep(running);
        memories.entrySet()
                .removeIf(memory -> !running.contains(memory.getKey())
                        && memory.getValue().descendants().stream().noneMatch(ProcessTable::alive));
    }

    /**
     * Looks once at all processes for all of these tasks; what is found outside of its task's group joins it. Called by
     * {@link LineageWatch}: where there are no groups, what escapes between two calls by leaving session, parent and
     * environment at once is not found.
     *
     * @return those of whom nobody can be born unseen any more: all that was found was in the group already
     */
    public Set<TaskId> observe(Collection<TaskProcess> tasks) {
        Snapshot now = looks.now();
        Set<TaskId> complete = new HashSet<>();
        for (TaskProcess task : tasks) {
            TaskTree tree = look(task, now);
            if (groups.complete(task.id(), tree.processes(), home(tree))) {
                complete.add(task.id());
            }
        }
        return complete;
    }

    /** The group that its launcher was born in, and what it forked. */
    private static String home(TaskTree tree) {
        ProcessStat launcher = tree.launcher();
        return Cgroup.of(launcher == null ? "self" : Long.toString(launcher.pid()));
    }

    private static Snapshot snapshot(Markers markers) {
        ProcessTable table = ProcessTable.read();
        return new Snapshot(table, markers.in(table));
    }

    /** Whether any live process carries the task's marker, the launcher's own left out. */
    public boolean exists(TaskId task) {
        return markers.in(ProcessTable.read()).getOrDefault(task, List.of()).stream()
                .anyMatch(process -> !Launcher.isOwn(process.arguments()));
    }

    /**
     * Whether anybody lives of those that are known without a look at all processes: who is in the task's group, or was
     * seen by a look before. Asks the kernel nothing where the task has lived too short for either.
     */
    public boolean anyKnownAlive(TaskId task) {
        return groups.lives(task)
                || memories.getOrDefault(task, Memory.NONE).descendants().stream()
                        .anyMatch(ProcessTable::alive);
    }

    /** Whose it is, by its control group, or by its marker; also one that has ended, or another server's. */
    public Optional<TaskId> taskOf(ProcessStat process) {
        return TaskCgroups.taskIn(Cgroup.of(Long.toString(process.pid())))
                .or(() -> looks.now().marked().entrySet().stream()
                        .filter(task -> task.getValue().stream()
                                .anyMatch(marked -> marked.identity().equals(process.identity())))
                        .map(Map.Entry::getKey)
                        .findFirst());
    }

    /** Lets go of what is known of an ended task. */
    public void forget(TaskId task) {
        memories.remove(task);
        groups.end(task);
    }

    /** The processes of a task as they are now; what is seen is remembered. */
    public TaskTree look(TaskProcess task) {
        return look(task, looks.now());
    }

    /** The same of several tasks at one moment, for the price of one. */
    public Map<TaskId, TaskTree> look(Collection<TaskProcess> tasks) {
        Map<TaskId, TaskTree> trees = new HashMap<>();
        if (!tasks.isEmpty()) {
            Snapshot now = looks.now();
            tasks.forEach(task -> trees.put(task.id(), look(task, now)));
        }
        return trees;
    }

    /** Whether it was looked at and is not forgotten. */
    public boolean remembers(TaskId task) {
        return memories.containsKey(task);
    }

    private TaskTree look(TaskProcess task, Snapshot now) {
        Memory before = memories.getOrDefault(task.id(), Memory.NONE);
        Stream<ProcessStat> remembered = before.descendants().stream().map(now.table()::find);
        Stream<ProcessStat> members = groups.processes(task.id()).stream().map(now.table()::get);
        Stream<ProcessStat> marked = now.marked().getOrDefault(task.id(), List.of()).stream();
        List<ProcessStat> known = Stream.of(remembered, members, marked)
                .flatMap(seen -> seen)
                .filter(Objects::nonNull)
                .toList();
        TaskTree tree = TaskTree.of(task, now.table(), known, before.sessionHolds());
        memories.merge(task.id(), seen(task, tree), Lineage::merge);
        return tree;
    }

    private static Memory seen(TaskProcess task, TaskTree tree) {
        Set<ProcessIdentity> seen = new HashSet<>();
        tree.all().forEach(process -> seen.add(process.identity()));
        boolean session = task.launcher() == null || tree.all().anyMatch(p -> p.session() == task.session());
        return new Memory(seen, session ? 0 : 1);
    }

    /** Looks may overlap: a process that either saw is kept until it is gone. */
    private static Memory merge(Memory old, Memory seen) {
        Set<ProcessIdentity> descendants = new HashSet<>(seen.descendants());
        old.descendants().stream()
                .filter(identity -> !descendants.contains(identity) && ProcessTable.alive(identity))
                .forEach(descendants::add);
        int empty = old.sessionHolds() && seen.emptySessions() == 0 ? 0 : old.emptySessions() + 1;
        return new Memory(descendants, empty);
    }
}
