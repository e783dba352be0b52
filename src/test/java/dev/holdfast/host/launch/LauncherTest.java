package dev.holdfast.host.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.Python;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LauncherTest {
    /** Only shells that know it: to fish and csh the end of options would be the text. */
    @ParameterizedTest
    @CsvSource({
        "/bin/bash, -x, true",
        "/usr/bin/zsh, +x, true",
        "/bin/sh, --, true",
        "/bin/bash, echo -x, false",
        "/usr/bin/fish, -x, false",
        "/bin/tcsh, -x, false"
    })
    void textThatLooksLikeAnOptionIsBehindTheEndOfOptionsAndIsKnownAgain(String shell, String text, boolean behind) {
        for (boolean login : List.of(true, false)) {
            var given = new Invocation.ShellText(text, shell, login);
            List<String> argv = Launcher.command(given);
            assertThat(argv.contains("--")).isEqualTo(behind);
            assertThat(argv).startsWith(shell, login ? "-lc" : "-c").endsWith(text);
            assertThat(Launcher.given(argv)).isEqualTo(given);
        }
    }

    /** Its shell gets no process, neither for the command nor, before that, for who holds its input open. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatCouldNotBeStartedIsNoCommandWhoseEndNobodySaw(boolean input, @TempDir Path folder) throws Exception {
        // What is root's may have any number of processes.
        String limited = (Python.AS_ROOT ? "exec setpriv --reuid=65534 --clear-groups " : "exec ")
                + "bash -c 'ulimit -u 1; exec \"$@\"' sh \"$@\"";

        assertThat(recorded(folder, limited, "/bin/sh", null, input, "true")).contains(new Exit.Code(126));
        assertThat(folder.resolve("err")).content().contains("not started");
    }

    /** As on a full disk. In a terminal it is by this file that the server finds who runs. */
    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/bash"})
    void whoCannotSayWhoHeIsRunsNothing(String shell, @TempDir Path folder) throws Exception {
        Files.createSymbolicLink(folder.resolve("pid"), folder.resolve("none/pid"));
        String mark = folder.resolve("ran").toString();

        assertThat(recorded(folder, "exec \"$@\"", shell, TerminalSize.DEFAULT, true, "touch", mark))
                .contains(new Exit.Code(126));
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    /** Bash does at its end by a signal too what it was told to do at its end. */
    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/bash"})
    void whoseLauncherASignalEndedIsNotOneThatWasNotStarted(String shell, @TempDir Path folder) throws Exception {
        String end = "kill -PIPE $PPID; while kill -0 $PPID; do :; done";

        assertThat(recorded(folder, "exec \"$@\"", shell, null, false, "sh", "-c", end))
                .isEmpty();
        assertThat(folder.resolve("err")).content().doesNotContain("not started");
    }

    /** As the loader warns on a machine whose {@code /etc/ld.so.preload} names what is not there. */
    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/bash"})
    void whatIsSaidBeforeALauncherBeginsIsNoNoteOfASignal(String shell, @TempDir Path folder) throws Exception {
        String warned = "export LD_PRELOAD=/no/such.so; exec \"$@\"";

        assertThat(recorded(
                        Files.createDirectory(folder.resolve("coded")),
                        warned,
                        shell,
                        null,
                        false,
                        "sh",
                        "-c",
                        "exit 137"))
                .contains(new Exit.Code(137));
        assertThat(recorded(folder, warned, shell, null, false, "sh", "-c", "kill -KILL $$"))
                .contains(new Exit.Signalled("SIGKILL"));
    }

    /** Who makes the wall may be signalled like anybody, and is hung up with its terminal. */
    @ParameterizedTest
    @CsvSource({"/bin/sh, HUP", "/bin/bash, HUP", "/bin/sh, TERM", "/bin/bash, ALRM", "/bin/sh, PIPE", "/bin/sh, KILL"})
    void aWallThatASignalEndedBeforeItStoodIsNoCommandThatCouldNotBeRun(
            String shell, String signal, @TempDir Path folder) throws Exception {
        Launcher.Wall wall = wall("kill -" + signal + " $$");

        assertThat(recorded(Files.createDirectory(folder.resolve("plain")), wall, shell, null))
                .contains(new Exit.Signalled("SIG" + signal));
        assertThat(recorded(folder, wall, shell, TerminalSize.DEFAULT))
                .as("its terminal is gone")
                .contains(new Exit.Unseen(false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bin/sh", "/bin/bash"})
    void aWallThatCouldNotBeMadeIsACommandThatCouldNotBeRun(String shell, @TempDir Path folder) throws Exception {
        assertThat(recorded(folder, wall("exit 1"), shell, null)).contains(new Exit.Code(126));
    }

    private static Launcher.Wall wall(String does) {
        return new Launcher.Wall(new Sandbox(Sandbox.Files.READ_ONLY, false), List.of("/bin/sh", "-c", does));
    }

    private static Optional<Exit> recorded(
            Path folder, Launcher.Wall wall, String shell, @Nullable TerminalSize terminal) throws Exception {
        return recorded(folder, wall, "exec \"$@\"", shell, terminal, false, "true");
    }

    private static Optional<Exit> recorded(
            Path folder, String begin, String shell, @Nullable TerminalSize terminal, boolean input, String... command)
            throws Exception {
        return recorded(folder, null, begin, shell, terminal, input, command);
    }

    private static Optional<Exit> recorded(
            Path folder,
            Launcher.@Nullable Wall wall,
            String begin,
            String shell,
            @Nullable TerminalSize terminal,
            boolean input,
            String... command)
            throws Exception {
        TaskId id = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");
        Invocation program = new Invocation.Program(List.of(command));
        Launch launch =
                new Launch(id, PlainCommand.of(program, folder, terminal, input), Map.of(), Instant.now(), "key", null);
        List<String> argv = Launcher.plan(launch, new TaskFolder(folder), wall).argv();
        Path rc = folder.resolve("rc");
        ExitFile.allocate(rc);
        String open = "exec 3>\"$0/err\" 8<>\"$0/rc\" 2>/dev/null 4>/dev/null 5</dev/null; ";
        List<String> all = new ArrayList<>(List.of("sh", "-c", open + begin, folder.toString(), shell));
        all.addAll(argv.subList(1, argv.size()));
        new ProcessBuilder(all).start().waitFor();
        return ExitFile.read(rc);
    }
}
