package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.acceptance.Folders;
import dev.holdfast.host.facts.CommandFacts;
import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.launch.PidFile;
import dev.holdfast.host.launch.SpecFile;
import dev.holdfast.host.launch.TaskFolders;
import dev.holdfast.host.proc.BootId;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.kernel.Freezer;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdoptionTest {
    @TempDir
    Path folder;

    @AutoClose
    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @Test
    void aRunningCommandIsFoundAdoptedAndItsExitSeen() throws Exception {
        HostedCommand before = fixture.sh("while ! [ -e go ]; do sleep 0.2; done; exit 9");
        HostedCommand after = fixture.adoptedByAnother(before.id());
        assertThat(HostFixture.process(after)).isEqualTo(HostFixture.process(before));
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Code(9));
    }

    /** As on a busy machine: the command has ended, and its launcher has not put down how. */
    @Test
    void aStopWaitsForALauncherThatIsHeldUp() throws Exception {
        HostedCommand before = fixture.sh("while ! [ -e go ]; do sleep 0.2; done; exit 3");
        ProcessIdentity command = HostFixture.process(before);
        HostedCommand after;
        CompletableFuture<List<Long>> stop;
        try (AutoCloseable _ =
                Freezer.isHere() ? new Freezer(fixture.launcher(before).pid()) : () -> {}) {
            Files.createFile(fixture.workdir.resolve("go"));
            await().until(() -> !ProcessTable.alive(command));
            after = fixture.adoptedByAnother(before.id());
            stop = CompletableFuture.supplyAsync(() -> after.stop(Duration.ZERO));
            await().during(Duration.ofSeconds(2)).until(() -> !Freezer.isHere() || !stop.isDone());
        }

        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Code(3));
        assertThat(stop.join()).isEmpty();
    }

    @Test
    void anAdoptedCommandTakesSignals() throws Exception {
        HostedCommand before = fixture.sh("sleep 60");
        HostedCommand after = fixture.adoptedByAnother(before.id());
        after.signal(Signal.INT);
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Signalled("SIGINT"));
    }

    @Test
    void whatRunsForTheOriginalOfACopiedDataFolderIsLeftAlone() throws Exception {
        HostedCommand original = fixture.sh("sleep 60");
        HostFixture.process(original);
        Path copy = folder.resolve("copy");
        TaskFolder copied = TaskFolder.of(copy, original.id());
        Files.createDirectories(copied.path());
        for (Path file : Folders.children(fixture.folder(original).path())) {
            Files.copy(file, copied.path().resolve(file.getFileName()));
        }
        FolderCommandHost other = fixture.on(copy);

        Folder.Ended ended = (Folder.Ended) other.folder(original.id()).orElseThrow();
        assertThat(ended.exit()).isEqualTo(new Exit.Unseen(false));
        assertThat(other.left(original.id(), ended.endedAt())).isEmpty();
        assertThat(other.endStrays(original.id(), ended.endedAt(), Duration.ZERO)
                        .found())
                .isEmpty();
        other.close();
        assertThat(fixture.host.folder(original.id())).get().isInstanceOf(Folder.Running.class);
    }

    @Test
    void aLauncherThatWasNotPutDownIsFoundByItsFolder() throws Exception {
        HostedCommand before = fixture.sh("sleep 60");
        HostFixture.process(before); // or its host puts it down afterwards
        Files.delete(fixture.folder(before).pid());
        HostedCommand after = fixture.adoptedByAnother(before.id());
        after.signal(Signal.TERM);
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Signalled("SIGTERM"));
    }

    /** As on a disk that had no room when the launcher was to be put down, and has some now. */
    @Test
    void aCommandIsNotPutDownWithoutItsLauncher() throws Exception {
        HostedCommand hosted = fixture.sh("sleep 60");
        ProcessIdentity command = HostFixture.process(hosted);
        ProcessIdentity launcher = fixture.launcher(hosted);
        TaskFolder task = fixture.folder(hosted);
        Files.delete(task.pid());
        try (CommandProcesses processes = new CommandProcesses(task, launcher, null)) {
            assertThat(processes.command()).isEqualTo(command);
        }
        assertThat(PidFile.read(task.pid())).isEqualTo(new PidFile(launcher, command));
    }

    @Test
    void whatSurvivesTheKillOfItsServerIsAdoptedByTheNext() throws Exception {
        TaskId id = HostFixture.id();
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShortLivedServer.class.getName(),
                        fixture.data.toString(),
                        fixture.workdir.toString(),
                        id.value())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = server.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("started");
        }
        assertThat(server.destroyForcibly().waitFor()).isEqualTo(137);
        assertThat(fixture.host.folder(id).orElseThrow()).isInstanceOf(Folder.Running.class);
        HostedCommand adopted = fixture.adoptedByAnother(id);
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(adopted)).isEqualTo(new Exit.Code(4));
        assertThat(fixture.out(adopted)).isEqualTo("begin\nend\n");
    }

    @Test
    void onlyThingsLeftBehindAreRunningWithAnExitThatNobodySaw() throws Exception {
        HostedCommand before = fixture.sh("sleep 60 & echo forked; exec sleep 61");
        await().until(() -> fixture.out(before).contains("forked"));
        ProcessIdentity command = HostFixture.process(before);
        ProcessIdentity launcher = fixture.launcher(before);
        Files.writeString(fixture.folder(before).pid(), "");
        HostFixture.kill(launcher);
        HostFixture.kill(command);
        HostFixture.end(before);
        Files.writeString(fixture.folder(before).exit(), " ".repeat(64));
        HostedCommand after = fixture.adoptedByAnother(before.id());
        ProcessIdentity left = HostFixture.process(after);
        assertThat(left).isNotEqualTo(command);
        assertThat(after.exit()).isNotDone();
        HostFixture.kill(left);
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Unseen(false));
    }

    /** Who it was is on record: what it left behind is not taken for it, nor kept from being told as left. */
    @Test
    void aCommandThatWasKilledWithItsLauncherHasEndedWhateverItLeft() throws Exception {
        HostedCommand before = leavesAndIsKilled();
        assertThat(exit(before.id())).isEqualTo(new Exit.Unseen(false));
        assertThat(fixture.host.left(before.id(), Instant.now())).hasSize(1);
    }

    /** It was seen to live, and dies before it is adopted. */
    @Test
    void norIsItTakenForACommandThatIsKilledMeanwhile() throws Exception {
        HostedCommand before = leavesAndIsKilled();
        Launch launch = ((Folder.Ended) fixture.host.folder(before.id()).orElseThrow()).launch();
        HostedCommand after = fixture.host.adopt(new Folder.Running(launch));
        assertThat(HostFixture.end(after)).isEqualTo(new Exit.Unseen(false));
        assertThat(fixture.host.left(before.id(), Instant.now())).hasSize(1);
    }

    /** And nobody saw how. */
    private HostedCommand leavesAndIsKilled() throws Exception {
        HostedCommand command = fixture.sh("setsid sleep 60 & echo forked; exec sleep 61");
        await().until(() -> fixture.out(command).contains("forked"));
        ProcessIdentity own = HostFixture.process(command);
        HostFixture.kill(fixture.launcher(command));
        HostFixture.kill(own);
        HostFixture.end(command);
        Files.writeString(fixture.folder(command).exit(), " ".repeat(64));
        return command;
    }

    @Test
    void anEndedCommandSaysHowAndWhen() throws Exception {
        Instant begun = Instant.now();
        HostedCommand command = fixture.sh("exit 3");
        HostFixture.end(command);
        Folder.Ended ended = (Folder.Ended) fixture.host.folder(command.id()).orElseThrow();
        assertThat(ended.exit()).isEqualTo(new Exit.Code(3));
        assertThat(ended.endedAt())
                .isBetween(begun.minusMillis(20), Instant.now().plusMillis(20));
        assertThat(ended.launch().command().labels()).containsEntry("suite", "host");
    }

    @Test
    void anExitThatNobodySawIsUnseenAndAfterAnotherBootRebooted() throws Exception {
        HostedCommand command = fixture.sh("echo out");
        HostFixture.end(command);
        TaskFolder task = fixture.folder(command);
        Files.writeString(task.exit(), "exit 0");
        assertThat(exit(command.id())).isEqualTo(new Exit.Unseen(false));
        Files.writeString(task.spec(), Files.readString(task.spec()).replace(BootId.current(), "another"));
        assertThat(exit(command.id())).isEqualTo(new Exit.Unseen(true));
        Files.writeString(task.exit(), "exit 0\n    ");
        assertThat(exit(command.id())).isEqualTo(new Exit.Code(0));
    }

    @Test
    void aPidThatIsAnothersNowIsNotTakenForTheCommand() throws Exception {
        HostedCommand command = fixture.sh("true");
        HostFixture.end(command);
        TaskFolder task = fixture.folder(command);
        Files.writeString(task.exit(), " ".repeat(64));
        long self = ProcessHandle.current().pid();
        Files.writeString(
                task.pid(), self + " (java) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1" + " 0".repeat(28) + "\n");
        assertThat(fixture.launcher(command).startTicks()).isEqualTo(1);
        assertThat(exit(command.id())).isEqualTo(new Exit.Unseen(false));
    }

    @Test
    void damagedFoldersSayWhatIsWrong() throws Exception {
        HostedCommand command = fixture.sh("true");
        HostFixture.end(command);
        Path spec = fixture.folder(command).spec();
        String whole = Files.readString(spec);
        Files.writeString(spec, "");
        assertThat(problem(command.id())).contains("empty");
        Files.writeString(spec, whole.substring(0, whole.length() / 2));
        assertThat(problem(command.id())).contains("torn");
        Files.write(spec, new byte[whole.length()]);
        assertThat(problem(command.id())).contains("torn");
        Files.writeString(spec, whole.replace("\"format\":1", "\"format\":99"));
        assertThat(problem(command.id())).contains("format 99");
        Files.writeString(
                spec, whole.replace(command.id().value(), HostFixture.id().value()));
        assertThat(problem(command.id())).contains("is that of");
        Files.writeString(spec, whole.replace("\"workdir\"", "\"elsewhere\""));
        assertThat(problem(command.id())).contains("workdir");
        Files.delete(spec);
        assertThat(problem(command.id())).contains("missing");
    }

    @Test
    void aFolderWhoseCommandWasNeverOnRecordIsUnborn() throws Exception {
        TaskFolder task = TaskFolder.of(fixture.data, HostFixture.id());
        TaskId id = new TaskId(String.valueOf(task.path().getFileName()));
        Files.createDirectories(task.path());
        assertThat(fixture.host.folder(id)).contains(new Folder.Unborn(id));
        Files.writeString(SpecFile.unfinished(task), "{\"format\"");
        assertThat(fixture.host.folder(id)).contains(new Folder.Unborn(id));
        ExitFile.allocate(task.exit());
        assertThat(fixture.host.folder(id)).contains(new Folder.Unborn(id));
        Files.createFile(task.output(StreamName.STDOUT));
        assertThat(problem(id)).contains("missing");
    }

    @Test
    void aCommandOnRecordThatWasNeverStartedIsUnborn() throws Exception {
        Launch launch = fixture.launch(new Invocation.ShellText("true", "/bin/sh", false), true, Map.of());
        TaskFolder task = TaskFolder.of(fixture.data, launch.id());
        new TaskFolders(fixture.data).make(task, launch);
        assertThat(fixture.host.folder(launch.id())).contains(new Folder.Unborn(launch.id()));
        Files.createFile(task.in());
        Files.createFile(task.eof());
        assertThat(fixture.host.folder(launch.id())).contains(new Folder.Unborn(launch.id()));
        Files.createFile(task.output(StreamName.STDOUT));
        assertThat(fixture.host.folder(launch.id()))
                .containsInstanceOf(Folder.Ended.class)
                .hasValueSatisfying(
                        found -> assertThat(((Folder.Ended) found).exit()).isEqualTo(new Exit.Unseen(false)));
    }

    /** The keeper makes the file of the output; it may have had no thread, or no pseudo-terminal, for the rest. */
    @Test
    void aTerminalThatWasNeverStartedIsUnborn() throws Exception {
        Launch launch = fixture.inTerminal("true");
        TaskFolder task = TaskFolder.of(fixture.data, launch.id());
        new TaskFolders(fixture.data).make(task, launch);
        Path out = Files.createFile(task.output(StreamName.STDOUT));
        assertThat(fixture.host.folder(launch.id())).contains(new Folder.Unborn(launch.id()));

        Files.writeString(out, "x");
        assertThat(fixture.host.folder(launch.id())).containsInstanceOf(Folder.Ended.class);
        Files.writeString(out, "");
        Files.createFile(task.pid());
        assertThat(fixture.host.folder(launch.id())).containsInstanceOf(Folder.Ended.class);
    }

    @Test
    void foldersComeInOrderAndForgottenOnesAreGone() throws Exception {
        HostedCommand first = fixture.sh("true");
        HostedCommand second = fixture.sh("sleep 60");
        HostedCommand third = fixture.shWithInput("true");
        HostFixture.end(first);
        HostFixture.end(third);
        Files.createDirectories(fixture.data.resolve("tasks").resolve("lost+found"));
        assertThat(fixture.host.ids()).containsExactly(first.id(), second.id(), third.id());
        fixture.host.forget(third.id());
        fixture.host.forget(third.id());
        assertThat(fixture.host.folder(third.id())).isEmpty();
        assertThat(fixture.data.resolve("tasks").toFile().list()).hasSize(3);
    }

    @Test
    void aSpecIsReadAsItWasWritten() throws Exception {
        CommandSpec command = new CommandSpec(
                new Invocation.Program(List.of("echo", "ü \"quoted\"\n")),
                fixture.workdir,
                new TerminalSize(10, 20),
                true,
                List.of("A", "B"),
                Duration.ofMillis(1500),
                Duration.ofSeconds(3),
                OnExit.STOP,
                Map.of("k", "v"),
                null,
                null);
        Launch launch = new Launch(
                HostFixture.id(),
                command,
                Map.of("A", "secret"),
                Instant.parse("2030-01-02T03:04:05.678Z"),
                "duplicate",
                new Launch.Idempotency("key", "digest"));
        TaskFolder task = TaskFolder.of(fixture.data, launch.id());
        Files.createDirectories(task.path());
        SpecFile.write(task, SpecFile.bytes(launch, "boot"));
        SpecFile.Spec read = SpecFile.read(task.spec());
        assertThat(read.bootId()).isEqualTo("boot");
        assertThat(read.launch())
                .isEqualTo(new Launch(
                        launch.id(), command, Map.of(), launch.createdAt(), "duplicate", launch.idempotency()));
        assertThat(Files.readString(task.spec())).doesNotContain("secret");
    }

    private Exit exit(TaskId id) {
        return ((Folder.Ended) fixture.host.folder(id).orElseThrow()).exit();
    }

    private String problem(TaskId id) {
        return ((Folder.Damaged) fixture.host.folder(id).orElseThrow()).problem();
    }

    /** Starts one command, says so, and waits to be killed. */
    static final class ShortLivedServer {
        public static void main(String[] arguments) throws Exception {
            Lineage lineage = new Lineage();
            FolderCommandHost host = new FolderCommandHost(
                    RuntimeFixture.config(Path.of(arguments[0]), Path.of(arguments[1])),
                    new KernelEvents(),
                    new StopLoop(lineage),
                    new CommandFacts(lineage, InstantSource.system()),
                    HostFixture.NO_TERMINALS,
                    lineage);
            String text = "echo begin; while ! [ -e go ]; do sleep 0.2; done; echo end; exit 4";
            CommandSpec command =
                    PlainCommand.of(new Invocation.ShellText(text, "/bin/bash", false), Path.of(arguments[1]));
            host.start(new Launch(
                    new TaskId(arguments[2]), command, Map.of("PATH", "/usr/bin:/bin"), Instant.now(), "key", null));
            System.out.println("started");
            Thread.currentThread().join();
        }
    }
}
