package dev.holdfast.host.terminal;

import static dev.holdfast.host.terminal.TerminalBench.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.holdfast.acceptance.Folders;
import dev.holdfast.host.Python;
import dev.holdfast.host.terminal.TerminalBench.Recorder;
import dev.holdfast.keeper.Keeper;
import dev.holdfast.keeper.KeeperLine;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.ThreadLimit;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a keeper comes, what it survives, what happens without it, and when it leaves. */
class KeeperLifeTest extends BenchedTest {
    @Test
    void anotherServerGoesOnWithTheSameTerminal() {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        bench.type(id, "first\n");
        bench.awaitPrinted(id, "<first>\r\n");
        long keeper = bench.keeperPid();
        bench.replaceServer();
        assertThat(bench.holds(id)).isTrue();
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        bench.type(id, "second\n");
        await().atMost(LIMIT).until(() -> recorder.text().endsWith("<second>\r\n"));
        assertThat(recorder.first()).isEqualTo("first\r\n<first>\r\n".length());
        assertThat(bench.keeperPid()).isEqualTo(keeper);
        bench.host.write(id, new byte[0], true, LIMIT);
        bench.awaitClosed(id);
    }

    @Test
    void aTerminalThatEndsWithoutAServerIsKnownToHaveEnded() {
        TaskId id = bench.start("while [ ! -e " + dataDir.resolve("go") + " ]; do sleep 0.2; done; echo alone");
        TaskId other = bench.start("read -r line");
        bench.host.close();
        assertThat(dataDir.resolve("go").toFile().mkdir()).isTrue();
        bench.awaitPrinted(id, "alone\r\n");
        bench.replaceServer();
        bench.awaitClosed(id);
        assertThat(bench.holds(other)).isTrue();
    }

    @Test
    void aKilledKeeperIsNoticedAndReplaced() throws Exception {
        TaskId id = bench.start("sleep 60");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        long keeper = bench.keeperPid();
        ProcessHandle.of(keeper).orElseThrow().destroyForcibly();
        await().atMost(LIMIT).until(recorder::closed);
        assertThat(bench.holds(id)).isFalse();
        assertThat(bench.type(id, "x")).isZero();
        TaskId next = bench.start("echo back");
        bench.awaitPrinted(next, "back");
        assertThat(bench.keeperPid()).isNotEqualTo(keeper);
        await("it is reaped").until(() -> !Files.exists(Path.of("/proc/" + keeper)));
    }

    @Test
    void itGoesOnWhenTheDataFolderIsMoved() throws IOException {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        bench.host.close();
        Path moved = Files.createDirectory(dataDir.resolve("moved"));
        for (String folder : List.of("keeper", "tasks")) {
            Files.move(dataDir.resolve(folder), moved.resolve(folder));
        }
        TerminalBench next = new TerminalBench(moved, Duration.ofMinutes(1));
        next.type(id, "heard\n");
        next.awaitPrinted(id, "<heard>");
        TaskId another = next.start("echo new");
        next.awaitPrinted(another, "new");
        next.close();
    }

    @Test
    void whatIsSaidNotToBeTypedIsNotTypedLater() {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        try (Pidfd keeper = stopped()) {
            assertThatThrownBy(() ->
                            bench.host.write(id, "unheard\n".getBytes(StandardCharsets.UTF_8), false, Duration.ZERO))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("its keeper does not answer");
            keeper.signal(Signal.CONT.number());
        }
        await().until(() -> bench.type(id, "heard\n") > 0);
        bench.awaitPrinted(id, "<heard>");
        assertThat(bench.printed(id)).doesNotContain("unheard");
    }

    @Test
    void oneThatHangsAndGoesOnHasLostNothing() {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        AtomicBoolean released = new AtomicBoolean();
        bench.host.onRelease(id, () -> released.set(true));
        try (Pidfd keeper = stopped()) {
            assertThatThrownBy(() -> bench.host.resize(id, TerminalSize.DEFAULT))
                    .isInstanceOf(Refusal.class);
            assertThatThrownBy(() -> bench.start("echo never")).hasMessageContaining("the keeper does not answer");
            assertThat(bench.host.drained(id)).isFalse();
            assertThat(bench.holds(id)).isTrue();
            assertThat(recorder.closed()).isFalse();
            keeper.signal(Signal.CONT.number());
        }
        await().until(() -> bench.host.drained(id));
        bench.type(id, "heard\n");
        await().atMost(LIMIT).until(() -> recorder.text().equals("heard\r\n<heard>\r\n"));
        assertThat(bench.printed(id)).isEqualTo(recorder.text());
        assertThat(released).isFalse();
        ProcessHandle.of(bench.keeperPid()).orElseThrow().destroyForcibly();
        await().atMost(LIMIT).untilTrue(released);
        assertThat(recorder.whole()).isTrue();
    }

    @Test
    void whoTypesIntoOneThatHangsIsToldSo() {
        TaskId id = bench.start("read -r line");
        Recorder recorder = new Recorder();
        try (TerminalLink link = bench.host.attach(id, recorder);
                Pidfd _ = stopped()) {
            assertThatThrownBy(() -> link.write(new byte[] {'x'}))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("its keeper does not answer");
            assertThat(recorder.closed()).isFalse();
        }
    }

    @Test
    void whoTypesIntoOneThatIsKilledIsToldThatItClosed() {
        TaskId id = bench.start("read -r line");
        Recorder recorder = new Recorder();
        try (TerminalLink link = bench.host.attach(id, recorder);
                Pidfd keeper = stopped()) {
            var typed = CompletableFuture.runAsync(() -> link.write(new byte[] {'x'}), Thread::startVirtualThread);
            keeper.signal(Signal.KILL.number());
            typed.join();
            await().atMost(LIMIT).until(recorder::closed);
        }
    }

    /** Another one who has waited for too long gives the connection up, for all. */
    @Test
    void theFirstWatcherOfOneThatHangsIsNotToldThatItClosed() {
        TaskId id = bench.start("read -r line");
        HeldTerminal terminal = Objects.requireNonNull(bench.link(id).find(id));
        KeeperConnection connection = Objects.requireNonNull(bench.link(id).connected());
        Recorder recorder = new Recorder();
        try (Pidfd _ = stopped()) {
            var attached =
                    CompletableFuture.runAsync(() -> bench.host.attach(id, recorder), Thread::startVirtualThread);
            await().until(() -> terminal.joining.isLocked());
            connection.close();
            assertThatThrownBy(attached::join).hasCauseInstanceOf(Refusal.class);
            assertThat(recorder.closed()).isFalse();
        }
    }

    /** One who hangs all the time is killed in the end. */
    @Test
    void aServerThatFindsOneHangingWaitsForItOnceAndIsToldOfItsEnd() {
        List<TaskId> ids =
                Stream.generate(() -> bench.start("read -r line")).limit(8).toList();
        AtomicInteger released = new AtomicInteger();
        long keeperPid = bench.keeperPid();
        try (Pidfd _ = stopped()) {
            bench.replaceServer();
            long begun = System.nanoTime();
            ids.forEach(id -> bench.host.onRelease(id, released::incrementAndGet));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(15));
            assertThat(released).hasValue(0);
            ProcessHandle.of(keeperPid).orElseThrow().destroyForcibly();
        }
        await().atMost(LIMIT).untilAtomic(released, equalTo(ids.size()));
    }

    /** The next server has said by then that it is not known what became of it. */
    @Test
    void whatAKilledServerAskedForIsNotStartedLater() throws Exception {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        Message start = Message.empty()
                .with(Protocol.OP, Protocol.START)
                .with(Protocol.NUMBER, 1)
                .with(Protocol.ID, "late")
                .with(Protocol.ARGV, List.of("/bin/sh", "-c", "echo late"))
                .with(Protocol.ENV, Map.of("FILLER", "x".repeat(100_000))) // more than is read at once
                .with(Protocol.CWD, "/")
                .with(Protocol.OUT, dataDir.resolve("late").toString())
                .with(Protocol.ROWS, 24)
                .with(Protocol.COLS, 80);
        KeeperLine killed = KeeperLine.to(bench.socket(bench.installation(bench.keeperPid())));
        killed.receive();
        try (Pidfd keeper = stopped()) {
            killed.send(new String(start.line(), StandardCharsets.UTF_8));
            killed.close();
            keeper.signal(Signal.CONT.number());
        }
        bench.type(id, "heard\n");
        bench.awaitPrinted(id, "<heard>");
        bench.awaitClosed(bench.start("true"));
        assertThat(dataDir.resolve("late")).doesNotExist();
    }

    /** One thread takes the signal, and until it does the others go on. */
    private Pidfd stopped() {
        long pid = bench.keeperPid();
        Pidfd keeper = Pidfd.open(pid).orElseThrow();
        keeper.signal(Signal.STOP.number());
        await().until(() -> Folders.children(Path.of("/proc/" + pid + "/task")).stream()
                .allMatch(thread -> stands(thread.resolve("stat"))));
        return keeper;
    }

    private static boolean stands(Path stat) {
        try {
            String text = Files.readString(stat);
            return text.charAt(text.lastIndexOf(')') + 2) == 'T';
        } catch (IOException gone) {
            return true;
        }
    }

    @Test
    void aConnectionThatBreaksAloneIsMadeAgainWithNothingLost() throws Exception {
        Path enough = dataDir.resolve("enough");
        TaskId id = bench.start("i=0; while [ ! -e " + enough + " ]; do echo line $i; i=$((i+1)); done");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        for (int i = 1; i <= 3; i++) {
            bench.awaitPrinted(id, "line " + i * 5000 + "\r\n");
            await().until(() -> bench.link(id).connected(), Objects::nonNull).close();
        }
        Files.createFile(enough);
        await().atMost(LIMIT).until(recorder::closed);
        byte[] file = Files.readAllBytes(bench.out(id));
        assertThat(recorder.whole()).isTrue();
        assertThat(recorder.text())
                .isEqualTo(new String(file, StandardCharsets.UTF_8).substring((int) recorder.first()));
    }

    /** As without a descriptor: what stands in for it is a socket that takes no such connection. */
    @Test
    void oneThatCannotBeReachedForNowIsNotGone() throws Exception {
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        Recorder recorder = new Recorder();
        bench.host.attach(id, recorder);
        AtomicBoolean released = new AtomicBoolean();
        bench.host.onRelease(id, () -> released.set(true));
        Path socket = socket();
        Path away = Files.move(socket, dataDir.resolve("away"));
        String other = "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1])";
        Process standIn = new ProcessBuilder(
                        Python.PATH, "-c", other + "; print(flush=True); sys.stdin.read()", socket.toString())
                .start();
        standIn.inputReader().readLine();
        Objects.requireNonNull(bench.link(id).connected()).close();
        await().until(() -> bench.link(id).current() == null);

        assertThatThrownBy(() -> bench.host.resize(id, TerminalSize.DEFAULT)).isInstanceOf(Refusal.class);
        Files.move(away, socket, StandardCopyOption.REPLACE_EXISTING);
        standIn.destroy();
        await().until(() -> bench.link(id).current() != null);
        bench.type(id, "heard\n");
        await().atMost(LIMIT).until(() -> recorder.text().equals("heard\r\n<heard>\r\n"));
        assertThat(recorder.closed()).isFalse();
        assertThat(released).isFalse();
    }

    private Path socket() {
        return Folders.children(dataDir.resolve("keeper")).stream()
                .filter(file -> file.toString().endsWith(Protocol.SOCKET))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void itLeavesWhenItIsNotNeeded() {
        bench.close();
        bench = new TerminalBench(dataDir, Duration.ofSeconds(1));
        TaskId id = bench.start("read -r line");
        long keeper = bench.keeperPid();
        Path socket = bench.socket(bench.installation(keeper));
        bench.host.close();
        await().during(Duration.ofSeconds(2)).until(() -> alive(keeper));
        bench.replaceServer();
        bench.type(id, "\n");
        await().atMost(LIMIT).until(() -> !alive(keeper));
        assertThat(socket).doesNotExist();
        TaskId next = bench.start("echo again");
        bench.awaitPrinted(next, "again");
    }

    @Test
    void oneThatLingersInADeletedFolderHarmsNoOther() {
        bench.close();
        TerminalBench deleted = new TerminalBench(dataDir, Duration.ofSeconds(5));
        deleted.awaitClosed(deleted.start("true"));
        long lingering = deleted.keeperPid();
        deleted.host.close();
        Folders.delete(dataDir.resolve("keeper"));
        bench = new TerminalBench(dataDir, Duration.ofMinutes(1));
        TaskId id = bench.start("while read -r line; do echo \"<$line>\"; done");
        assertThat(alive(lingering)).isTrue();
        await().atMost(LIMIT).until(() -> !alive(lingering));
        bench.replaceServer();
        bench.type(id, "heard\n");
        bench.awaitPrinted(id, "<heard>");
    }

    private static boolean alive(long pid) {
        return ProcessHandle.of(pid).isPresent();
    }

    @Test
    void aSecondKeeperLeavesAtOnce() throws Exception {
        TaskId id = bench.start("sleep 60");
        Process second = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Keeper.class.getName(),
                        dataDir.resolve("keeper").toString(),
                        bench.installation(bench.keeperPid()).toString(),
                        "60000")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("another keeper holds");
        assertThat(second.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(Keeper.ANOTHER_RUNS);
        assertThat(bench.holds(id)).isTrue();
    }

    /** Where the next keeper has to unpack them; the one before is dead. */
    private Path withoutLibraries() throws IOException {
        bench.start("sleep 60");
        ProcessHandle keeper = ProcessHandle.of(bench.keeperPid()).orElseThrow();
        Path libraries = bench.installation(keeper.pid()).resolve("native");
        keeper.destroyForcibly();
        keeper.onExit().join();
        Folders.delete(libraries);
        return libraries;
    }

    /** As from a file system that is mounted noexec. */
    @Test
    void oneThatCannotLoadItsLibrariesSaysSo() throws Exception {
        Path libraries = withoutLibraries();
        Files.createFile(libraries);
        assertThatThrownBy(() -> bench.start("true"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("ended as it began")
                .hasMessageContaining("noexec");
    }

    /** As where the disk was full at that moment: pty4j tries once, so whoever tried must not stay. */
    @Test
    void oneThatCouldNotUnpackItsLibraryIsFollowedByOneThatCan() throws Exception {
        Path libraries = withoutLibraries();
        Path inTheWay = libraries.resolve("pty4j-linux-x86-64/libpty.so/file");
        Files.createDirectories(inTheWay);
        assertThatThrownBy(() -> bench.start("true"))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("ended as it began")
                .hasMessageContaining("libpty.so");

        Files.delete(inTheWay);
        TaskId next = bench.start("echo back");
        bench.awaitPrinted(next, "back");
    }

    /** The terminal's own can be had, and that which pty4j starts for it can not. */
    @Test
    void oneThatGetsNoThreadSaysSoAtOnce() throws Exception {
        if (!ThreadLimit.isHere()) {
            return;
        }
        TaskId other = bench.start("sleep 60");
        try (ThreadLimit _ = new ThreadLimit(bench.keeperPid(), 1)) {
            assertThatThrownBy(() -> bench.start("true"))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("thread");
        }
        TaskId next = bench.start("echo back");
        bench.awaitPrinted(next, "back");
        assertThat(bench.holds(other)).isTrue();
    }

    @Test
    void manyAtOnceShareOneKeeper() throws Exception {
        List<KeeperTerminalHost> servers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<TaskId>> started = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                KeeperTerminalHost server = bench.server();
                servers.add(server);
                started.add(threads.submit(() -> bench.start(server, "read -r line")));
            }
            List<TaskId> ids = new ArrayList<>();
            for (Future<TaskId> one : started) {
                ids.add(one.get());
            }
            bench.replaceServer();
            assertThat(ids).allMatch(bench::holds);
        } finally {
            servers.forEach(KeeperTerminalHost::close);
        }
    }

    @Test
    void nobodyElseMayLookAndNoSecretIsWritten() throws Exception {
        bench.start("read -r line", TerminalSize.DEFAULT, dataDir, Map.of("TOKEN", "s3cr3t"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dataDir.resolve("keeper"))))
                .isEqualTo("rwx------");
        long keeper = bench.keeperPid();
        assertThat(proc(keeper, "environ")).doesNotContain("s3cr3t");
        assertThat(proc(keeper, "environ").split("\0")).allMatch(entry -> entry.matches("(PATH|HOME|LANG|LC_ALL)=.*"));
        assertThat(proc(keeper, "cmdline")).doesNotContain("s3cr3t");
        try (Stream<Path> files = Files.walk(dataDir)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("s3cr3t");
            }
        }
    }

    private static String proc(long pid, String file) throws IOException {
        return Files.readString(Path.of("/proc/" + pid, file), StandardCharsets.ISO_8859_1);
    }

    @Test
    void aHundredShortTerminalsLeaveNothingBehind() throws Exception {
        TaskId companion = bench.start("while read -r line; do echo \"<$line>\"; done");
        long keeper = bench.keeperPid();
        bench.awaitClosed(bench.start("true"));
        long before = descriptors(keeper);
        for (int i = 0; i < 100; i++) {
            TaskId id = bench.start("echo word");
            if (i % 20 == 19) {
                bench.awaitClosed(id);
                assertThat(bench.printed(id)).isEqualTo("word\r\n");
                bench.type(companion, i + "\n");
                bench.awaitPrinted(companion, "<" + i + ">");
            }
        }
        await().atMost(LIMIT).until(() -> descriptors(keeper) <= before);
        try (Stream<Path> tasks = Files.list(dataDir.resolve("tasks"))) {
            assertThat(tasks.filter(task -> !task.endsWith(companion.value())).skip(1))
                    .allMatch(task -> task.resolve("out").toFile().length() <= "word\r\n".length());
        }
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + keeper + "/task"))) {
            assertThat(threads.count()).isLessThan(30);
        }
        assertThat(bench.holds(companion)).isTrue();
    }

    @Test
    void withoutDescriptorsItStartsNothingAndLosesNone() throws Exception {
        bench.awaitClosed(bench.start("true"));
        long keeper = bench.keeperPid();
        long before = descriptors(keeper);
        for (int spare = 0; spare < 8; spare++) {
            Path begun = dataDir.resolve("begun-" + spare);
            limitDescriptors(keeper, Long.toString(before + spare));
            boolean started = starts("touch " + begun);
            limitDescriptors(keeper, "1024");
            if (started) {
                await().atMost(LIMIT).until(() -> Files.exists(begun));
            } else {
                assertThat(begun).as("with %d to spare", spare).doesNotExist();
            }
        }
        assertThat(starts("true")).isTrue();
        await().atMost(LIMIT).until(() -> descriptors(keeper) <= before);
    }

    private boolean starts(String script) {
        try {
            bench.start(script);
            return true;
        } catch (RuntimeException refused) {
            return false;
        }
    }

    private static void limitDescriptors(long pid, String most) throws Exception {
        Process prlimit = new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--nofile=" + most + ":").start();
        assertThat(prlimit.waitFor()).isZero();
    }

    private static long descriptors(long pid) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return open.count();
        }
    }
}
