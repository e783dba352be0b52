package dev.holdfast.host.watch;

import dev.holdfast.config.OwnFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.Cgroup;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A control group for each task that lives for a while, {@code holdfast-<a number>/<task id>}, where this user may make
 * any. Who is born in it stays in it, whatever he leaves behind. The launcher and the holder of a stdin are not in it:
 * they are to see its end. Where it is stands in {@code <data>/cgroup}, for a server that comes after. Without groups
 * nothing happens here and nothing is found. Thread-safe.
 */
final class TaskCgroups {
    private static final Logger LOG = System.getLogger(TaskCgroups.class.getName());
    /** Each finds those that the former one's members had forked behind its back. */
    private static final int ROUNDS = 5;

    private static final String NAME = "holdfast-";
    private static final Pattern OURS = Pattern.compile("/.*/" + NAME + "[0-9a-f-]{36}");

    private final @Nullable Path record;
    /** Whose group may be there: made here, or by a server before. Of all others nothing is asked of the kernel. */
    private final Set<TaskId> grouped = ConcurrentHashMap.newKeySet();

    private @Nullable Cgroup above;
    private boolean hopeless;

    /** @param dataDir null for a server that is to have none */
    TaskCgroups(@Nullable Path dataDir) {
        record = dataDir == null ? null : dataDir.resolve("cgroup");
        above = record == null ? null : recorded(record);
        if (above != null) {
            above.children().forEach(name -> TaskId.parse(name).ifPresent(grouped::add));
        }
    }

    private static @Nullable Cgroup recorded(Path record) {
        try {
            String path = Files.readString(record);
            return OURS.matcher(path).matches() ? new Cgroup(Path.of(path)) : null; // a torn one may be anybody's
        } catch (IOException none) {
            return null; // no task has needed one
        }
    }

    /** The live processes in the task's group. */
    Set<Long> processes(TaskId task) {
        return known(task).map(Cgroup::processes).orElse(Set.of());
    }

    /** Whether anybody lives in the task's group, though no look may find him. */
    boolean populated(TaskId task) {
        return known(task).filter(Cgroup::populated).isPresent();
    }

    /** The same; asks the kernel nothing of a task that has lived too short for a group. */
    boolean lives(TaskId task) {
        return grouped.contains(task) && populated(task);
    }

    /** The task whose group it is, or is below. */
    static Optional<TaskId> taskIn(String group) {
        int below = group.indexOf("/" + NAME);
        return below < 0
                ? Optional.empty()
                : Stream.of(group.substring(below).split("/"))
                        .flatMap(name -> TaskId.parse(name).stream())
                        .findFirst();
    }

    /** Kills what is in the task's group; who is being forked may be missed. */
    void kill(TaskId task) {
        known(task).ifPresent(Cgroup::kill);
    }

    /** Moves the command and what descends from it now into the task's group; some 10 ms. */
    void begin(TaskId task, ProcessIdentity command) {
        Cgroup group = made(task);
        boolean grew = group != null && ProcessTable.alive(command);
        for (int round = 0; group != null && grew && round < ROUNDS; round++) {
            List<Long> outside =
                    outside(group, ProcessTable.below(Set.of(command.pid())).processes());
            outside.forEach(group::take);
            grew = !outside.isEmpty();
        }
    }

    /**
     * Moves those of its members into the task's group that are in none of their own.
     *
     * @param home the group that they were born in
     * @return whether there were some and nobody was outside, so that nobody can be born outside any more
     */
    boolean complete(TaskId task, Collection<ProcessStat> members, String home) {
        Cgroup group = members.isEmpty() ? null : made(task);
        if (group == null) {
            return false;
        }
        List<Long> outside = outside(group, members);
        outside.stream().filter(pid -> Cgroup.of(pid.toString()).equals(home)).forEach(group::take);
        return outside.isEmpty();
    }

    private static List<Long> outside(Cgroup group, Collection<ProcessStat> processes) {
        Set<Long> inside = group.processes();
        return processes.stream()
                .map(ProcessStat::pid)
                .filter(pid -> !inside.contains(pid))
                .toList();
    }

    /** Removes the task's group if nobody is in it. */
    void end(TaskId task) {
        if (grouped.remove(task)) {
            known(task).ifPresent(Cgroup::remove);
        }
    }

    /** Removes the groups in which nobody is, but for those of tasks that run; without any, the one above them too. */
    void sweep(Set<TaskId> running) {
        Cgroup all = above();
        if (all != null && running.isEmpty()) {
            all.remove();
        } else if (all != null) {
            all.children().stream()
                    .filter(name -> TaskId.parse(name).filter(running::contains).isEmpty())
                    .forEach(name -> all.child(name).remove());
        }
    }

    private synchronized @Nullable Cgroup above() {
        return above;
    }

    private Optional<Cgroup> known(TaskId task) {
        return Optional.ofNullable(above()).map(all -> all.child(task.value()));
    }

    private synchronized @Nullable Cgroup made(TaskId task) {
        if (record == null || hopeless) {
            return null;
        }
        if (above == null || !above.make()) {
            findPlace(record);
        }
        Cgroup group = known(task).filter(Cgroup::make).orElse(null);
        if (group != null) {
            grouped.add(task);
        }
        return group;
    }

    /** What a former server made stays known where no other can be had. */
    private void findPlace(Path record) {
        String name = NAME + UUID.randomUUID();
        Optional<Cgroup> found = Cgroup.places().stream()
                .map(place -> place.child(name))
                .filter(Cgroup::make)
                .findFirst();
        hopeless = found.isEmpty();
        if (hopeless) {
            LOG.log(Level.INFO, "No control groups can be made here: README.md says what may escape a stop then");
        } else if (write(record, found.get())) {
            above = found.get();
        }
    }

    private static boolean write(Path record, Cgroup found) {
        try {
            OwnFiles.write(record, found.folder().toString());
            return true;
        } catch (IOException unwritable) {
            LOG.log(Level.DEBUG, "no control group for now", unwritable);
            found.remove(); // nobody would find it again
            return false;
        }
    }
}
