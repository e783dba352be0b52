package dev.holdfast.host;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;

/** What lives of a command that ended while no server ran, or whose folder is gone. Thread-safe. */
final class Strays {
    private static final Logger LOG = System.getLogger(Strays.class.getName());

    private final Lineage lineage;
    private final TreeStop tree;

    Strays(Lineage lineage, TreeStop tree) {
        this.lineage = lineage;
        this.tree = tree;
    }

    /** @see dev.holdfast.runtime.CommandHost#endStrays */
    List<Long> end(TaskId id, TaskFolder folder, Duration grace) {
        TaskProcess target = target(id, folder);
        List<Long> found =
                lineage.look(target).all().map(ProcessStat::pid).sorted().toList();
        if (!found.isEmpty()) {
            List<Long> survivors = tree.stop(target, grace);
            if (!survivors.isEmpty()) {
                LOG.log(Level.WARNING, "{0} is over, and its processes {1} cannot be ended", id, survivors);
            }
        }
        lineage.forget(id);
        return found;
    }

    private static TaskProcess target(TaskId id, TaskFolder folder) {
        PidFile known = known(folder);
        ProcessIdentity launcher = known.launcher();
        return new TaskProcess(id, launcher == null ? 0 : launcher.pid(), launcher, known.command(), null, null);
    }

    /** The numbers in a folder of a former boot are other processes' by now. */
    private static PidFile known(TaskFolder folder) {
        try {
            return SpecFile.read(folder.spec()).isOfThisBoot()
                    ? PidFile.read(folder.pid(), BootId.current())
                    : PidFile.EMPTY;
        } catch (SpecFile.DamagedException e) {
            return PidFile.EMPTY; // told when the folder was read; the marker still shows them
        }
    }
}
