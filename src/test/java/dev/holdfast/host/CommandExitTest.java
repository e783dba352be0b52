package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.runtime.CommandHost.Folder;
import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
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

    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @AfterEach
    void close() {
        fixture.close();
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
        HostedCommand command = fixture.sh("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.05; done");
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
        HostedCommand command = fixture.sh("while ! [ -e go ]; do sleep 0.02; done; exit 7");
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
        HostedCommand command = fixture.sh("while ! [ -e go ]; do sleep 0.02; done; exit 7");
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
        Map<String, Exit> expected = Map.of(
                "kill -INT $$",
                KERNEL_TELLS ? new Exit.Signalled("SIGINT") : new Exit.Code(130),
                "kill -PIPE $$",
                KERNEL_TELLS ? new Exit.Signalled("SIGPIPE") : new Exit.Code(141),
                "exit 130",
                new Exit.Code(130),
                "exit 141",
                new Exit.Code(141));
        for (int round = 0; round < 50; round++) {
            for (Map.Entry<String, Exit> one : expected.entrySet()) {
                HostedCommand command = fixture.host.start(
                        fixture.launch(new Invocation.ShellText(one.getKey(), shell, false), false, Map.of()));
                assertThat(HostFixture.end(command)).as(one.getKey()).isEqualTo(one.getValue());
                assertThat(fixture.host.folder(command.id()).orElseThrow())
                        .isInstanceOfSatisfying(
                                Folder.Ended.class,
                                ended -> assertThat(ended.exit()).isEqualTo(one.getValue()));
            }
        }
    }

    @Test
    void soForAProgramWithoutAShell() throws Exception {
        for (int round = 0; round < 50; round++) {
            HostedCommand killed = fixture.program("env", "sh", "-c", "kill -PIPE $$");
            HostedCommand coded = fixture.program("env", "sh", "-c", "exit 141");
            assertThat(HostFixture.end(killed))
                    .isEqualTo(KERNEL_TELLS ? new Exit.Signalled("SIGPIPE") : new Exit.Code(141));
            assertThat(HostFixture.end(coded)).isEqualTo(new Exit.Code(141));
        }
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
        for (HostedCommand command : killed) {
            assertThat(HostFixture.end(command))
                    .isEqualTo(KERNEL_TELLS ? new Exit.Signalled("SIGINT") : new Exit.Code(130));
        }
        for (HostedCommand command : coded) {
            assertThat(HostFixture.end(command)).isEqualTo(new Exit.Code(130));
        }
    }

    /** We sent it SIGINT, but it chose its code itself. */
    @Test
    void aCodeThatAnswersOurInterruptIsACode() throws Exception {
        HostedCommand command = fixture.sh("trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done");
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
