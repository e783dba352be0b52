package dev.holdfast.host;

import static org.awaitility.Awaitility.await;

import dev.holdfast.host.facts.CommandFacts;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.TaskFolders;
import dev.holdfast.host.launch.TerminalHost;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.Markers;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TerminalScreen;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A host on a folder of its own, with real processes; what it started is killed at the end. */
public final class HostFixture implements AutoCloseable {
    static final TerminalHost NO_TERMINALS = new NoTerminals();
    /** Random, since processes are found by them on a machine where another run of these tests may be going on. */
    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    public final Path data;
    public final Path workdir;
    final KernelEvents events = new KernelEvents();
    public Lineage lineage;
    public FolderCommandHost host;

    public HostFixture(Path folder) throws IOException {
        this(folder, new Lineage(folder.resolve("data")));
    }

    public HostFixture(Path folder, Lineage lineage) throws IOException {
        this.lineage = lineage;
        data = folder.resolve("data");
        workdir = Files.createDirectory(folder.resolve("work")).toRealPath();
        host = another();
    }

    /** As a server that starts again on the same folder. */
    public FolderCommandHost another() {
        return on(data);
    }

    FolderCommandHost on(Path dataDir) {
        return with(dataDir, NO_TERMINALS);
    }

    FolderCommandHost with(Path dataDir, TerminalHost terminals) {
        return new FolderCommandHost(
                RuntimeFixture.config(dataDir, workdir),
                events,
                new StopLoop(lineage),
                new CommandFacts(lineage, InstantSource.system()),
                terminals,
                lineage);
    }

    static TaskId id() {
        return IDS.next();
    }

    public HostedCommand sh(String text) {
        return host.start(launch(new Invocation.ShellText(text, "/bin/bash", false), false, Map.of()));
    }

    public HostedCommand shWithInput(String text) {
        return host.start(launch(new Invocation.ShellText(text, "/bin/bash", false), true, Map.of()));
    }

    public HostedCommand program(String... argv) {
        return host.start(launch(new Invocation.Program(List.of(argv)), false, Map.of()));
    }

    Launch launch(Invocation invocation, boolean input, Map<String, String> environment) {
        return launch(invocation, null, input, environment);
    }

    Launch inTerminal(String text) {
        return launch(new Invocation.ShellText(text, "/bin/bash", false), TerminalSize.DEFAULT, false, Map.of());
    }

    private Launch launch(
            Invocation invocation, @Nullable TerminalSize terminal, boolean input, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(Map.of("PATH", "/usr/bin:/bin"));
        all.putAll(environment);
        CommandSpec command = new CommandSpec(
                invocation,
                workdir,
                terminal,
                input,
                environment.keySet().stream().sorted().toList(),
                null,
                null,
                OnExit.LEAVE,
                Map.of("suite", "host"),
                null,
                null);
        return new Launch(id(), command, all, Instant.now(), "key", null);
    }

    public HostedCommand adoptedByAnother(TaskId id) {
        host.close();
        host = another();
        return host.adopt((CommandHost.Folder.Running) host.folder(id).orElseThrow());
    }

    public TaskFolder folder(HostedCommand command) {
        return TaskFolder.of(data, command.id());
    }

    /** Waits until the command's own process is known. */
    public static ProcessIdentity process(HostedCommand command) {
        await().until(() -> command.process() != null);
        return Objects.requireNonNull(command.process());
    }

    public ProcessIdentity launcher(HostedCommand command) {
        PidFile read = PidFile.read(folder(command).pid());
        return Objects.requireNonNull(read.launcher());
    }

    public static void kill(ProcessIdentity process) {
        ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();
    }

    public String out(HostedCommand command) throws IOException {
        return Files.readString(folder(command).output(StreamName.STDOUT), StandardCharsets.UTF_8);
    }

    String err(HostedCommand command) throws IOException {
        return Files.readString(folder(command).output(StreamName.STDERR), StandardCharsets.UTF_8);
    }

    /** The live processes that carry the task's marker. */
    static List<ProcessStat> marked(TaskId id) {
        return new Markers().in(ProcessTable.read()).getOrDefault(id, List.of());
    }

    public static Exit end(HostedCommand command) throws Exception {
        return command.exit().get(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        await().until(() -> new TaskFolders(data).ids(_ -> {}).stream().allMatch(HostFixture::killed));
        host.close();
        events.close();
    }

    /** Whether nothing of it lives; one that was about to exec carries its marker only afterwards. */
    private static boolean killed(TaskId id) {
        List<ProcessStat> living = marked(id);
        living.forEach(process -> ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly));
        return living.isEmpty();
    }

    /** Where no command asks for any. */
    static class NoTerminals implements TerminalHost {
        @Override
        public void start(Launch launch, Path folder, List<String> launcherArgv) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(TaskId id, byte[] bytes, boolean eof, Duration limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void resize(TaskId id, TerminalSize size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TerminalScreen screen(TaskId id, TerminalSize size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public HostedCommand.TerminalLink attach(TaskId id, HostedCommand.TerminalListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean drained(TaskId id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onRelease(TaskId id, Runnable action) {
            throw new UnsupportedOperationException();
        }
    }
}
