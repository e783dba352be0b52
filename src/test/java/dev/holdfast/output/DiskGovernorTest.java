package dev.holdfast.output;

import static dev.holdfast.task.StreamName.STDERR;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import dev.holdfast.kernel.Blocks;
import dev.holdfast.runtime.OutputStore.Facts;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.OutputStore.Slice;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    private OutputFixture task;
    private DiskGovernor governor;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, MIB);
        governor = DiskGovernor.start(task.events, new Budget(MIB), Blocks::punch, NO_FLOOR);
    }

    @AfterEach
    void close() {
        governor.close();
        task.close();
    }

    @Test
    void aFloodStaysSmallAndItsOffsetsTrue() throws Exception {
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), Blocks::punch, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        Process shell = task.shell("yes 0123456 | head -c 3221225472");
        long most = 0;
        while (!shell.waitFor(5, TimeUnit.MILLISECONDS)) {
            most = Math.max(most, Blocks.allocatedBytes(task.folder.output(STDOUT)));
        }
        wide.release(ID);
        assertThat(task.output.facts(ID).omittedBytes()).isEqualTo((3072 - 64) * MIB);
        await().until(() -> Blocks.allocatedBytes(task.folder.output(STDOUT)) <= 65 * MIB);
        wide.close();

        assertThat(most).isBetween(64 * MIB, 200_000_000L);
        Facts facts = task.output.facts(ID);
        assertThat(facts.stdoutBytes()).isEqualTo(3072 * MIB);
        assertThat(facts.omittedBytes()).isEqualTo((3072 - 64) * MIB);
        Slice head = task.output.read(ID, STDOUT, 0, 1 << 20);
        assertThat(head.bytes()).startsWith("0123456\n".getBytes(UTF_8));
        Slice tail = task.output.read(ID, STDOUT, 16 * MIB, 16);
        assertThat(tail.omitted()).containsExactly(new Gap(16 * MIB, 3024 * MIB));
        assertThat(tail.bytes()).isEqualTo("0123456\n0123456\n".getBytes(UTF_8));
    }

    @Test
    void aFloodIsDroppedWhenItReachesItsLimitAndSeldomLookedAtUntilThen() throws Exception {
        List<Long> held = new CopyOnWriteArrayList<>();
        Punch noted = (file, from, to) -> {
            held.add(16 * MIB + file.toFile().length() - from);
            return Blocks.punch(file, from, to);
        };
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), noted, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        long start = System.nanoTime();
        Process shell = task.shell("yes 0123456 | head -c 1610612736");
        assertThat(shell.waitFor()).isZero();
        long looks = wide.looks();
        long ticks = (System.nanoTime() - start) / DiskGovernor.MOST_FLOOD_TICK.toNanos();
        wide.release(ID);
        wide.close();

        List<Long> later =
                held.stream().filter(bytes -> bytes < 100 * MIB).sorted().toList();
        assertThat(later).hasSizeGreaterThan(40);
        assertThat(later.get(later.size() / 2)).isBetween(80 * MIB, 84 * MIB);
        assertThat(looks).isLessThan(ticks + 8L * held.size());
    }

    @Test
    void aFloodFindsBlocksSetAsideWhichAreGivenBack() throws Exception {
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), Blocks::punch, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        Path out = task.folder.output(STDOUT);
        Process shell = task.shell("yes 0123456 | head -c 100000000; read go; yes 0123456 | head -c 50000000; read go");
        await().until(() -> task.output.facts(ID).omittedBytes() > 100_000_000 - 65 * MIB);
        await().until(() -> Blocks.allocatedBytes(out) > 65 * MIB);
        assertThat(Blocks.allocatedBytes(out)).isLessThanOrEqualTo((64 + 33) * MIB);
        shell.outputWriter().append("\n").flush();
        await().until(() -> Files.size(out) == 150_000_000);
        assertThat(Blocks.allocatedBytes(out)).isLessThanOrEqualTo(161 * MIB);
        shell.outputWriter().append("\n").flush();
        assertThat(shell.waitFor()).isZero();
        FileTime written = Files.getLastModifiedTime(out);
        wide.release(ID);
        await().until(() -> Blocks.allocatedBytes(out) <= 65 * MIB);
        wide.close();

        assertThat(task.output.facts(ID).stdoutBytes()).isEqualTo(150_000_000);
        assertThat(Files.getLastModifiedTime(out)).isEqualTo(written);
        assertThat(task.output.read(ID, STDOUT, 150_000_000 - 8, 8).bytes()).isEqualTo("0123456\n".getBytes(UTF_8));
    }

    @Test
    void aFloodIsPreparedForFromItsBeginning() throws Exception {
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), Blocks::punch, NO_FLOOR);
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            TaskId id = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZ%03d".formatted(i));
            TaskFolder folder = task.task(id);
            Path out = folder.output(STDOUT);
            wide.govern(id, folder, () -> {});
            Process shell = task.shell(folder, "yes 0123456 | head -c 100000000");
            await().pollInterval(Duration.ofMillis(1)).pollDelay(Duration.ZERO).until(() -> {
                long size = Files.size(out);
                return Blocks.allocatedBytes(out) > size + 2 * MIB && sizes.add(size);
            });
            assertThat(shell.waitFor()).isZero();
            wide.release(id);
        }
        wide.close();
        assertThat(sizes.stream().sorted().toList().get(2)).isLessThan(16 * MIB);
    }

    @Test
    void aFloodWhoseWriterHesitatesIsLetRunOn() throws Exception {
        List<Long> droppedAt = new CopyOnWriteArrayList<>();
        Punch noted = (file, from, to) -> {
            droppedAt.add(file.toFile().length());
            return Blocks.punch(file, from, to);
        };
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), noted, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        Process shell =
                task.shell("for i in 1 2 3 4 5 6; do yes 0123456 | head -c 20000000; sleep 0.03; done; read go");
        await().pollInterval(Duration.ofMillis(2))
                .until(() -> task.folder.omitted().toFile().exists());
        assertThat(OmittedFile.read(task.folder)).isEmpty();
        await().until(() -> !droppedAt.isEmpty());
        assertThat(droppedAt).containsExactly(120_000_000L);
        await().until(() -> Blocks.allocatedBytes(task.folder.output(STDOUT)) <= (64 + 33) * MIB);
        shell.outputWriter().append("\n").flush();
        assertThat(shell.waitFor()).isZero();
        wide.release(ID);
        wide.close();
    }

    @Test
    void whatAServerBeforeSetAsideIsGivenBack() throws Exception {
        assertThat(task.shell("head -c 2000000 /dev/zero | tr '\\0' y").waitFor())
                .isZero();
        Path out = task.folder.output(STDOUT);
        assertThat(Blocks.setAside(out, 2_000_000, 9 * MIB)).isTrue();
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), Blocks::punch, NO_FLOOR);
        wide.govern(ID, task.folder, () -> {});
        wide.release(ID);
        await().until(() -> Blocks.allocatedBytes(out) <= 2_000_000 + MIB);
        wide.close();
        assertThat(task.output.read(ID, STDOUT, 0, 4 << 20).bytes())
                .isEqualTo("y".repeat(2_000_000).getBytes(UTF_8));
    }

    @Test
    void nothingIsSetAsideNearTheFloor() throws Exception {
        DiskFloor near = new DiskFloor(() -> 300 * MIB, 256 * MIB);
        DiskGovernor wide = DiskGovernor.start(task.events, new Budget(64 * MIB), Blocks::punch, near);
        wide.govern(ID, task.folder, () -> {});
        Process shell = task.shell("yes 0123456 | head -c 100000000");
        long beyond = 0;
        while (!shell.waitFor(5, TimeUnit.MILLISECONDS)) {
            long taken = Blocks.allocatedBytes(task.folder.output(STDOUT));
            beyond = Math.max(beyond, taken - Files.size(task.folder.output(STDOUT)));
        }
        wide.release(ID);
        wide.close();
        assertThat(beyond).isLessThan(6 * MIB);
    }

    @Test
    void aReaderOfAFloodNeverSeesZeros() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        Process shell = task.shell("yes 0123456 | head -c 1073741824");
        long from = 0;
        long named = 0;
        long read = 0;
        boolean ended = false;
        while (!ended || from < task.output.facts(ID).stdoutBytes()) {
            ended = !shell.isAlive();
            Slice slice = task.output.read(ID, STDOUT, from, 1 << 18);
            for (byte b : slice.bytes()) {
                assertThat(b != 0).isTrue();
            }
            named += slice.omitted().stream()
                    .mapToLong(gap -> gap.to() - gap.from())
                    .sum();
            read += slice.bytes().length;
            from = slice.next();
        }
        assertThat(read + named).isEqualTo(1 << 30);
        governor.release(ID);
    }

    @Test
    void bothStreamsAreHeld() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        assertThat(task.shell("head -c 5000000 /dev/urandom; head -c 7000000 /dev/urandom >&2")
                        .waitFor())
                .isZero();
        governor.release(ID);

        await().until(() -> Blocks.allocatedBytes(task.folder.output(STDOUT)) <= MIB + 8192);
        await().until(() -> Blocks.allocatedBytes(task.folder.output(STDERR)) <= MIB + 8192);
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
    void idleTasksAreNotLookedAtUntilTheyWrite() throws Exception {
        List<Process> shells = new ArrayList<>();
        List<TaskFolder> folders = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            TaskId id = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZ%03d".formatted(i));
            folders.add(task.task(id));
            governor.govern(id, folders.getLast(), () -> {});
        }
        await().atMost(Duration.ofSeconds(30)).during(Duration.ofSeconds(2)).until(quiet());
        long cpu = cpuOf("disk-governor");
        long looks = governor.looks();

        shells.add(task.shell(folders.get(7), "read go; exec head -c 3000000 /dev/zero >&2"));
        await().during(Duration.ofMillis(500)).until(() -> governor.looks() == looks);
        assertThat(cpuOf("disk-governor")).isEqualTo(cpu);

        shells.getFirst().outputWriter().append("\n").flush();
        await().until(() -> folders.get(7).omitted().toFile().exists());
        assertThat(shells.getFirst().waitFor()).isZero();
        await().atMost(Duration.ofSeconds(30)).during(Duration.ofSeconds(2)).until(quiet());
        assertThat(Blocks.allocatedBytes(folders.get(7).output(STDERR))).isLessThanOrEqualTo(MIB + 8192);
    }

    @Test
    void afterTheReleaseNothingIsDropped() throws Exception {
        governor.govern(ID, task.folder, () -> {});
        await().atMost(Duration.ofSeconds(30)).during(Duration.ofSeconds(2)).until(quiet());
        governor.release(ID);
        assertThat(task.shell("head -c 5000000 /dev/urandom").waitFor()).isZero();
        long looks = governor.looks();
        await().during(Duration.ofMillis(300)).until(() -> governor.looks() <= looks + 1);
        assertThat(task.folder.omitted()).doesNotExist();
        assertThat(Blocks.allocatedBytes(task.folder.output(STDOUT))).isGreaterThanOrEqualTo(5_000_000);
    }

    @Test
    void whereNothingCanBePunchedTheLimitIsToldOnce() throws Exception {
        AtomicInteger told = new AtomicInteger();
        DiskGovernor unable = DiskGovernor.start(task.events, new Budget(MIB), (file, from, to) -> false, NO_FLOOR);
        unable.govern(ID, task.folder, told::incrementAndGet);
        assertThat(task.shell("head -c 2000000 /dev/urandom; sleep 0.3; head -c 2000000 /dev/urandom >&2")
                        .waitFor())
                .isZero();
        await().untilAtomic(told, is(1));
        unable.release(ID);
        unable.close();
        assertThat(told).hasValue(1);
        assertThat(task.output.facts(ID).omittedBytes()).isZero();
        assertThat(task.output.read(ID, STDOUT, 300_000, 1000).omitted()).isEmpty();
    }

    @Test
    void anAdoptedTaskContinuesItsGap() throws Exception {
        assertThat(task.shell("head -c 5000000 /dev/urandom").waitFor()).isZero();
        OmittedFile.write(task.folder, Map.of(STDOUT, new Gap(65_536, 4_096_000)));
        governor.govern(ID, task.folder, () -> {});
        await().until(() -> Blocks.allocatedBytes(task.folder.output(STDOUT)) <= MIB + 8192);
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
        long looks = governor.looks();
        await().until(() -> governor.looks() > looks + 3);
        governor.release(ID);
        assertThat(task.folder.path()).doesNotExist();
    }

    private Gap stdoutGap() {
        return Objects.requireNonNull(OmittedFile.read(task.folder).get(STDOUT));
    }

    private Callable<Boolean> quiet() {
        long[] before = {-1};
        return () -> {
            long now = governor.looks();
            boolean same = now == before[0];
            before[0] = now;
            return same;
        };
    }

    private static long cpuOf(String thread) {
        ThreadMXBean beans = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(candidate -> candidate.getName().equals(thread))
                .mapToLong(candidate -> beans.getThreadCpuTime(candidate.threadId()))
                .sum();
    }
}
