package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.ExitWatch;
import dev.holdfast.host.watch.Markers;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.host.watch.ToldExits;
import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandExitTest {
    /** False before Linux 6.6 and in a container's own namespace of process ids. */
    private static final boolean KERNEL_TELLS = kernelTells();

    @TempDir
    Path folder;

    @AutoClose
    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 127, 128, 130, 137, 141, 143, 255})
    void anExitCodeIsACodeWhateverItsNumber(int code) throws Exception {
        HostedCommand command = fixture.sh("exit " + code);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(code));
        assertThat(fixture.host.folder(command.id()).orElseThrow())
                .isInstanceOfSatisfying(
                        Folder.Ended.class, ended -> assertThat(ended.exit()).isEqualTo(new Exit.Code(code)));
    }

    /** As for who ended while no server ran, and where the kernel tells nothing. */
    @ParameterizedTest
    @CsvSource({"130,SIGINT", "141,SIGPIPE", "129,", "137,", "3,"})
    void ofACodeThatTheShellAloneSawItIsSaidWhichSignalItMayBe(int code, @Nullable String signal) throws Exception {
        HostedCommand command = fixture.sh("exit " + code);
        HostFixture.end(command);
        Map<String, String> doubt = signal == null ? Map.of() : Map.of("may_be_signal", signal);
        Folder.Ended ended = (Folder.Ended) fixture.host.folder(command.id()).orElseThrow();
        CommandProcesses gone = new CommandProcesses(fixture.folder(command), fixture.launcher(command), null);
        ExitWatch watch =
                new ExitWatch(fixture.folder(command), fixture.events, gone, () -> TaskTree.NONE, ToldExits.silent());
        watch.begin();

        assertThat(watch.exit()).isCompletedWithValue(new Exit.Code(code));
        assertThat(watch.doubt()).isEqualTo(doubt);
        assertThat(fixture.host.endingDetails(ended)).isEqualTo(doubt);
    }

    /** It warns where the launcher's shell is loaded too. */
    @ParameterizedTest
    @ValueSource(ints = {137, 143, 130})
    void soWhateverTheLoaderIsGiven(int code) throws Exception {
        var text = new Invocation.ShellText("exit " + code, "/bin/bash", false);
        HostedCommand command = fixture.host.start(fixture.launch(text, false, Map.of("LD_PRELOAD", "/no/such.so")));
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(code));
        assertThat(fixture.err(command)).containsOnlyOnce("ld.so");
    }

    @ParameterizedTest
    @CsvSource({"KILL,SIGKILL", "TERM,SIGTERM", "SEGV,SIGSEGV", "HUP,SIGHUP", "USR1,SIGUSR1", "ABRT,SIGABRT"})
    void aDeathBySignalIsTold(String signal, String name) throws Exception {
        HostedCommand command = fixture.sh("kill -" + signal + " $$");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled(name));
    }

    @ParameterizedTest
    @CsvSource({
        "INT,SIGINT",
        "TERM,SIGTERM",
        "HUP,SIGHUP",
        "QUIT,SIGQUIT",
        "USR1,SIGUSR1",
        "USR2,SIGUSR2",
        "KILL,SIGKILL"
    })
    void ourSignalsReachTheCommandAndNotTheLauncher(Signal signal, String name) throws Exception {
        // No shell: bash ignores SIGQUIT until it becomes the program.
        HostedCommand command = fixture.program("sleep", "60");
        command.signal(signal);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled(name));
    }

    @Test
    void aSignalReachesTheWholeGroup() throws Exception {
        HostedCommand command = fixture.sh("sleep 61 & sleep 62 & wait; echo not here");
        HostFixture.process(command);
        command.signal(Signal.TERM);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGTERM"));
        await().until(() -> HostFixture.marked(command.id()).isEmpty());
    }

    @Test
    void aSignalReachesACommandThatLeftTheSession() throws Exception {
        HostedCommand command = fixture.program("setsid", "sleep", "60");
        HostFixture.process(command);
        command.signal(Signal.TERM);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGTERM"));
    }

    @Test
    void sigintAndSigquitAreNotIgnored() throws Exception {
        HostedCommand command = fixture.program("cat", "/proc/self/status");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        String mask = fixture.out(command)
                .lines()
                .filter(line -> line.startsWith("SigIgn"))
                .findFirst()
                .orElseThrow();
        assertThat(Long.parseUnsignedLong(mask.substring("SigIgn:".length()).strip(), 16) & 0x7fffffff)
                .isZero();
    }

    @Test
    void aCommandCanHandleAnInterrupt() throws Exception {
        HostedCommand command = fixture.sh("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.2; done");
        await().until(() -> fixture.out(command).contains("ready"));
        command.signal(Signal.INT);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(5));
        assertThat(fixture.out(command)).isEqualTo("ready\ncaught\n");
    }

    @Test
    void aStoppedCommandGoesOnAndCanBeKilled() throws Exception {
        HostedCommand command = fixture.shWithInput("sleep 60");
        command.signal(Signal.STOP);
        long pid = HostFixture.process(command).pid();
        await().until(() -> StartedTask.stat(pid).state() == 'T');
        command.signal(Signal.CONT);
        await().until(() -> StartedTask.stat(pid).state() == 'S');
        command.signal(Signal.STOP);
        await().until(() -> StartedTask.stat(pid).state() == 'T');
        command.signal(Signal.KILL);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGKILL"));
    }

    @Test
    void childrenThatLiveOnDoNotDelayTheExit() throws Exception {
        HostedCommand command = fixture.sh("sleep 60 & echo done");
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(0));
        assertThat(fixture.out(command)).isEqualTo("done\n");
        assertThat(fixture.host.folder(command.id()).orElseThrow()).isInstanceOf(Folder.Ended.class);
    }

    @Test
    void whenTheLauncherIsKilledTheCommandGoesOnAndItsExitIsSeenOrUnknown() throws Exception {
        HostedCommand command = fixture.sh("while ! [ -e go ]; do sleep 0.2; done; exit 7");
        HostFixture.process(command);
        killLauncher(command);
        assertThat(fixture.host.folder(command.id()).orElseThrow()).isInstanceOf(Folder.Running.class);
        assertThat(command.exit()).isNotDone();
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(command)).isIn(new Exit.Code(7), new Exit.Unseen(false));
        assertThat(((Folder.Ended) fixture.host.folder(command.id()).orElseThrow()).exit())
                .isEqualTo(HostFixture.end(command));
    }

    /** Before anybody could see which process is the command. */
    @RepeatedTest(5)
    void whenTheLauncherIsKilledAtOnceTheCommandKeepsAnOwner() throws Exception {
        HostedCommand command = fixture.sh("while ! [ -e go ]; do sleep 0.2; done; exit 7");
        HostFixture.kill(fixture.launcher(command));
        await().until(() -> command.process() != null || command.exit().isDone());
        if (command.exit().isDone()) {
            assertThat(new Markers().in(ProcessTable.read())).doesNotContainKey(command.id());
        } else {
            assertThat(ProcessTable.alive(HostFixture.process(command))).isTrue();
        }
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(command)).isIn(new Exit.Code(7), new Exit.Unseen(false));
        await().untilAsserted(
                        () -> assertThat(new Markers().in(ProcessTable.read())).doesNotContainKey(command.id()));
    }

    /** In the midst of an exec no environment is to be seen, and with it no marker. */
    @RepeatedTest(20)
    void soDoesOneThatIsAlwaysInTheMidstOfAnExec() throws Exception {
        Path script = fixture.workdir.resolve("again");
        Files.writeString(script, "#!/bin/sh\n: >begun; [ -e go ] || exec \"$0\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        HostedCommand command = fixture.program(script.toString());
        // At once, before the host knows its process.
        await().pollInterval(Duration.ofNanos(200_000)).until(() -> Files.exists(fixture.workdir.resolve("begun")));
        HostFixture.kill(fixture.launcher(command));
        await().until(() -> command.process() != null || command.exit().isDone());
        assertThat(command.exit().isDone() && alive(script)).isFalse();
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(command)).isIn(new Exit.Code(0), new Exit.Unseen(false));
        assertThat(alive(script)).isFalse();
    }

    private static boolean alive(Path script) {
        return ProcessTable.read().processes().stream()
                .anyMatch(process -> new String(process.arguments(), StandardCharsets.UTF_8).contains(script + "\0"));
    }

    @Test
    void whenLauncherAndCommandAreKilledItIsNeverTakenForASuccess() throws Exception {
        HostedCommand command = fixture.shWithInput("sleep 60");
        ProcessIdentity process = HostFixture.process(command);
        killLauncher(command);
        HostFixture.kill(process);
        assertThat(HostFixture.end(command)).isIn(new Exit.Signalled("SIGKILL"), new Exit.Unseen(false));
        await().until(() -> HostFixture.marked(command.id()).isEmpty());
    }

    @Test
    void anInterruptBySomebodyElseIsSeenWhereTheKernelTells() throws Exception {
        HostedCommand command = fixture.sh("sleep 60");
        long pid = HostFixture.process(command).pid();
        new ProcessBuilder("kill", "-INT", Long.toString(pid)).start().waitFor();
        assertThat(HostFixture.end(command)).isIn(new Exit.Signalled("SIGINT"), new Exit.Code(130));
    }

    /** No shell names these two, and nobody has looked at the command when it ends: the kernel's events alone tell. */
    @ParameterizedTest
    @ValueSource(strings = {"/bin/bash", "/bin/dash", "/bin/sh"})
    void whatACommandDoesToItselfAtOnceIsNoExitCode(String shell) throws Exception {
        List<Exit> interrupted = new ArrayList<>();
        List<Exit> piped = new ArrayList<>();
        for (int round = 0; round < 15; round++) {
            interrupted.add(end("kill -INT $$", shell));
            piped.add(end("kill -PIPE $$", shell));
            assertThat(end("exit 130", shell)).isEqualTo(new Exit.Code(130));
            assertThat(end("exit 141", shell)).isEqualTo(new Exit.Code(141));
        }
        assertMostly(interrupted, new Exit.Signalled("SIGINT"), new Exit.Code(130));
        assertMostly(piped, new Exit.Signalled("SIGPIPE"), new Exit.Code(141));
    }

    /** What its folder says too. */
    private Exit end(String text, String shell) throws Exception {
        HostedCommand command =
                fixture.host.start(fixture.launch(new Invocation.ShellText(text, shell, false), false, Map.of()));
        Exit exit = HostFixture.end(command);
        assertThat(((Folder.Ended) fixture.host.folder(command.id()).orElseThrow()).exit())
                .as(text)
                .isEqualTo(exit);
        return exit;
    }

    /** One in some thousand ends names no parent, and stays what the shell gave. */
    private static void assertMostly(List<Exit> seen, Exit signal, Exit code) {
        assertThat(seen).isSubsetOf(signal, code);
        assertThat(seen.stream().filter(code::equals).count())
                .isLessThanOrEqualTo(KERNEL_TELLS ? seen.size() / 10 : seen.size());
        assertThat(seen.contains(signal)).isEqualTo(KERNEL_TELLS);
    }

    @Test
    void soForAProgramWithoutAShell() throws Exception {
        List<Exit> killed = new ArrayList<>();
        for (int round = 0; round < 15; round++) {
            killed.add(HostFixture.end(fixture.program("env", "sh", "-c", "kill -PIPE $$")));
            HostedCommand coded = fixture.program("env", "sh", "-c", "exit 141");
            assertThat(HostFixture.end(coded)).isEqualTo(new Exit.Code(141));
        }
        assertMostly(killed, new Exit.Signalled("SIGPIPE"), new Exit.Code(141));
    }

    /** Many at once: their events come mixed, and beside them those of processes that are nobody's. */
    @Test
    void theEventsOfManyAreNotMistaken() throws Exception {
        List<HostedCommand> killed = new ArrayList<>();
        List<HostedCommand> coded = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            killed.add(fixture.sh("sh -c 'exit 130'; sh -c 'exit 7'; kill -INT $$"));
            coded.add(fixture.sh("sh -c 'kill -INT $$'; sh -c 'exit 7'; exit 130"));
        }
        List<Exit> ends = new ArrayList<>();
        for (HostedCommand command : killed) {
            ends.add(HostFixture.end(command));
        }
        assertMostly(ends, new Exit.Signalled("SIGINT"), new Exit.Code(130));
        for (HostedCommand command : coded) {
            assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(130));
        }
    }

    /** That its input has ended cannot be put down, since its folder may not be changed: it has ended all the same. */
    @Test
    void anInputThatCannotBeClosedDoesNotHideTheEnd() throws Exception {
        HostedCommand command = fixture.shWithInput("sleep 60");
        ProcessIdentity process = HostFixture.process(command);
        String task = fixture.folder(command).path().toString();
        run(Python.AS_ROOT ? "chattr +i" : "chmod 500", task);
        try {
            killLauncher(command);
            HostFixture.kill(process);
            assertThat(HostFixture.end(command)).isIn(new Exit.Signalled("SIGKILL"), new Exit.Unseen(false));
        } finally {
            run(Python.AS_ROOT ? "chattr -i" : "chmod 700", task);
        }
    }

    private static void run(String text, String argument) throws Exception {
        new ProcessBuilder("sh", "-c", text + " \"$0\"", argument).start().waitFor();
    }

    /** We sent it SIGINT, but it chose its code itself. */
    @Test
    void aCodeThatAnswersOurInterruptIsACode() throws Exception {
        HostedCommand command = fixture.sh("trap 'exit 130' INT; echo ready; while :; do sleep 0.2; done");
        await().until(() -> fixture.out(command).contains("ready"));
        command.signal(Signal.INT);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(130));
    }

    private static boolean kernelTells() {
        Optional<ProcessExits> exits = ProcessExits.open();
        exits.ifPresent(ProcessExits::close);
        return exits.isPresent();
    }

    private void killLauncher(HostedCommand command) {
        ProcessIdentity launcher = fixture.launcher(command);
        HostFixture.kill(launcher);
        await().until(() -> !ProcessTable.alive(launcher));
    }
}
