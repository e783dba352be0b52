package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.HostFixture;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.Cgroup;
import dev.holdfast.kernel.CgroupTest;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class LineageWatchTest {
    @TempDir
    Path folder;

    /** Its session, its parent and its environment are gone at once; that it was seen before is all that tells. */
    @Test
    void whatEscapesWithAllTricksIsKnownThoughNobodyAskedAndThereAreNoGroups() throws Exception {
        try (HostFixture fixture = new HostFixture(folder, new Lineage())) {
            HostedCommand command =
                    fixture.sh("(sh -c 'until [ -e go ]; do sleep 0.2; done; exec env -i setsid sleep 300' &"
                            + " echo $! >escaped.new; mv escaped.new escaped); exec sleep 300");
            await().until(() -> Files.exists(fixture.workdir.resolve("escaped")));
            await().atMost(Duration.ofSeconds(20)).until(() -> fixture.lineage.remembers(command.id()));
            Files.createFile(fixture.workdir.resolve("go"));
            long pid = Long.parseLong(
                    Files.readString(fixture.workdir.resolve("escaped")).strip());
            await().until(() -> StartedTask.stat(pid).name().equals("sleep")
                    && StartedTask.stat(pid).session() == pid);
            ProcessIdentity escaped = StartedTask.stat(pid).identity();

            assertThat(command.stop(Duration.ZERO)).isEmpty();

            assertThat(ProcessTable.alive(escaped)).isFalse();
        }
    }

    @Test
    void anEndedCommandIsForgottenAndThenNothingIsLookedAt() throws Exception {
        Lineage lineage = new Lineage();
        AtomicInteger asked = new AtomicInteger();
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                ToldExits told = new ToldExits(null);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(lineage, later, told);
            assertThat(later.getQueue()).isEmpty();
            watch.add(task.process.id(), () -> {
                asked.incrementAndGet();
                return task.process;
            });
            await().until(() -> lineage.remembers(task.process.id()));
            task.signal(task.command(), "KILL");
            await().until(() -> !ProcessTable.alive(task.command()) && !ProcessTable.alive(task.launcher()));
            watch.remove(task.process.id());
            int before = asked.get();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> later.getQueue().isEmpty() && later.getActiveCount() == 0);
            assertThat(lineage.remembers(task.process.id())).isFalse();
            assertThat(asked.get()).isLessThanOrEqualTo(before + 1);
        }
    }

    @Test
    void whatCannotBeWatchedIsNotTakenForRunning() throws Exception {
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                ToldExits told = new ToldExits(null);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(new Lineage(), later, told);
            later.shutdownNow();

            assertThatThrownBy(() -> watch.add(task.process.id(), () -> task.process))
                    .isInstanceOf(RejectedExecutionException.class);

            assertThat(watch.running()).isEmpty();
        }
    }

    /** Once all that is known of it is in its group, it is not looked at any more; where there are none, it is. */
    @Test
    void aCommandWithAGroupIsNotLookedAtAgain() throws Exception {
        Lineage lineage = new Lineage(folder);
        AtomicInteger asked = new AtomicInteger();
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                ToldExits told = new ToldExits(null);
                StartedTask task = StartedTask.of(folder, "sh", "-c", "while :; do /bin/sleep 0.1; done")) {
            LineageWatch watch = new LineageWatch(lineage, later, told);
            watch.add(task.process.id(), () -> {
                asked.incrementAndGet();
                return task.process;
            });
            await().until(() -> lineage.remembers(task.process.id()));
            AtomicInteger last = new AtomicInteger();
            if (CgroupTest.canBeMade()) {
                await().during(Duration.ofMillis(2500))
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> last.getAndSet(asked.get()) == asked.get());
            } else {
                await().until(() -> asked.get() > 4);
            }
            watch.remove(task.process.id());
        }
        awaitNoGroups(lineage);
    }

    /** A look that was held up for a third of a second would be the last for ten, if that were its cost. */
    @Test
    void aBusyMachineMakesNoLongerPauses() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
                ToldExits told = new ToldExits(null);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(new Lineage(), later, told);
            watch.add(task.process.id(), () -> {
                asked.incrementAndGet();
                var _ = new CompletableFuture<>()
                        .completeOnTimeout(null, 333, TimeUnit.MILLISECONDS)
                        .join();
                return task.process;
            });
            await().atMost(Duration.ofSeconds(20)).until(() -> asked.get() >= 5);
            watch.remove(task.process.id());
        }
    }

    private void awaitNoGroups(Lineage lineage) {
        await().until(() -> {
            lineage.keep(Set.of());
            return !Files.exists(folder.resolve("cgroup"))
                    || !Files.exists(Path.of(Files.readString(folder.resolve("cgroup"))));
        });
    }

    /** On a slow machine nobody is the command yet at the first look for it. */
    @Test
    void aCommandThatIsLateHasItsGroupBeforeAllProcessesAreLookedAt() throws Exception {
        Lineage lineage = new Lineage(folder);
        AtomicInteger asked = new AtomicInteger();
        try (ScheduledThreadPoolExecutor later = new WithoutLooks();
                ToldExits told = new ToldExits(null);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            LineageWatch watch = new LineageWatch(lineage, later, told);
            TaskProcess known = task.process;
            TaskProcess early =
                    new TaskProcess(known.id(), known.session(), known.launcher(), null, null, null, List.of());
            watch.add(known.id(), () -> asked.incrementAndGet() == 1 ? early : known);
            String command = Long.toString(task.command().pid());
            if (CgroupTest.canBeMade()) {
                await().until(() -> Cgroup.of(command).endsWith(known.id().value()));
            } else {
                await().until(() -> asked.get() > 1);
            }
            watch.remove(known.id());
        }
        awaitNoGroups(lineage);
    }

    /** Does only what comes sooner than a look at all processes. */
    private static final class WithoutLooks extends ScheduledThreadPoolExecutor {
        WithoutLooks() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return super.schedule(unit.toMillis(delay) < 1000 ? task : () -> {}, delay, unit);
        }
    }
}
