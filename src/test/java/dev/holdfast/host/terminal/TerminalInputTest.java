package dev.holdfast.host.terminal;

import static dev.holdfast.host.terminal.TerminalBench.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.terminal.TerminalBench.Recorder;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Input that nobody reads: counted, bounded, and in nobody's way. */
@Timeout(180)
class TerminalInputTest {
    private static final byte[] MEGABYTE = "fifteen letters\n".repeat(65536).getBytes(StandardCharsets.UTF_8);

    private static final byte[] ENOUGH = "\nenough\n".getBytes(StandardCharsets.UTF_8);

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
    void aProgramThatDoesNotReadHoldsUpNothing() {
        TaskId deaf =
                bench.start("stty -echo raw; echo ready; i=0; while :; do sleep 0.05; i=$((i+1)); echo tick $i; done");
        TaskId other = bench.start("while read -r line; do echo \"<$line>\"; done");
        bench.awaitPrinted(deaf, "ready");
        AtomicReference<Duration> took = new AtomicReference<>();
        CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(
                () -> {
                    long start = System.nanoTime();
                    int bytes = bench.host.write(deaf, MEGABYTE, true, Duration.ofMillis(1500));
                    took.set(Duration.ofNanos(System.nanoTime() - start));
                    return bytes;
                },
                Thread::startVirtualThread);
        for (int i = 0; i < 10; i++) {
            bench.type(other, "line " + i + "\n");
            bench.awaitPrinted(other, "<line " + i + ">");
        }
        bench.awaitPrinted(deaf, "tick 10");
        assertThat(taken.join()).isBetween(1024, MEGABYTE.length / 4);
        assertThat(took.get()).isBetween(Duration.ofMillis(1400), Duration.ofSeconds(30));
    }

    @Test
    void whatWasCountedAsTakenIsWhatTheProgramReads() {
        Path go = dataDir.resolve("go");
        TaskId id = bench.start("stty -echo raw; echo ready; while [ ! -e " + go + " ]; do sleep 0.2; done;"
                + " timeout --foreground 4 cat | wc -c; echo over");
        bench.awaitPrinted(id, "ready");
        int taken = bench.host.write(id, MEGABYTE, false, Duration.ofMillis(300));
        assertThat(go.toFile().mkdir()).isTrue();
        bench.awaitPrinted(id, "over");
        assertThat(bench.printed(id).lines().map(String::strip)).contains(Integer.toString(taken));
    }

    @Test
    void aSlowReaderGetsItAll() {
        TaskId id = bench.start("stty -echo; echo ready; sleep 0.3; cat | wc -c");
        bench.awaitPrinted(id, "ready");
        assertThat(bench.host.write(id, MEGABYTE, true, Duration.ofSeconds(30))).isEqualTo(MEGABYTE.length);
        bench.awaitPrinted(id, Integer.toString(MEGABYTE.length));
    }

    /** A program that reads nothing until told, and says how many bytes came up to {@link #ENOUGH}. */
    private TaskId deafUntil(Path go) {
        TaskId deaf = bench.start("stty -echo raw; echo ready; while [ ! -e '" + go + "' ]; do sleep 0.2; done;"
                + " sed /enough/q | wc -c; echo over");
        bench.awaitPrinted(deaf, "ready");
        return deaf;
    }

    /** How many bytes came before this says that it is enough. */
    private long read(TaskId deaf) {
        await().atMost(LIMIT)
                .until(
                        () -> bench.host.write(deaf, ENOUGH, false, Duration.ofSeconds(5)),
                        taken -> taken == ENOUGH.length);
        bench.awaitPrinted(deaf, "over");
        return Long.parseLong(bench.printed(deaf).lines().toList().get(1).strip()) - ENOUGH.length;
    }

    @Test
    void whatIsTypedWaitsForAProgramThatDoesNotReadYet() {
        Path go = dataDir.resolve("read it");
        TaskId deaf = deafUntil(go);
        try (var link = bench.host.attach(deaf, new Recorder())) {
            var written = CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 4; i++) {
                            link.write(MEGABYTE);
                        }
                    },
                    Thread::startVirtualThread);
            long between = 0; // until there is no room
            while (bench.host.write(deaf, new byte[] {1}, false, Duration.ZERO) == 1) {
                between++;
            }
            assertThat(written).isNotDone();
            assertThat(go.toFile().mkdir()).isTrue();
            written.join();
            assertThat(read(deaf)).isEqualTo(4L * MEGABYTE.length + between);
        }
    }

    /** Who typed it has gone: what there is no room for is dropped, and nobody waits. */
    @Test
    void keystrokesForAProgramThatDoesNotReadAreBounded() {
        Path go = dataDir.resolve("go on");
        TaskId deaf = deafUntil(go);
        try (var link = bench.host.attach(deaf, new Recorder())) {
            link.leave();
            for (int i = 0; i < 8; i++) {
                link.write(MEGABYTE);
            }
            assertThat(bench.host.write(deaf, new byte[] {1}, false, Duration.ofMillis(100)))
                    .isZero();
        }
        assertThat(go.toFile().mkdir()).isTrue();
        assertThat(read(deaf)).isBetween(1024L * 1024, 1024L * 1024 + 128 * 1024);
    }

    @Test
    void whoTypesMuchIsLetGoWhenTheTerminalCloses() {
        TaskId deaf = bench.start("stty -echo raw; echo ready; sleep 0.3");
        bench.awaitPrinted(deaf, "ready");
        try (var link = bench.host.attach(deaf, new Recorder())) {
            link.write(MEGABYTE);
        }
        bench.awaitClosed(deaf);
    }

    @Test
    void oneWhoWritesWhileAnotherWaitsIsAnsweredInItsOwnTime() {
        TaskId deaf = bench.start("stty -echo raw; echo ready; sleep 60");
        bench.awaitPrinted(deaf, "ready");
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(
                () -> bench.host.write(deaf, MEGABYTE, false, Duration.ofSeconds(3)), Thread::startVirtualThread);
        await().atMost(LIMIT).until(() -> bench.host.write(deaf, MEGABYTE, false, Duration.ofMillis(50)) == 0);
        assertThat(first).isNotDone();
        assertThat(first.join()).isLessThan(MEGABYTE.length);
    }

    @Test
    void whoWaitsNoLongerIsToldWhatWasTaken() throws Exception {
        TaskId deaf = bench.start("stty -echo raw; echo ready; sleep 600");
        bench.awaitPrinted(deaf, "ready");
        Patience patience = new Patience();
        CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(
                () -> patience.during(() -> bench.host.write(deaf, MEGABYTE, true, Duration.ofMinutes(10))),
                Thread::startVirtualThread);
        await().atMost(LIMIT).until(() -> bench.host.write(deaf, MEGABYTE, false, Duration.ofMillis(50)) == 0);
        assertThat(taken).isNotDone();

        patience.end();

        assertThat(taken.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isLessThan(MEGABYTE.length);
    }

    @Test
    void inputForATerminalThatClosesIsAnswered() {
        TaskId id = bench.start("stty -echo raw; echo ready; sleep 0.3");
        bench.awaitPrinted(id, "ready");
        assertThat(bench.host.write(id, MEGABYTE, true, Duration.ofSeconds(30))).isLessThan(MEGABYTE.length);
        bench.awaitClosed(id);
    }
}
