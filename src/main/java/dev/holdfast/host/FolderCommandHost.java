package dev.holdfast.host;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.CommandHost;
import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.runtime.Launch;
import dev.holdfast.runtime.Refusal;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** Runs each command in its folder below {@code <data>/tasks}, which is all that a server after this one needs. */
@ApplicationScoped
public class FolderCommandHost implements CommandHost {
    private final Path dataDir;
    private final HostServices services;
    private final FolderReader reader;
    private final TaskFolders folders;
    private final Lineage lineage;
    private final Salvage salvage = new Salvage();
    private final Strays strays;

    @Inject
    public FolderCommandHost(
            HoldfastConfig config,
            KernelEvents events,
            TreeStop tree,
            FactsReader facts,
            TerminalHost terminals,
            Lineage lineage) {
        this(config.dataDir(), events, tree, facts, terminals, lineage);
    }

    /** @param dataDir made when it is missing */
    public FolderCommandHost(
            Path dataDir,
            KernelEvents events,
            TreeStop tree,
            FactsReader facts,
            TerminalHost terminals,
            Lineage lineage) {
        this.dataDir = dataDir.toAbsolutePath().normalize();
        ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("host-looks").factory());
        WitnessedExits witnessed = new WitnessedExits(lineage::isChild);
        this.services = new HostServices(
                events, tree, facts, terminals, later, new LineageWatch(lineage, later, witnessed), witnessed);
        this.lineage = lineage;
        this.folders = new TaskFolders(this.dataDir);
        this.reader = new FolderReader(lineage);
        this.strays = new Strays(lineage, tree);
    }

    @Override
    public HostedCommand start(Launch launch) {
        Preflight.check(launch, Launcher.SHELL);
        TaskFolder folder = TaskFolder.of(dataDir, launch.id());
        try {
            folders.make(folder, launch);
        } catch (ErrnoException e) {
            throw Preflight.refusal(e, launch);
        }
        try (Ancestry.Attention _ = services.lineage().expect()) {
            long since = services.witnessed().now();
            CommandProcesses processes = launch.command().tty()
                    ? LauncherStart.inTerminal(launch, folder, services.terminals())
                    : LauncherStart.withFiles(launch, folder);
            return watched(new HostedProcess(launch, folder, processes, services, since), processes);
        } catch (ErrnoException e) {
            folders.delete(launch.id());
            throw Preflight.refusal(e, launch);
        } catch (Refusal e) {
            folders.delete(launch.id());
            throw e;
        }
    }

    private static HostedCommand watched(HostedProcess started, CommandProcesses processes) {
        try {
            return started.watched();
        } catch (ErrnoException e) {
            LauncherStart.abandon(processes.session());
            throw e;
        } catch (UncheckedIOException e) {
            throw LauncherStart.unwatchable(processes.session());
        }
    }

    @Override
    public List<TaskId> ids() {
        folders.sweep();
        return folders.ids();
    }

    @Override
    public Optional<Launch.Idempotency> idempotency(TaskId id) {
        return SpecFile.idempotency(TaskFolder.of(dataDir, id).spec());
    }

    @Override
    public Iterable<Folder> folders() {
        List<TaskId> ids = ids();
        return () -> ids.stream().flatMap(id -> folder(id).stream()).iterator();
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
    public List<Long> endStrays(TaskId id, Instant endedAt, Duration grace) {
        return strays.end(id, TaskFolder.of(dataDir, id), endedAt, grace);
    }

    @Override
    public Map<String, String> endingDetails(Folder.Ended ended) {
        return reader.endingDetails(ended, TaskFolder.of(dataDir, ended.id()));
    }

    @Override
    public HostedCommand adopt(Folder.Running running) {
        TaskFolder folder = TaskFolder.of(dataDir, running.id());
        try (Ancestry.Attention _ = services.lineage().expect()) {
            CommandProcesses processes = reader.processes(folder);
            long since = services.witnessed().now();
            return new HostedProcess(running.launch(), folder, processes, services, since).watched();
        }
    }

    @Override
    public Map<TaskId, HostedCommand.ProcessFacts> facts(Collection<HostedCommand> commands) {
        List<TaskProcess> targets = commands.stream()
                .map(HostedProcess.class::cast) // nobody else makes any
                .map(HostedProcess::target)
                .toList();
        return services.facts().read(targets);
    }

    @Override
    public void forget(TaskId id) {
        lineage.forget(id);
        folders.forget(id);
    }

    @PreDestroy
    void close() {
        services.later().shutdownNow();
        services.witnessed().close();
    }
}
