package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.task.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LineageWatchTest {
    @TempDir
    Path folder;

    /** Its session, its parent and its environment are gone at once; that it was seen before is all that tells. */
    @Test
    void whatEscapesWithAllTricksIsKnownThoughNobodyAsked() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
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
                WitnessedExits witnessed = new WitnessedExits();
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
}
