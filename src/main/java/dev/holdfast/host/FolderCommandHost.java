package dev.holdfast.host;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.host.facts.CommandFacts;
import dev.holdfast.host.facts.LeftRunning;
import dev.holdfast.host.facts.PortHolders;
import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.launch.LauncherStart;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.Preflight;
import dev.holdfast.host.launch.SpecFile;
import dev.holdfast.host.launch.TaskFolders;
import dev.holdfast.host.launch.TerminalHost;
import dev.holdfast.host.sandbox.Bubblewrap;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.stop.Strays;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.LineageWatch;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.ToldExits;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs each command in its folder below {@code <data>/tasks}, which is all that a server after this one needs. */
@ApplicationScoped
public class FolderCommandHost implements CommandHost {
    private static final Logger LOG = System.getLogger(FolderCommandHost.class.getName());

    private final Path dataDir;
    /** Short looks at {@code /proc}, on one thread for all commands. */
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("host-looks").factory());

    private final HostServices services;
    private final FolderReader reader;
    private final TaskFolders folders;
    private final Salvage salvage = new Salvage();
    private final Strays strays;
    private final LeftRunning leftRunning;
    private final PortHolders portHolders;

    public FolderCommandHost(
            HoldfastConfig config,
            KernelEvents events,
            StopLoop stops,
            CommandFacts facts,
            TerminalHost terminals,
            Lineage lineage) {
        this.dataDir = config.dataDir().toAbsolutePath().normalize();
        ToldExits told = new ToldExits();
        LineageWatch watch = new LineageWatch(lineage, later, told);
        Bubblewrap walls = new Bubblewrap(dataDir, config.workspace().orElse(Path.of("")));
        this.services = new HostServices(events, stops, facts, terminals, lineage, watch, told, walls);
        this.folders = new TaskFolders(dataDir);
        this.reader = new FolderReader(lineage);
        this.strays = new Strays(lineage, stops);
        this.leftRunning = new LeftRunning(lineage);
        this.portHolders = new PortHolders(lineage);
    }

    @Override
    public HostedCommand start(Launch launch) {
        Preflight.check(launch);
        TaskFolder folder = TaskFolder.of(dataDir, launch.id());
        try {
            folders.make(folder, launch);
        } catch (ErrnoException e) {
            throw Preflight.unrecorded(e, dataDir.resolve("tasks"));
        }
        try {
            return watched(launch, folder, launcher(launch, folder));
        } catch (ErrnoException e) {
            folders.deleteAfter(e, launch.id());
            throw Preflight.refusal(e, launch);
        } catch (RuntimeException | Error e) {
            folders.deleteAfter(e, launch.id());
            throw e;
        }
    }

    private ProcessIdentity launcher(Launch launch, TaskFolder folder) {
        Launcher.Wall wall = services.walls().around(launch.command(), folder);
        if (!launch.command().tty()) {
            return LauncherStart.withFiles(launch, folder, wall);
        }
        try {
            return LauncherStart.inTerminal(launch, folder, wall, services.terminals());
        } catch (RuntimeException | Error failure) {
            endMarked(launch.id(), failure); // the keeper may have started it all the same
            ProcessIdentity begun = PidFile.read(folder.pid()).launcher();
            if (begun == null) {
                throw failure;
            }
            LOG.log(Level.WARNING, launch.id() + " was started, and is ended: nobody said so", failure);
            return begun; // it may have run: who is told that it did not runs it once more
        }
    }

    private void endMarked(TaskId id, Throwable failure) {
        try {
            services.stops().stop(new TaskProcess(id, 0, null, null, null, null, List.of()), Duration.ZERO);
            services.lineage().forget(id);
        } catch (RuntimeException | Error unseen) {
            failure.addSuppressed(unseen);
        }
    }

    @Override
    public void requireWall(CommandSpec command) {
        services.walls().require(command);
    }

    /** Whatever fails from the spawn on: what was spawned is ended, for nobody would own it. */
    private HostedCommand watched(Launch launch, TaskFolder folder, ProcessIdentity launcher) {
        try {
            CommandProcesses processes = new CommandProcesses(folder, launcher, null);
            return new HostedProcess(launch, folder, processes, services).watched();
        } catch (ErrnoException | Error failure) {
            LauncherStart.abandon(launcher.pid());
            throw failure;
        } catch (RuntimeException failure) {
            LauncherStart.abandon(launcher.pid());
            throw LauncherStart.unwatchable(String.valueOf(failure.getMessage()));
        }
    }

    @Override
    public List<TaskId> ids(Consumer<TaskId> deleted) {
        services.lineage().keep(services.watch().running());
        return folders.ids(deleted);
    }

    @Override
    public Optional<Launch.Idempotency> idempotency(TaskId id) {
        return SpecFile.idempotency(TaskFolder.of(dataDir, id).spec());
    }

    @Override
    public Optional<Folder> folder(TaskId id) {
        return reader.read(id, TaskFolder.of(dataDir, id));
    }

    @Override
    public Folder salvage(Folder.Damaged damaged, @Nullable Task row) {
        return salvage.folder(damaged, TaskFolder.of(dataDir, damaged.id()), row);
    }

    @Override
    public Swept endStrays(TaskId id, Instant endedAt, Duration grace) {
        return strays.end(id, TaskFolder.of(dataDir, id), endedAt, grace);
    }

    @Override
    public List<LeftProcess> left(TaskId id, Instant endedAt) {
        TaskFolder folder = TaskFolder.of(dataDir, id);
        return strays.isCopy(folder) ? List.of() : leftRunning.of(strays.target(id, folder, endedAt), endedAt);
    }

    @Override
    public boolean mayBeLeft(TaskId id) {
        return services.lineage().anyKnownAlive(id);
    }

    @Override
    public Map<String, String> endingDetails(Folder.Ended ended) {
        Map<String, String> known = new HashMap<>(reader.endingDetails(ended, TaskFolder.of(dataDir, ended.id())));
        boolean missing =
                ended.launch().command().tty() && !services.terminals().saidAll(ended.id());
        known.putAll(ExitFile.doubt(ended.exit()));
        known.putAll(missing ? HostedProcess.OUTPUT_MAY_BE_MISSING : Map.of());
        return known;
    }

    @Override
    public HostedCommand adopt(Folder.Running running) {
        TaskFolder folder = TaskFolder.of(dataDir, running.id());
        CommandProcesses processes = reader.processes(folder);
        return new HostedProcess(running.launch(), folder, processes, services).watched();
    }

    @Override
    public Map<TaskId, HostedCommand.ProcessFacts> facts(Collection<HostedCommand> commands) {
        return services.facts().of(targets(commands));
    }

    @Override
    public Optional<Listener> listener(Collection<Integer> ports, Collection<HostedCommand> running) {
        return portHolders.of(ports, targets(running));
    }

    private static List<TaskProcess> targets(Collection<HostedCommand> commands) {
        return commands.stream()
                .map(HostedProcess.class::cast) // nobody else makes any
                .map(HostedProcess::target)
                .toList();
    }

    @Override
    public TerminalScreen screen(TaskId id, TerminalSize size) {
        return services.terminals().screen(id, size);
    }

    @Override
    public void forget(TaskId id, Runnable last) {
        services.lineage().forget(id);
        folders.delete(id, last);
    }

    @PreDestroy
    public void close() {
        later.shutdownNow();
        services.lineage().keep(Set.of());
        services.told().close();
    }
}
