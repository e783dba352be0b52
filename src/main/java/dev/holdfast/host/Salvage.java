package dev.holdfast.host;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.SpecFile;
import dev.holdfast.host.proc.BootId;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Markers;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TerminalSize;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tasks whose folder has lost its record, or is lost itself. The launcher's command line ({@code /proc/[pid]/cmdline})
 * names the folder and holds the whole command, and its working directory is the command's; the processes that carry
 * the task's marker are its own. None of this survives a reboot, so no boot id is needed to believe it. Thread-safe.
 */
final class Salvage {
    private static final Logger LOG = System.getLogger(Salvage.class.getName());

    /** @see dev.holdfast.runtime.port.CommandHost#salvage */
    Folder folder(Folder.Damaged damaged, TaskFolder folder, @Nullable Task row) {
        if (FolderReader.exit(folder).isEmpty()) {
            Optional<ProcessStat> shown = shows(damaged.id(), folder);
            if (shown.isPresent()) {
                CommandSpec command = row != null ? row.command() : command(shown.get(), folder);
                Launch launch = Launch.known(damaged.id(), command, TaskIds.madeAt(damaged.id()));
                rewrite(launch, folder);
                return new Folder.Running(launch);
            }
        }
        return row == null
                ? damaged
                : FolderReader.ended(
                        Launch.known(row.id(), row.command(), row.createdAt()), folder, new Exit.Unseen(false));
    }

    /** The process that tells most of the command: its launcher, itself, or the oldest that it left behind. */
    private static Optional<ProcessStat> shows(TaskId id, TaskFolder folder) {
        return FolderReader.launcherOf(folder.path())
                .or(() -> recorded(folder))
                .or(() -> marked(id).stream()
                        .filter(process ->
                                !Launcher.isOwn(process.arguments()) && !Launcher.isWall(process.arguments()))
                        .min(ProcessStat.OLDEST_FIRST));
    }

    /** The command by {@code pid}, if it is still in the session of the launcher there: then that was in this boot. */
    private static Optional<ProcessStat> recorded(TaskFolder folder) {
        PidFile known = PidFile.read(folder.pid());
        ProcessIdentity launcher = known.launcher();
        ProcessIdentity command = known.command();
        return launcher == null || command == null
                ? Optional.empty()
                : Optional.ofNullable(ProcessTable.living(command))
                        .filter(living -> living.session() == launcher.pid());
    }

    private static List<ProcessStat> marked(TaskId id) {
        return new Markers().in(ProcessTable.read()).getOrDefault(id, List.of());
    }

    /** As whoever looks at the process sees it. What it was started with besides, as limits and labels, is lost. */
    private static CommandSpec command(ProcessStat process, TaskFolder folder) {
        byte[] cmdline = process.arguments();
        Invocation invocation =
                Launcher.isOwn(cmdline) ? Launcher.invocation(cmdline) : Launcher.given(Launcher.arguments(cmdline));
        boolean terminal = Launcher.isOwn(cmdline) ? Launcher.inTerminal(cmdline) : process.terminal() != 0;
        String workdir = Objects.requireNonNullElse(ProcFiles.link("/proc/" + process.pid() + "/cwd"), "/");
        return new CommandSpec(
                invocation,
                Path.of(workdir),
                terminal ? TerminalSize.DEFAULT : null,
                terminal || Files.exists(folder.in()),
                List.of(),
                null,
                null,
                OnExit.LEAVE,
                Map.of(),
                Launcher.wall(cmdline),
                null);
    }

    /** Beside the damaged one, which is kept: so the next server finds a whole one. */
    private static void rewrite(Launch launch, TaskFolder folder) {
        try {
            if (Files.exists(folder.spec())) {
                Names.rename(folder.spec(), folder.path().resolve("spec.json.damaged"));
            }
            SpecFile.write(folder, SpecFile.bytes(launch, BootId.current()));
        } catch (ErrnoException unwritable) {
            LOG.log(Level.WARNING, "the record of {0} could not be written anew: {1}", launch.id(), unwritable);
        }
    }
}
