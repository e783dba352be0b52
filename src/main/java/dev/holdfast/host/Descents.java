package dev.holdfast.host;

import dev.holdfast.kernel.ProcessBirths.Birth;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who was born of whom: for each pid the latest process that is known to have had it, and the chain of its births, up to a
 * task or to where it does not matter. Chains are cut where a task is known, and lead past those that have ended, so that
 * one who is always another needs no more room than one who stays. Not thread-safe; reads nothing.
 */
final class Descents {
    private static final long SELF = ProcessHandle.current().pid();
    private static final long INIT = 1;

    private record Origin(long startTicks, TaskId task) {}

    private final Map<Long, Descent> byPid = new HashMap<>();
    private final Map<Long, Origin> launchers = new HashMap<>();
    private long fetches;

    /** Births that become known from now on are later than what was seen before. */
    void beginFetch() {
        fetches++;
    }

    /** A moment: what becomes known after it may have been born after it. */
    long moment() {
        return fetches;
    }

    /** All that descends from this process belongs to the task. */
    void launched(TaskId task, ProcessIdentity launcher) {
        launchers.put(launcher.pid(), new Origin(launcher.startTicks(), task));
    }

    /** In the order of births. This process and the first one are nobody's, nor is anybody a task's because of them. */
    void born(Birth birth) {
        if (birth.pid() == SELF || birth.pid() == INIT) {
            return;
        }
        Descent parent = birth.parent() == SELF || birth.parent() == INIT
                ? null
                : byPid.computeIfAbsent(birth.parent(), pid -> Descent.unborn(pid, birth.bootNanos(), fetches));
        byPid.put(birth.pid(), Descent.born(birth, parent, fetches));
    }

    /**
     * Births were lost, so that any pid may be another's by now; but who lives and was there before has kept its own.
     *
     * @param now read after the loss
     */
    void lost(ProcessTable now) {
        byPid.values().removeIf(descent -> {
            ProcessStat process = now.get(descent.pid());
            return process == null || !descent.isOf(process.startTicks());
        });
    }

    /** The live ones in the table that are known to be a task's, by task. */
    Map<TaskId, List<ProcessStat>> in(ProcessTable table) {
        Map<TaskId, List<ProcessStat>> members = new HashMap<>();
        for (Descent descent : byPid.values()) {
            ProcessStat process = table.get(descent.pid());
            TaskId owner = process != null && process.alive() && descent.isOf(process.startTicks())
                    ? descent.owner(this::launcherOf)
                    : null;
            if (process != null && owner != null) {
                members.computeIfAbsent(owner, _ -> new ArrayList<>()).add(process);
            }
        }
        return members;
    }

    /** These were found to be the task's by other means: what descends from them is its too. */
    void claim(TaskId task, Stream<ProcessStat> members) {
        members.forEach(process -> {
            Descent known = byPid.get(process.pid());
            if (known == null || known.isBefore(process.startTicks())) {
                known = Descent.seen(process, fetches);
                byPid.put(process.pid(), known);
            }
            // Else a later process has its pid by now.
            if (known.isOf(process.startTicks()) && known.owner(this::launcherOf) == null) {
                known.belongTo(task);
            }
        });
    }

    /**
     * Lets go of those that have ended: they were known at {@code moment}, are not among those listed after it, and all
     * births before the listing have been told since.
     *
     * @param unsure nanoseconds since boot: who was born after that may be a launcher that nobody has named yet
     */
    void sift(Set<Long> listed, long moment, long unsure) {
        byPid.values().removeIf(descent -> !listed.contains(descent.pid()) && descent.isKnownBefore(moment));
        for (Descent descent : byPid.values()) {
            TaskId owner = descent.owner(this::launcherOf);
            if (owner != null) {
                descent.belongTo(owner);
            }
        }
        for (Descent descent : byPid.values()) {
            descent.shorten(ancestor -> byPid.get(ancestor.pid()) == ancestor || !ancestor.isOlderThan(unsure));
        }
        launchers.keySet().removeIf(pid -> !listed.contains(pid) && !byPid.containsKey(pid));
    }

    /** Whether the latest process with this pid was born of that one, as far as it is still known. */
    boolean isChild(long pid, long parent) {
        Descent descent = byPid.get(pid);
        return descent != null && descent.isChildOf(parent);
    }

    void clear() {
        byPid.clear();
        launchers.clear();
    }

    private @Nullable TaskId launcherOf(Descent descent) {
        Origin origin = launchers.get(descent.pid());
        return origin != null && descent.isBirthOf(origin.startTicks()) ? origin.task() : null;
    }

    /** How many processes and launchers are remembered, ancestors counted as often as they are led to. */
    int size() {
        return launchers.size()
                + byPid.values().stream()
                        .mapToInt(descent -> 1 + descent.depth())
                        .sum();
    }
}
