package dev.holdfast.host.terminal;

import static dev.holdfast.host.terminal.TerminalBench.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.launch.LauncherStart;
import dev.holdfast.host.terminal.TerminalBench.Recorder;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program sees of its terminal, and what arrives of what it prints. */
class TerminalTest {
    @TempDir
    static Path dataDir;

    static TerminalBench bench;

    @BeforeAll
    static void open() {
        bench = new TerminalBench(dataDir, Duration.ofMinutes(1));
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    @Test
    void aProgramSeesTheSizeFromTheStart() {
        TaskId id = bench.start("stty size; tty; stty -a", new TerminalSize(33, 77), Path.of("/"), Map.of());
        bench.awaitClosed(id);
        assertThat(bench.printed(id)).startsWith("33 77\r\n/dev/pts/").contains(" iutf8");
    }

    @Test
    void resizingIsSeenAndSignalled() {
        TaskId id = bench.start("trap 'stty size' WINCH; echo ready; while :; do read -r line; done");
        bench.awaitPrinted(id, "ready");
        bench.host.resize(id, new TerminalSize(11, 222));
        bench.awaitPrinted(id, "11 222");
        bench.type(id, "\u0003");
        bench.awaitClosed(id);
    }

    @Test
    void itsFolderItsEnvironmentAndNothingElseAreItsOwn(@TempDir Path folder) throws Exception {
        Path workdir = Files.createDirectory(folder.resolve("grüße"));
        TaskId id = bench.start(
                "pwd; env; ls -1 /proc/self/fd; grep -E 'Sig(Blk|Ign)' /proc/self/status",
                TerminalSize.DEFAULT,
                workdir,
                Map.of("COLOUR", "rot & grün\"\\\n"));
        bench.awaitClosed(id);
        String printed = bench.printed(id).replace("\r\n", "\n");
        assertThat(printed).startsWith(workdir + "\n").contains("COLOUR=rot & grün\"\\\n\n");
        assertThat(printed)
                .containsPattern("\n0\n1\n2\n3\nSigBlk:\t0{16}\nSigIgn:\t0{8}[08]0{7}\n"); // 32 is glibc's own
        assertThat(printed).doesNotContain("JAVA", "HOME=");
    }

    @Test
    void whatIsTypedIsEchoedAndRead() {
        TaskId id = bench.start("read -r line; echo \"got <$line>\"");
        assertThat(bench.type(id, "grüße, 世界\n")).isEqualTo("grüße, 世界\n".getBytes(StandardCharsets.UTF_8).length);
        bench.awaitClosed(id);
        assertThat(bench.printed(id)).isEqualTo("grüße, 世界\r\ngot <grüße, 世界>\r\n");
    }

    @Test
    void aPythonPromptComputes() {
        TaskId id = bench.start("exec python3 -q");
        bench.awaitPrinted(id, ">>> ");
        bench.type(id, "6 * 7\n");
        bench.awaitPrinted(id, "42");
        assertThat(bench.host.write(id, new byte[0], true, LIMIT)).isZero();
        bench.awaitClosed(id);
    }

    @Test
    void controlCInterruptsTheForegroundOnly() {
        TaskId id = bench.start("trap : INT; sleep 60.25; echo \"after $?\"; read -r line; echo \"then $line\"");
        await().atMost(LIMIT)
                .until(() -> ProcessHandle.allProcesses()
                        .anyMatch(process ->
                                process.info().commandLine().orElse("").endsWith("sleep 60.25")));
        bench.type(id, "\u0003");
        bench.awaitPrinted(id, "after 130");
        bench.type(id, "on\n");
        bench.awaitPrinted(id, "then on");
        bench.awaitClosed(id);
    }

    @Test
    void endOfInputEndsARead() {
        TaskId id = bench.start("cat; echo done");
        assertThat(bench.host.write(id, "a line\n".getBytes(StandardCharsets.UTF_8), true, LIMIT))
                .isEqualTo(7);
        bench.awaitClosed(id);
        assertThat(bench.printed(id)).endsWith("a line\r\ndone\r\n");
    }

    @Test
    void endOfInputInTheMiddleOfALineEndsOneReaderAndNotTheNext() {
        TaskId id = bench.start("cat; echo first; cat; echo second");
        assertThat(bench.host.write(id, "no line".getBytes(StandardCharsets.UTF_8), true, LIMIT))
                .isEqualTo(7);
        bench.awaitPrinted(id, "first");
        bench.type(id, "more\n");
        bench.awaitPrinted(id, "more\r\nmore\r\n");
        assertThat(bench.printed(id)).doesNotContain("second");
        bench.host.write(id, new byte[0], true, LIMIT);
        bench.awaitPrinted(id, "second");
        bench.awaitClosed(id);
    }

    @Test
    void twentyMegabytesArriveWholeInTheFileAndLive() throws Exception {
        TaskId id = bench.start("read -r go; stty raw; seq 1 2800000");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        bench.type(id, "go\n");
        await().atMost(Duration.ofSeconds(60)).until(recorder::closed);
        byte[] file = Files.readAllBytes(bench.out(id));
        String text = new String(file, StandardCharsets.UTF_8);
        assertThat(file.length).isGreaterThan(20_000_000);
        assertThat(text).endsWith("2799999\n2800000\n");
        assertThat(text.lines().skip(1).mapToLong(Long::parseLong).sum()).isEqualTo(2800000L * 2800001 / 2);
        assertThat(recorder.whole()).isTrue();
        assertThat(recorder.bytes()).isEqualTo(Arrays.copyOfRange(file, (int) recorder.first(), file.length));
    }

    @Test
    void whoJoinsInTheMiddleMissesNothingAndGetsNothingTwice() throws Exception {
        Path joined = dataDir.resolve("joined");
        TaskId id = bench.start("i=0; while [ ! -e " + joined + " ]; do echo line $i; i=$((i+1)); done");
        bench.awaitPrinted(id, "line 1000");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        await().atMost(LIMIT).until(() -> recorder.first() >= 0);
        byte[] before = Files.readAllBytes(bench.out(id));
        Files.createFile(joined);
        await().atMost(LIMIT).until(recorder::closed);
        byte[] whole = Files.readAllBytes(bench.out(id));
        assertThat(recorder.whole()).isTrue();
        assertThat(recorder.first()).isBetween(1L, (long) before.length);
        assertThat(recorder.bytes()).isEqualTo(Arrays.copyOfRange(whole, (int) recorder.first(), whole.length));
    }

    @Test
    void whoJoinsIsPaintedTheScreenAndGoesOnFromThere() {
        TaskId id = bench.start("printf 'one\\033[2;3Htwo'; read -r line; printf three; read -r line");
        bench.awaitDrawn(id, "two");
        Recorder recorder = new Recorder();
        try (var link = bench.host.attach(id, recorder)) {
            OutputStore.Slice screen = Objects.requireNonNull(link.screen());
            assertThat(new String(screen.bytes(), StandardCharsets.UTF_8))
                    .contains("\033[1;1Hone", "\033[2;1H  two")
                    .endsWith("\033[2;6H\033[0m");
            bench.type(id, "\n");
            await().atMost(LIMIT).until(() -> recorder.text().endsWith("three"));
            assertThat(recorder.first()).isEqualTo(screen.next());
        }
    }

    @Test
    void theLastScreenIsKeptBesideTheOutput() throws Exception {
        TaskId id = bench.start("printf '\\033]0;name\\007\\033[3;4Hbye'");
        bench.awaitClosed(id);
        Message screen = Message.parse(Files.readAllBytes(bench.out(id).resolveSibling("screen")));
        assertThat(screen.fields()).containsEntry("title", "name").containsEntry("alternate_screen", false);
        assertThat(screen.texts("lines")).hasSize((int) screen.number("rows")).containsSubsequence("", "", "   bye");
        assertThat(screen.message("cursor").fields()).isEqualTo(Map.of("row", 2L, "col", 6L, "visible", true));
        assertThat(screen.text("paint")).contains("\033[3;1H   bye");
    }

    @Test
    void theScreenFollowsTheSize() {
        TaskId id = bench.start("printf top; read -r line");
        bench.awaitPrinted(id, "top");
        bench.host.resize(id, new TerminalSize(5, 33));
        try (var link = bench.host.attach(id, new Recorder())) {
            bench.type(id, "x".repeat(33));
            bench.awaitDrawn(id, "x".repeat(33));
            assertThat(new String(Objects.requireNonNull(link.screen()).bytes(), StandardCharsets.UTF_8))
                    .contains("\033[1;1Htop" + "x".repeat(30), "\033[2;1Hxxx");
        }
    }

    @Test
    void severalListenEachForItself() {
        TaskId id = bench.start("while read -r line; do :; done");
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        try (var _ = bench.host.attach(id, first)) {
            try (var link = bench.host.attach(id, second)) {
                link.write("one\n".getBytes(StandardCharsets.UTF_8));
                await().atMost(LIMIT)
                        .until(() -> first.text().endsWith("one\r\n")
                                && second.text().endsWith("one\r\n"));
            }
            bench.type(id, "two\n");
            await().atMost(LIMIT).until(() -> first.text().endsWith("two\r\n"));
        }
        bench.type(id, "three\n");
        bench.awaitPrinted(id, "three");
        assertThat(second.text()).isEqualTo("one\r\n");
        assertThat(first.text()).isEqualTo("one\r\ntwo\r\n");
        Recorder third = new Recorder();
        bench.host.attach(id, third);
        bench.host.write(id, new byte[0], true, LIMIT);
        await().atMost(LIMIT).until(third::closed);
        assertThat(first.closed() || second.closed()).isFalse();
    }

    @Test
    void aListenerThatFailsHarmsNoOther() {
        TaskId id = bench.start("read -r line");
        Recorder good = new Recorder();
        bench.host.attach(id, new TerminalListener() {
            @Override
            public void onOutput(long from, byte[] bytes) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onClose() {
                throw new IllegalStateException("on purpose");
            }
        });
        bench.host.attach(id, good);
        bench.type(id, "x\n");
        await().atMost(LIMIT).until(good::closed);
        assertThat(good.text()).isEqualTo("x\r\n");
    }

    @Test
    void drainedMeansThatAllThatWasPrintedIsInTheFile() throws Exception {
        for (int i = 0; i < 50; i++) {
            Path flag = dataDir.resolve("printed-" + i);
            TaskId id = bench.start("echo some words; : > " + flag + "; read -r line");
            await().atMost(LIMIT).pollInterval(Duration.ofMillis(1)).until(() -> Files.exists(flag));
            bench.host.drained(id);
            assertThat(bench.printed(id)).isEqualTo("some words\r\n");
            bench.type(id, "\n");
        }
    }

    /** By its launcher, where one of its files leads elsewhere. */
    private void startWith(Path file, String elsewhere, Launch launch) throws IOException {
        TaskFolder folder = bench.folder(launch);
        ExitFile.allocate(folder.exit());
        Files.createSymbolicLink(file, Path.of(elsewhere));
        LauncherStart.inTerminal(launch, folder, null, bench.host);
    }

    /** It waits for room: its end is not told as if there were no more to read. */
    @Test
    void whatTheDiskHasNoRoomForIsNotSaidToBeThere(@TempDir Path elsewhere) throws Exception {
        Launch launch = TerminalBench.launch("echo words", TerminalSize.DEFAULT, elsewhere, Map.of());
        TaskFolder folder = bench.folder(launch);

        startWith(folder.output(StreamName.STDOUT), "/dev/full", launch);

        await().atMost(LIMIT).until(() -> ExitFile.read(folder.exit()).isPresent());
        assertThat(bench.host.saidAll(launch.id())).isFalse();
    }

    @Test
    void whatAChildPrintsAfterTheLeaderIsKept() {
        TaskId id = bench.start("trap '' HUP; (while [ ! -e " + dataDir.resolve("late") + " ]; do sleep 0.2; done;"
                + " echo late words) & echo leader");
        bench.awaitPrinted(id, "leader");
        bench.host.drained(id);
        assertThat(bench.holds(id)).isTrue();
        assertThat(dataDir.resolve("late").toFile().mkdir()).isTrue();
        bench.awaitClosed(id);
        assertThat(bench.printed(id)).endsWith("late words\r\n");
    }

    @Test
    void aMissingFolderIsRefused() {
        assertThatThrownBy(() -> bench.start("true", TerminalSize.DEFAULT, Path.of("/nowhere"), Map.of()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("/nowhere is not a directory");
    }

    /** As on a full disk: nothing has run, and it is not looked for in vain. */
    @Test
    void oneWhoseLauncherCannotSayWhoItIsIsRefused(@TempDir Path elsewhere) throws Exception {
        Path ran = elsewhere.resolve("ran");
        Launch launch = TerminalBench.launch("touch " + ran, TerminalSize.DEFAULT, elsewhere, Map.of());
        Path pid = bench.folder(launch).pid();

        assertThatThrownBy(() -> startWith(pid, elsewhere + "/none/pid", launch))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.STORAGE_FULL));
        assertThat(ran).doesNotExist();
    }

    /** As without inodes: refused for the same reason as a command without a terminal. */
    @Test
    void oneWhoseOutputCannotBeMadeIsRefusedForThat(@TempDir Path elsewhere) throws Exception {
        Launch launch = TerminalBench.launch("true", TerminalSize.DEFAULT, elsewhere, Map.of());
        Path out = bench.folder(launch).output(StreamName.STDOUT);

        assertThatThrownBy(() -> startWith(out, elsewhere + "/none/out", launch))
                .isInstanceOfSatisfying(
                        ErrnoException.class, why -> assertThat(why.errno()).isEqualTo(ErrnoException.ENOENT));
    }

    @Test
    void nothingCanBeDoneWithATerminalThatIsNotHeld() {
        TaskId id = bench.start("true");
        bench.awaitClosed(id);
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder).write(new byte[] {1});
        assertThat(recorder.closed()).isTrue();
        assertThat(bench.type(id, "x")).isZero();
        bench.host.resize(id, TerminalSize.DEFAULT);
        bench.host.drained(id);
    }
}
