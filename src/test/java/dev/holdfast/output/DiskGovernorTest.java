package dev.holdfast.output;

import static dev.holdfast.task.StreamName.STDERR;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.Stat;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.runtime.port.OutputStore.Slice;
import dev.holdfast.runtime.port.OutputStore.Writer;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskGovernorTest {
    private static final long MIB = 1 << 20;
    private static final TaskId ID = OutputFixture.ID;
    private static final DiskFloor NO_FLOOR = new DiskFloor(() -> Long.MAX_VALUE, 0);

    @TempDir
    Path dataDir;

    /** How many there were before: a server of other tests may be there. */
    private long others;

    private OutputFixture task;
    private DiskGovernor governor;

    @BeforeEach
    void open() throws IOException {
        others = watches();
        task = new OutputFixture(dataDir, MIB);
        governor = new DiskGovernor(task.events, MIB, NO_FLOOR);
    }

    @AfterEach
    void close() {
        governor.close();
        task.close();
    }

    /** One thread holds all outputs within their budgets. */
    @Test
    void aLookThatFailsIsNotTheLast() {
        AtomicInteger looks = new AtomicInteger();
        DiskFloor failing = new DiskFloor(
                () -> {
                    if (looks.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("for the test");
                    }
                    return Long.MAX_VALUE;
                },
                0);
        try (DiskGovernor _ = new DiskGovernor(task.events, MIB, failing)) {
            await().until(() -> looks.get() > 1);
        }
    }

    /** Of many some are side by side in its set: each comes once in a look at all. */
    @Test
    void whatCannotBeWatchedHoldsUpNobody() {
        AtomicInteger looks = new AtomicInteger();
        DiskFloor counting = new DiskFloor(
                () -> {
                    looks.incrementAndGet();
                    return Long.MAX_VALUE;
                },
                0);
        TaskIds ids = new TaskIds(InstantSource.system(), new Random(7));
        try (DiskGovernor all = new DiskGovernor(task.events, MIB, counting)) {
            for (int i = 0; i < 500; i++) {
                TaskId id = ids.next();
                all.govern(id, TaskFolder.of(dataDir, id), () -> {});
            }
            long quiet = DiskGovernor.QUIET_AFTER.dividedBy(DiskGovernor.PACE);
            await().until(() -> looks.get() > 2 * quiet);
        }
    }

    /** As of a command that has ended, whose child writes on: there is nobody to be paused or ended. */
    @Test
    void whatWritesOnAlthoughItIsEndedIsHeldWithinItsBudget() throws Exception {
        AtomicInteger limits = new AtomicInteger();
        DiskFloor full = new DiskFloor(() -> 0, 100);
        try (DiskGovernor held = new DiskGovernor(task.events, MIB, full)) {
            held.govern(ID, task.folder, limits::incrementAndGet);
            Process writer = task.shell("while :; do head -c 65536 /dev/zero; sleep 0.05; done");
            await().until(() -> limits.get() > 0);
            await().until(() -> Files.size(task.folder.output(STDOUT)) > 4 * MIB);
            await().until(() -> Stat.allocatedBytes(task.folder.output(STDOUT)) < 2 * MIB);
            writer.destroyForcibly().waitFor();
        }
        assertThat(limits).hasValue(1);
    }

    /** Else it would stand still for ever, or be said to be. */
    @Test
    void whatCouldNotBePausedOrContinuedIsTriedAgain() throws Exception {
        AtomicLong usable = new AtomicLong(60);
        List<String> done = new CopyOnWriteArrayList<>();
        try (DiskGovernor held = new DiskGovernor(task.events, MIB, new DiskFloor(usable::get, 100))) {
            held.govern(ID, task.folder, new Writer() {
                @Override
                public void limit() {
                    done.add("limit");
                }

                @Override
                public void pause() {
                    failFirst("pause");
                }

                @Override
                public void resume() {
                    failFirst("resume");
                }

                private void failFirst(String what) {
                    done.add(what);
                    if (Collections.frequency(done, what) == 1) {
                        throw new IllegalStateException("for the test");
                    }
                }
            });
            Process writer = task.shell("while :; do head -c 65536 /dev/zero; sleep 0.05; done");
            await().until(() -> Collections.frequency(done, "pause") == 2);
            usable.set(1000);
            await().until(() -> Collections.frequency(done, "resume") == 2);
            writer.destroyForcibly().waitFor();
        }
        assertThat(done).containsExactly("pause", "pause", "resume", "resume");
    }

    @Test
    void aFloodStaysSmallAndItsOffsetsTrue() throws Exception {
        DiskGovernor wide = new DiskGovernor(task.events, 64 * MIB, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        Process shell = task.shell("yes 0123456 | head -c 1073741824");
        long most = 0;
        while (!shell.waitFor(5, TimeUnit.MILLISECONDS)) {
            most = Math.max(most, Stat.allocatedBytes(task.folder.output(STDOUT)));
        }
        wide.release(ID);
        assertThat(task.output.facts(ID).omittedBytes()).isEqualTo((1024 - 64) * MIB);
        await().until(() -> Stat.allocatedBytes(task.folder.output(STDOUT)) <= 65 * MIB);
        wide.close();

        assertThat(most).isBetween(64 * MIB, 512 * MIB);
        Facts facts = task.output.facts(ID);
        assertThat(facts.stdoutBytes()).isEqualTo(1024 * MIB);
        assertThat(facts.omittedBytes()).isEqualTo((1024 - 64) * MIB);
        Slice head = task.output.read(ID, STDOUT, 0, 1 << 20);
        assertThat(head.bytes()).startsWith("0123456\n".getBytes(UTF_8));
        Slice tail = task.output.read(ID, STDOUT, 16 * MIB, 16);
        assertThat(tail.omitted()).containsExactly(new Gap(16 * MIB, 976 * MIB));
        assertThat(tail.bytes()).isEqualTo("0123456\n0123456\n".getBytes(UTF_8));
    }

    @Test
    void aReaderOfAFloodNeverSeesZeros() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        Process shell = task.shell("yes 0123456 | head -c 1073741824");
        long from = 0;
        long named = 0;
        long read = 0;
        long zeros = 0;
        boolean ended = false;
        while (!ended || from < task.output.facts(ID).stdoutBytes()) {
            ended = !shell.isAlive();
            Slice slice = task.output.read(ID, STDOUT, from, 1 << 18);
            for (byte b : slice.bytes()) {
                zeros += b == 0 ? 1 : 0;
            }
            named += slice.omitted().stream()
                    .mapToLong(gap -> gap.to() - gap.from())
                    .sum();
            read += slice.bytes().length;
            from = slice.next();
        }
        assertThat(zeros).isZero();
        assertThat(read + named).isEqualTo(1 << 30);
        governor.release(ID);
    }

    /** It opens the file for writing too: a command that ends meanwhile would have its last look late. */
    @Test
    void whoDropsIsNoWriter() throws Exception {
        task.write(STDOUT, new byte[(int) (256 * MIB)]);
        task.output.govern(ID, () -> {});
        boolean held = false;
        while (Stat.allocatedBytes(task.folder.output(STDOUT)) > 2 * MIB) {
            held |= task.output.isHeld(ID);
        }
        assertThat(held).isFalse();
    }

    /** Who opens the file by name for each line: whoever looks whether it is open for writing sees that it is not. */
    @Test
    void whoAppendsWhileATaskIsReleasedLosesNothing() throws Exception {
        int lines = 30_000;
        task.write(STDOUT, "x".repeat(2 << 20));
        Path out = task.folder.output(STDOUT);
        Process appending = new ProcessBuilder(
                        "sh", "-c", "seq -w 1 " + lines + " | while read n; do echo $n >> \"$0\"; done", out.toString())
                .start();
        try (var files = new OutputFiles(dataDir, task.events, 64 * MIB, 0)) {
            while (appending.isAlive()) {
                assertThat(new ProcessBuilder("fallocate", "-n", "-l", "16M", out.toString())
                                .start()
                                .waitFor())
                        .isZero();
                files.govern(ID, () -> {});
                files.release(ID);
            }
        }
        assertThat(appending.waitFor()).isZero();
        String written =
                IntStream.rangeClosed(1, lines).mapToObj("%05d\n"::formatted).collect(Collectors.joining());
        byte[] read = task.output.read(ID, STDOUT, 2 << 20, 1 << 20).bytes();
        assertThat(read).hasSize(written.length());
        assertThat(new String(read, UTF_8)).isEqualTo(written);
    }

    @Test
    void bothStreamsAreHeld() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        assertThat(task.shell("head -c 5000000 /dev/urandom; head -c 7000000 /dev/urandom >&2")
                        .waitFor())
                .isZero();
        governor.release(ID);

        await().until(() -> Stat.allocatedBytes(task.folder.output(STDOUT)) <= MIB + 8192);
        await().until(() -> Stat.allocatedBytes(task.folder.output(STDERR)) <= MIB + 8192);
        Gap out = stdoutGap();
        assertThat(out.from()).isEqualTo(MIB / 4);
        assertThat(5_000_000 - out.to() + out.from()).isBetween(MIB - 4096, MIB);
        assertThat(Files.readString(task.folder.omitted())).matches("(stdout \\d+ \\d+\nstderr \\d+ \\d+\n){2}");
    }

    @Test
    void whatFitsIsLeftAlone() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        assertThat(task.shell("head -c 1048576 /dev/urandom").waitFor()).isZero();
        governor.release(ID);
        assertThat(task.folder.omitted()).doesNotExist();
    }

    @Test
    void quietTasksAreNotLookedAtUntilTheyWrite() throws Exception {
        List<TaskFolder> folders = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            TaskId id = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZ%03d".formatted(i));
            folders.add(task.task(id));
            governor.govern(id, folders.getLast(), () -> {});
        }
        await().until(() -> watches() == 400);
        long cpu = cpuOf("disk-governor");
        await().during(Duration.ofSeconds(1)).until(() -> watches() == 400);
        assertThat(cpuOf("disk-governor") - cpu).isLessThan(30_000_000); // of a second

        TaskFolder folder = folders.get(7);
        assertThat(task.shell(folder, "head -c 3000000 /dev/zero >&2").waitFor())
                .isZero();
        await().until(() -> folder.omitted().toFile().exists());
        await().until(() -> Stat.allocatedBytes(folder.output(STDERR)) <= MIB + 8192);
        await().until(() -> watches() == 400);
    }

    @Test
    void afterTheReleaseNothingIsDropped() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        await().until(() -> watches() == 2);
        governor.release(ID);
        assertThat(watches()).isZero();
        assertThat(task.shell("head -c 5000000 /dev/urandom").waitFor()).isZero();
        await().during(Duration.ofMillis(300))
                .until(() -> !task.folder.omitted().toFile().exists());
        assertThat(Stat.allocatedBytes(task.folder.output(STDOUT))).isGreaterThanOrEqualTo(5_000_000);
    }

    @Test
    void anAdoptedTaskContinuesItsGap() throws Exception {
        assertThat(task.shell("head -c 5000000 /dev/urandom").waitFor()).isZero();
        OmittedFile.write(task.folder, STDOUT, new Gap(65_536, 4_096_000));
        FileTime written = FileTime.from(Instant.parse("2026-01-02T03:04:05.678Z"));
        Files.setLastModifiedTime(task.folder.output(STDOUT), written);
        governor.govern(ID, task.folder, () -> {});
        await().until(() -> Stat.allocatedBytes(task.folder.output(STDOUT)) <= MIB + 8192);
        await().until(() ->
                Files.getLastModifiedTime(task.folder.output(STDOUT)).equals(written));
        assertThat(task.shell("head -c 1000000 /dev/urandom").waitFor()).isZero();
        governor.release(ID);

        Gap gap = stdoutGap();
        assertThat(gap.from()).isEqualTo(65_536);
        assertThat(gap.to()).isBetween(6_000_000 - MIB, 6_000_000 - MIB / 2);
    }

    @Test
    void aTruncatedStreamHasNoGapBeyondItsEnd() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        Process shell = task.shell("head -c 5000000 /dev/urandom >&2; read go; echo anew > /dev/stderr; read go;"
                + " head -c 600000 /dev/zero | tr '\\0' y >&2");
        await().until(() -> OmittedFile.read(task.folder).containsKey(STDERR));
        shell.outputWriter().append("\n").flush();
        await().until(() -> !OmittedFile.read(task.folder).containsKey(STDERR));
        shell.outputWriter().append("\n").flush();
        assertThat(shell.waitFor()).isZero();
        governor.release(ID);

        Slice slice = task.output.read(ID, STDERR, 0, 1 << 20);
        assertThat(slice.omitted()).isEmpty();
        assertThat(new String(slice.bytes(), UTF_8)).isEqualTo("anew\n" + "y".repeat(600_000));
    }

    @Test
    void aFolderThatIsGoneIsNoTrouble() throws IOException {
        governor.govern(ID, task.folder, () -> {});
        task.write(STDOUT, new byte[2_000_000]);
        await().until(() -> task.folder.omitted().toFile().exists());
        for (String name : List.of("out", "err", "omitted")) {
            Files.delete(task.folder.path().resolve(name));
        }
        Files.delete(task.folder.path());
        OutputFixture other = new OutputFixture(dataDir.resolve("other"), MIB);
        governor.govern(new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZ001"), other.folder, () -> {});
        other.write(STDOUT, new byte[2_000_000]);
        await().until(() -> other.folder.omitted().toFile().exists());
        other.close();
        governor.release(ID);
        assertThat(task.folder.path()).doesNotExist();
    }

    private Gap stdoutGap() {
        return Objects.requireNonNull(OmittedFile.read(task.folder).get(STDOUT));
    }

    /** How many files the kernel watches for this test (inotify). */
    private long watches() throws IOException {
        long count = 0;
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fdinfo"))) {
            for (Path descriptor : descriptors) {
                count += lines(descriptor)
                        .filter(line -> line.startsWith("inotify "))
                        .count();
            }
        }
        return count - others;
    }

    private static Stream<String> lines(Path descriptor) throws IOException {
        try {
            return Files.readAllLines(descriptor).stream();
        } catch (NoSuchFileException closed) {
            return Stream.empty();
        }
    }

    private static long cpuOf(String thread) {
        ThreadMXBean beans = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(candidate -> candidate.getName().equals(thread))
                .mapToLong(candidate -> beans.getThreadCpuTime(candidate.threadId()))
                .sum();
    }
}
