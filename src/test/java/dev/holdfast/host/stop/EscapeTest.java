package dev.holdfast.host.stop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.HostFixture;
import dev.holdfast.host.Python;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.kernel.Cgroup;
import dev.holdfast.kernel.CgroupTest;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A command that drops its session, its environment and its parent at once, so that only its control group tells. Where
 * this user may make none, it escapes.
 */
@Timeout(180)
class EscapeTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final boolean GROUPS = CgroupTest.canBeMade();
    private static final String WHEN_TOLD = "until [ -e go ]; do sleep 0.2; done; ";
    /** No other process sleeps just as long; and what escapes for good ends. */
    private final String nap = "sleep 300." + ThreadLocalRandom.current().nextInt(100_000_000, 200_000_000);

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path folder;

    @AfterEach
    void end() {
        asleep().ifPresent(process -> HostFixture.kill(process.identity()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(env -i setsid sh -c '(exec NAP) & exit' &); exec sleep 300",
                "env -i setsid sh -c 'sh -c \"NAP & exit\" & exit' & exec sleep 300",
                "env -i setsid sh -c 'setsid sh -c \"setsid NAP & exit\" & exit' & wait; exec sleep 300",
                "env -i setsid --fork sh -c 'setsid --fork NAP'; exec sleep 300",
                "env -i setsid --fork sh -c 'exec setsid --fork NAP'; exit 3",
            })
    void isGoneAfterAStop(String script) throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = started(fixture, script);
            ProcessIdentity escaped = escaped(fixture.launcher(command));
            assertThat(command.stop(SHORT)).isEmpty();
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(GROUPS);
        }
    }

    @Test
    void isGoneFromATerminalToo() {
        Lineage lineage = new Lineage(folder);
        String script = WHEN_TOLD + "env -i setsid sh -c '(exec %s) & exit' & exec sleep 300".formatted(nap);
        try (StartedTask task = StartedTask.inTerminal(folder, "sh", "-c", script)) {
            lineage.lives(task.process.id(), task.command());
            task.write("go", "");
            ProcessIdentity escaped = escaped(task.launcher());
            assertThat(new StopLoop(lineage).stop(task.process, SHORT)).isEmpty();
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(GROUPS);
        }
        lineage.keep(Set.of());
    }

    /** As {@code on_exit: stop} does it. */
    @Test
    void isGoneWhenItsCommandEndedFirst() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = started(fixture, "env -i setsid sh -c '(exec NAP) & exit' & exit 3");
            ProcessIdentity escaped = escaped(fixture.launcher(command));
            HostFixture.end(command);
            command.stop(Duration.ZERO);
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(GROUPS);
        }
    }

    /** The server that starts again finds the group by what its folder says. */
    @Test
    void isGoneWhenAnotherServerStopsIt() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = started(fixture, "env -i setsid sh -c '(exec NAP) & exit' & exec sleep 300");
            ProcessIdentity escaped = escaped(fixture.launcher(command));
            fixture.lineage = new Lineage(fixture.data);
            HostedCommand adopted = fixture.adoptedByAnother(command.id());
            assertThat(adopted.stop(SHORT)).isEmpty();
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(GROUPS);
        }
    }

    @Test
    void isAskedToLeaveFirst() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = started(
                    fixture,
                    "env -i setsid sh -c '(trap \"echo >obeyed; exit\" TERM; echo $$ >ready;"
                            + " for again in 1 2; do NAP & wait; done) & exit' & exec sleep 300");
            await().until(() -> asleep().isPresent());
            assertThat(command.stop(Duration.ofSeconds(10))).isEmpty();
            assertThat(Files.exists(fixture.workdir.resolve("obeyed"))).isEqualTo(GROUPS);
        }
    }

    /** Each generation has a session of its own and ends at once: whoever was seen is gone; 40000 times at most. */
    @Test
    void isGoneThoughItIsAlwaysAnother() throws Exception {
        String comet = """
                import os, signal
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                trail = os.open('trail', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for i in range(40000):
                  os.write(trail, b'.')
                  if os.fork(): os._exit(0)
                  os.setsid()
                """;
        try (HostFixture fixture = new HostFixture(folder)) {
            Path script = Files.writeString(fixture.workdir.resolve("comet"), comet);
            HostedCommand command = started(fixture, "env -i " + Python.PATH + " " + script + " & exec sleep 300");
            Path trail = fixture.workdir.resolve("trail");
            await().until(() -> Files.exists(trail));
            assertThat(command.stop(Duration.ofMillis(20))).isEmpty();
            long generations = Files.size(trail);
            await().during(Duration.ofMillis(300)).until(() -> !GROUPS || Files.size(trail) == generations);
            assertThat(!GROUPS || generations < 40_000).isTrue();
        }
    }

    /** A kill of a group may miss a fork, and no look may find who is always another. */
    @Test
    void isNotOverBeforeTheGroupIsEmpty() throws Exception {
        GroupOfFiles group = new GroupOfFiles(folder);
        try (StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            group.live(task.process.id());
            StopLoop stops = new StopLoop(new Lineage(group.data()));
            var stopped = CompletableFuture.supplyAsync(() -> stops.stop(task.process, SHORT));
            group.killedAgainAndAgain();
            assertThat(stopped).isNotDone();
            group.empty();
            assertThat(stopped.get(60, TimeUnit.SECONDS)).isEmpty();
        }
    }

    /** Somebody removes the group, or moves its members out: then it is as if there never had been one. */
    @Test
    void aGroupThatIsTakenAwayIsNoHarm() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = started(fixture, "setsid NAP & echo ready; exec sleep 300");
            await().until(() -> fixture.out(command).contains("ready"));
            ProcessIdentity left = await().until(this::asleep, Optional::isPresent)
                    .orElseThrow()
                    .identity();
            takeAway(fixture);
            assertThat(command.stop(SHORT)).isEmpty();
            assertThat(ProcessTable.alive(left)).isFalse();
            assertThat(HostFixture.end(fixture.sh("sleep 0.2; exit 4"))).hasToString("Code[status=4]");
        }
    }

    /** What the folder names is no control group, and may not be made one. */
    @Test
    void groupsThatCannotBeWrittenAreNoHarm() throws Exception {
        try (HostFixture fixture = new HostFixture(folder, new Lineage(unwritable()))) {
            HostedCommand command = fixture.sh(WHEN_TOLD + "setsid " + nap + " & wait");
            HostFixture.process(command);
            await().until(() -> fixture.lineage.remembers(command.id()));
            Files.createFile(fixture.workdir.resolve("go"));
            ProcessIdentity left = await().until(this::asleep, Optional::isPresent)
                    .orElseThrow()
                    .identity();
            assertThat(command.stop(SHORT)).isEmpty();
            assertThat(ProcessTable.alive(left)).isFalse();
        }
    }

    private Path unwritable() throws IOException {
        Path groups = Files.createDirectory(folder.resolve("holdfast-" + UUID.randomUUID()));
        Path named = Files.createDirectory(folder.resolve("named"));
        Files.writeString(named.resolve("cgroup"), groups.toString());
        return named;
    }

    private static void takeAway(HostFixture fixture) throws IOException {
        Path named = fixture.data.resolve("cgroup");
        if (Files.exists(named)) {
            Cgroup above = new Cgroup(Path.of(Files.readString(named)));
            Cgroup outside = new Cgroup(Objects.requireNonNull(above.folder().getParent()));
            above.children().forEach(name -> above.child(name).processes().forEach(outside::take));
            above.remove();
            assertThat(above.folder()).doesNotExist();
        }
    }

    /** Escapes only once it has lived for a while, and so has a group if it can have one. */
    private HostedCommand started(HostFixture fixture, String script) throws Exception {
        HostedCommand command = fixture.sh(WHEN_TOLD + script.replace("NAP", nap));
        long pid = HostFixture.process(command).pid();
        String group = "/" + command.id().value();
        await().until(() -> !GROUPS || Cgroup.of(Long.toString(pid)).endsWith(group));
        Files.createFile(fixture.workdir.resolve("go"));
        return command;
    }

    private Optional<ProcessStat> asleep() {
        byte[] arguments = (nap.replace(' ', '\0') + "\0").getBytes(StandardCharsets.US_ASCII);
        return ProcessTable.read().processes().stream()
                .filter(process -> Arrays.equals(process.arguments(), arguments))
                .findFirst();
    }

    /** That process, once it is in a session of its own and the child of one that is older than the task. */
    private ProcessIdentity escaped(ProcessIdentity launcher) {
        return await().until(
                        () -> asleep().filter(process -> process.session() != launcher.pid())
                                .filter(process -> isOlder(process.parent(), launcher)),
                        Optional::isPresent)
                .orElseThrow()
                .identity();
    }

    private static boolean isOlder(long pid, ProcessIdentity launcher) {
        ProcessStat process = ProcessTable.stat(pid);
        return process != null && process.startTicks() < launcher.startTicks();
    }
}
