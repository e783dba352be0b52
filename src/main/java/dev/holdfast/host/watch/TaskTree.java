package dev.holdfast.host.watch;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.task.ProcessIdentity;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The live processes of one task in one snapshot: its session (and with it the launcher's process group), whatever
 * carries its marker, whatever was seen to descend from it before, and all that descends from any of these now. Zombies
 * are none of it, nor ever the process that looks.
 *
 * @param launcher null when it is gone or unknown
 * @param command the command's own process, null when it is gone or unknown; it is one of {@code processes} too
 * @param holders subshells of the launcher's own, which keep the command's stdin open, and what makes its wall
 * @param processes all others, by pid: what the user started
 * @param groups the process groups of its session, also those that only zombies show
 */
public record TaskTree(
        @Nullable ProcessStat launcher,
        @Nullable ProcessStat command,
        List<ProcessStat> holders,
        List<ProcessStat> processes,
        Set<Long> groups) {

    public static final TaskTree NONE = new TaskTree(null, null, List.of(), List.of(), Set.of());

    private static final long SELF = ProcessHandle.current().pid();
    private static final long INIT = 1;

    /**
     * @param known processes that belong to the task for another reason than its session: marked or remembered ones
     * @param sessionHolds false when the session has been empty before: its number may be somebody else's by now
     */
    public static TaskTree of(
            TaskProcess task, ProcessTable table, Collection<ProcessStat> known, boolean sessionHolds) {
        ProcessStat launcher = living(table.find(task.launcher()));
        ProcessStat command = living(table.find(task.command()));
        List<ProcessStat> session = sessionHolds ? session(task, table) : List.of();
        Stream<ProcessStat> roots = Stream.of(
                        Stream.ofNullable(launcher), Stream.ofNullable(command), session.stream(), known.stream())
                .flatMap(s -> s);
        List<ProcessStat> members = withDescendants(roots, table);
        List<ProcessStat> holders = members.stream()
                .filter(process -> isHolder(process, task, launcher) || WallProcesses.isOne(process, table))
                .toList();
        List<ProcessStat> processes = members.stream()
                .filter(process -> !process.equals(launcher) && !holders.contains(process))
                .toList();
        return new TaskTree(launcher, command, holders, processes, groups(session));
    }

    /** Launcher, holders and wall: they leave by themselves when the command has ended. */
    public List<ProcessStat> attendants() {
        return Stream.concat(Stream.ofNullable(launcher), holders.stream()).toList();
    }

    public Stream<ProcessStat> all() {
        return Stream.concat(attendants().stream(), processes.stream());
    }

    private static @Nullable ProcessStat living(@Nullable ProcessStat process) {
        return process != null && process.alive() ? process : null;
    }

    private static List<ProcessStat> session(TaskProcess task, ProcessTable table) {
        return sessionIsOurs(task, table)
                ? table.session(task.session()).stream()
                        .filter(process -> isAfterLauncher(process, task))
                        .toList()
                : List.of();
    }

    private static Set<Long> groups(List<ProcessStat> session) {
        return session.stream()
                .map(ProcessStat::group)
                .filter(group -> group > INIT)
                .collect(Collectors.toSet());
    }

    /** The leader's pid is not used again while the session has a process; with another process there, it had ended. */
    private static boolean sessionIsOurs(TaskProcess task, ProcessTable table) {
        ProcessIdentity launcher = task.launcher();
        if (task.session() <= INIT || launcher == null) {
            return task.session() > INIT;
        }
        ProcessStat leader = table.get(task.session());
        return leader == null || leader.startTicks() == launcher.startTicks();
    }

    private static boolean isAfterLauncher(ProcessStat process, TaskProcess task) {
        ProcessIdentity launcher = task.launcher();
        return launcher == null || process.startTicks() >= launcher.startTicks();
    }

    private static List<ProcessStat> withDescendants(Stream<ProcessStat> roots, ProcessTable table) {
        Map<Long, ProcessStat> members = new LinkedHashMap<>();
        Deque<ProcessStat> open = new ArrayDeque<>();
        roots.forEach(open::add);
        while (!open.isEmpty()) {
            ProcessStat process = open.remove();
            if (process.alive()
                    && process.pid() != SELF
                    && process.pid() != INIT
                    && members.putIfAbsent(process.pid(), process) == null) {
                table.children(process).stream()
                        .filter(child -> child.startTicks() >= process.startTicks())
                        .forEach(open::add);
            }
        }
        return members.values().stream()
                .sorted(Comparator.comparingLong(ProcessStat::pid))
                .toList();
    }

    /** What the launcher forked and did not become another program; once it is gone, what has its command line. */
    private static boolean isHolder(ProcessStat process, TaskProcess task, @Nullable ProcessStat launcher) {
        if (process.identity().equals(task.command())) {
            return false;
        }
        if (launcher != null) {
            return process.parent() == launcher.pid() && process.environmentAddress() == launcher.environmentAddress();
        }
        return process.session() == task.session() && Launcher.isOwn(process.arguments());
    }
}
