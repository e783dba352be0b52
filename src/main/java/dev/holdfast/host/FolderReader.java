package dev.holdfast.host;

import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.launch.Original;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.SpecFile;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.OutOfMemory;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads a task's folder as truth about its process. Changes only a {@code pid} that a killed server left out. */
record FolderReader(Lineage lineage) {
    private static final Logger LOG = System.getLogger(FolderReader.class.getName());

    Optional<Folder> read(TaskId id, TaskFolder folder) {
        if (!Files.isDirectory(folder.path())) {
            return Optional.empty();
        }
        if (!Files.exists(folder.spec()) && neverStarted(folder, false)) {
            return Optional.of(new Folder.Unborn(id));
        }
        try {
            SpecFile.Spec spec = SpecFile.read(folder.spec());
            return Optional.of(
                    spec.launch().id().equals(id)
                            ? state(spec, folder)
                            : new Folder.Damaged(
                                    id, "spec.json is that of " + spec.launch().id()));
        } catch (SpecFile.DamagedException e) {
            return Optional.of(new Folder.Damaged(id, e.problem()));
        }
    }

    /**
     * Whether it has nothing but what is made before the spawn. The file of its output is made by whoever becomes its
     * launcher, before the launcher's first step; in a folder that is gone it cannot be. For a terminal the keeper
     * makes that file, and may then start nothing; the launcher puts down who it is before anything can be printed.
     */
    private static boolean neverStarted(TaskFolder folder, boolean tty) {
        Path out = folder.output(StreamName.STDOUT);
        Set<Path> before = Set.of(SpecFile.unfinished(folder), folder.spec(), folder.exit(), folder.in(), folder.eof());
        try (Stream<Path> files = Files.list(folder.path())) {
            return files.allMatch(file -> before.contains(file)
                    || (tty && file.equals(out) && out.toFile().length() == 0));
        } catch (IOException e) {
            // It cannot be looked into, which is another thing.
            return false;
        }
    }

    /** Who the processes of a running command are. */
    CommandProcesses processes(TaskFolder folder) {
        PidFile known = known(folder);
        // Only things that it left behind live: a launcher that is nobody has ended at once.
        ProcessIdentity launcher =
                Objects.requireNonNullElseGet(known.launcher(), () -> new ProcessIdentity(Integer.MAX_VALUE, 0));
        return new CommandProcesses(folder, launcher, known.command());
    }

    /** Only what happened in this boot is in the kernel's log, and only the command's own pid is on record. */
    Map<String, String> endingDetails(Folder.Ended ended, TaskFolder folder) {
        try {
            boolean thisBoot = SpecFile.read(folder.spec()).isOfThisBoot();
            PidFile known = PidFile.read(folder.pid());
            ProcessIdentity launcher = known.launcher();
            ProcessIdentity command = known.command();
            return thisBoot && launcher != null && command != null && OutOfMemory.maybe(ended.exit())
                    ? OutOfMemory.details(Set.of(command.pid()), launcher)
                    : Map.of();
        } catch (SpecFile.DamagedException e) {
            return Map.of(); // told when the folder was read
        }
    }

    private Folder state(SpecFile.Spec spec, TaskFolder folder) {
        Launch launch = spec.launch();
        boolean thisBoot = spec.isOfThisBoot();
        if (exit(folder).isEmpty() && thisBoot) {
            if (isCopy(launch.id(), folder)) {
                return ended(launch, folder, new Exit.Unseen(false));
            }
            if (running(launch.id(), folder)) {
                return new Folder.Running(launch);
            }
            if (neverStarted(folder, launch.command().tty())) {
                return new Folder.Unborn(launch.id());
            }
        }
        return ended(launch, folder, new Exit.Unseen(!thisBoot));
    }

    private static boolean isCopy(TaskId id, TaskFolder folder) {
        Optional<Path> original = Original.of(folder, known(folder).launcher());
        original.ifPresent(other ->
                LOG.log(Level.WARNING, "{0} runs for {1}, of which this is a copy: that is left alone", id, other));
        return original.isPresent();
    }

    /** @param otherwise how it ended when nobody put it down */
    static Folder.Ended ended(Launch launch, TaskFolder folder, Exit.Unseen otherwise) {
        // Looked at again: it may just have been finishing.
        Optional<Exit> recorded = exit(folder);
        return recorded.isPresent()
                ? new Folder.Ended(launch, recorded.get(), lastChange(launch, folder.exit()))
                : new Folder.Ended(launch, otherwise, lastOutput(launch, folder));
    }

    static Optional<Exit> exit(TaskFolder folder) {
        return ExitFile.read(folder.exit());
    }

    /** What only was started by it says that it lives as long as nobody put down who it is itself. */
    private boolean running(TaskId id, TaskFolder folder) {
        PidFile known = known(folder);
        return ProcessTable.alive(known.launcher())
                || ProcessTable.alive(known.command())
                || (known.command() == null && lineage.exists(id));
    }

    /** A server that was killed right after the spawn has not put down whom it started. */
    private static PidFile known(TaskFolder folder) {
        PidFile read = PidFile.read(folder.pid());
        if (read.launcher() != null) {
            return read;
        }
        ProcessIdentity found =
                launcherOf(folder.path()).map(ProcessStat::identity).orElse(null);
        if (found != null) {
            PidFile.append(folder.pid(), found);
        }
        return new PidFile(found, null);
    }

    /** Its command line names the folder; another user's may say the same. */
    static Optional<ProcessStat> launcherOf(Path folder) {
        String name = "\0" + folder + "\0";
        return ProcessTable.read().processes().stream()
                .filter(process -> process.session() == process.pid())
                .filter(process -> {
                    byte[] arguments = process.arguments();
                    return Launcher.isOwn(arguments) && new String(arguments, StandardCharsets.UTF_8).contains(name);
                })
                .filter(process -> users(process.pid()).equals(users("self")))
                .findFirst();
    }

    /** Its user ids, proc_pid_status(5); empty when it is gone. */
    private static String users(Object process) {
        return ProcFiles.value("/proc/" + process + "/status", "Uid:");
    }

    private static Instant lastOutput(Launch launch, TaskFolder folder) {
        return Stream.of(StreamName.values())
                .map(stream -> lastChange(launch, folder.output(stream)))
                .max(Instant::compareTo)
                .orElse(launch.createdAt());
    }

    private static Instant lastChange(Launch launch, Path file) {
        try {
            Instant changed = Files.getLastModifiedTime(file).toInstant();
            return changed.isAfter(launch.createdAt()) ? changed : launch.createdAt();
        } catch (IOException e) {
            // Never made: nothing was seen after its start.
            return launch.createdAt();
        }
    }
}
