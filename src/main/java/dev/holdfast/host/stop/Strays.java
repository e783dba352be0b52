package dev.holdfast.host.stop;

import dev.holdfast.host.launch.Original;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.SpecFile;
import dev.holdfast.host.proc.KernelUnits;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** What lives of a command that has ended, or whose folder is gone. Thread-safe. */
public record Strays(Lineage lineage, StopLoop stops) {
    private static final Logger LOG = System.getLogger(Strays.class.getName());

    /** A file's time and a process's start are told by clocks that count in hundredths. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** @see dev.holdfast.runtime.port.CommandHost#endStrays */
    public CommandHost.Swept end(TaskId id, TaskFolder folder, Instant endedAt, Duration grace) {
        if (isCopy(folder)) {
            return new CommandHost.Swept(List.of(), List.of());
        }
        TaskProcess target = target(id, folder, endedAt);
        TaskTree left = lineage.look(target);
        List<Long> found = left.processes().stream().map(ProcessStat::pid).toList();
        List<Long> survivors = List.of();
        if (left.all().findAny().isPresent() || lineage.groupLives(id)) {
            survivors = stops.stop(target, grace, folder.asked());
            if (!survivors.isEmpty()) {
                LOG.log(Level.WARNING, "{0} is over, and its processes {1} cannot be ended", id, survivors);
            }
        }
        lineage.forget(id);
        return new CommandHost.Swept(found, survivors);
    }

    /** Whether what lives of it is another data folder's, of which this one is a copy. */
    public boolean isCopy(TaskFolder folder) {
        return Original.of(folder, known(folder).launcher()).isPresent();
    }

    /** Who the processes of such a command are. */
    public TaskProcess target(TaskId id, TaskFolder folder, Instant endedAt) {
        PidFile known = known(folder);
        ProcessIdentity launcher = known.launcher();
        TaskProcess byMarker = new TaskProcess(id, 0, launcher, known.command(), null, null, List.of());
        return launcher != null && isStillItsOwn(launcher.pid(), byMarker, endedAt)
                ? new TaskProcess(id, launcher.pid(), launcher, known.command(), null, null, List.of())
                : byMarker;
    }

    /**
     * The number of a session is used again only after nobody was left in it. So it is still the command's when
     * somebody in it was there before the command had ended, or is known to be the command's; else it may be a
     * stranger's by now.
     */
    private boolean isStillItsOwn(long session, TaskProcess byMarker, Instant endedAt) {
        if (lineage.look(byMarker).all().anyMatch(process -> process.session() == session)) {
            return true;
        }
        KernelUnits units = KernelUnits.read(InstantSource.system());
        return ProcessTable.read().session(session).stream()
                .anyMatch(process -> units.startedAt(process).isBefore(endedAt.plus(SLACK)));
    }

    /** The numbers in a folder of a former boot are other processes' by now. */
    private static PidFile known(TaskFolder folder) {
        try {
            return SpecFile.read(folder.spec()).isOfThisBoot() ? PidFile.read(folder.pid()) : PidFile.EMPTY;
        } catch (SpecFile.DamagedException e) {
            return PidFile.EMPTY; // told when the folder was read; the marker still shows them
        }
    }
}
