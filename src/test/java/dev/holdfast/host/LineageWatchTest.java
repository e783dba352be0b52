package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LineageWatchTest {
    @TempDir
    Path folder;

    /** Its session, its parent and its environment are gone at once; that it was seen before is all that tells. */
    @Test
    void whatEscapesWithAllTricksIsKnownThoughNobodyAskedAndNoBirthWasTold() throws Exception {
        try (HostFixture fixture = new HostFixture(folder, new Lineage(new Ancestry(Optional::empty)))) {
            HostedCommand command =
                    fixture.sh("(sh -c 'until [ -e go ]; do sleep 0.05; done; exec env -i setsid sleep 300' &"
                            + " echo $! >escaped.new; mv escaped.new escaped); exec sleep 300");
            await().until(() -> Files.exists(fixture.workdir.resolve("escaped")));
            await().atMost(Duration.ofSeconds(20)).until(() -> fixture.lineage.activity(command.id()) != null);
            Files.createFile(fixture.workdir.resolve("go"));
            long pid = Long.parseLong(
                    Files.readString(fixture.workdir.resolve("escaped")).strip());
            await().until(() -> StartedTask.stat(pid).name().equals("sleep")
                    && StartedTask.stat(pid).session() == pid);
            ProcessIdentity escaped = StartedTask.stat(pid).identity();

            command.stop(Duration.ZERO);
            assertThat(new StopLoop(fixture.lineage).stop(fixture.stopped.getLast(), Duration.ZERO))
                    .isEmpty();

            assertThat(ProcessTable.alive(escaped)).isFalse();
        }
    }

    @Test
    void anEndedCommandIsForgottenAndThenNothingIsLookedAt() throws Exception {
        Lineage lineage = new Lineage();
        AtomicInteger asked = new AtomicInteger();
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                WitnessedExits witnessed = new WitnessedExits((pid, parent) -> false);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(lineage, later, witnessed);
            assertThat(later.getQueue()).isEmpty();
            watch.add(task.process.id(), task.launcher(), () -> {
                asked.incrementAndGet();
                return task.process;
            });
            await().until(() -> lineage.activity(task.process.id()) != null);
            task.signal(task.command(), "KILL");
            await().until(() -> !ProcessTable.alive(task.command()) && !ProcessTable.alive(task.launcher()));
            watch.remove(task.process.id());
            int before = asked.get();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> later.getQueue().isEmpty() && later.getActiveCount() == 0);
            assertThat(lineage.activity(task.process.id())).isNull();
            assertThat(asked.get()).isLessThanOrEqualTo(before + 1);
        }
    }

    /** A look that takes 200 ms is repeated after ten seconds; what the kernel tells meanwhile must not wait for that. */
    @Test
    void birthsAreFetchedThoughLooksAreDear() throws Exception {
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                Lineage lineage = new Lineage();
                WitnessedExits witnessed = new WitnessedExits((pid, parent) -> false);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(lineage, later, witnessed);
            Set<String> others = sockets();
            AtomicInteger looks = new AtomicInteger();
            try (Ancestry.Attention _ = watch.expect()) {
                watch.add(task.process.id(), task.launcher(), () -> {
                    run("exec sleep 0.2");
                    looks.incrementAndGet();
                    return task.process;
                });
            }
            await().until(() -> looks.get() > 0);
            run("i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done");
            AtomicLong most = new AtomicLong();
            await().atMost(Duration.ofSeconds(6)).until(() -> {
                long now = unread(others);
                // Not none: others of this machine go on starting processes.
                return now <= most.accumulateAndGet(now, Math::max) / 4;
            });
            assertThat(looks).hasValue(1);
        }
    }

    /** Births tell of all there is to see; the command that nobody had found yet is asked for all the same. */
    @Test
    void noProcessIsLookedAtWhereBirthsTellOfAll() throws Exception {
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                Lineage lineage = new Lineage();
                WitnessedExits witnessed = new WitnessedExits((pid, parent) -> false)) {
            LineageWatch watch = new LineageWatch(lineage, later, witnessed);
            AtomicInteger asked = new AtomicInteger();
            Ancestry.Attention attention = watch.expect();
            AncestryTest.awaitNextTick();
            try (attention;
                    StartedTask task = StartedTask.of(folder, "sh", "-c", "while :; do /bin/sleep 0.1; done")) {
                watch.add(task.process.id(), task.launcher(), () -> {
                    asked.incrementAndGet();
                    return task.process;
                });
                await().until(() -> asked.get() >= 3);
                assertThat(lineage.activity(task.process.id()) == null).isEqualTo(EscapeTest.kernelTells());
                watch.remove(task.process.id());
            }
        }
    }

    private static void run(String script) {
        try {
            new ProcessBuilder("sh", "-c", script).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<String> sockets() throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    own.add(Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException e) {
                    // Closed meanwhile: no socket of ours.
                }
            }
        }
        return own;
    }

    /** Bytes that wait in our own sockets: proc_net(5), the fifth column is Rmem, the last the inode. */
    private static long unread(Set<String> others) throws IOException {
        Set<String> own = sockets();
        own.removeAll(others);
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/netlink"))) {
            return lines.skip(1)
                    .map(line -> line.strip().split("\\s+"))
                    .filter(columns -> own.contains("socket:[" + columns[columns.length - 1] + "]"))
                    .mapToLong(columns -> Long.parseLong(columns[4]))
                    .sum();
        }
    }
}
