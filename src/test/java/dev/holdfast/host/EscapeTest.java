package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.kernel.ProcessBirths;
import dev.holdfast.runtime.HostedCommand;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A command that drops its session, its environment and its parent at once, before anybody has looked. Where the kernel
 * does not tell of births there is nothing to see here.
 */
@Timeout(60)
class EscapeTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final boolean KERNEL_TELLS = kernelTells();
    /** No other process sleeps that long. */
    private final String nap = "sleep " + ThreadLocalRandom.current().nextInt(100_000_000, 200_000_000);

    private final Lineage lineage = new Lineage();
    private final StopLoop stops = new StopLoop(lineage);

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path folder;

    @AfterEach
    void end() {
        lineage.close();
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
    void isGoneAfterAStop(String script) throws IOException {
        for (int round = 0; KERNEL_TELLS && round < 10; round++) {
            Path own = Files.createDirectory(folder.resolve("round" + round));
            try (Ancestry.Attention _ = lineage.expect();
                    StartedTask task = StartedTask.of(own, "sh", "-c", script.replace("NAP", nap))) {
                ProcessIdentity escaped = escaped(task.launcher());
                assertThat(stops.stop(task.process, SHORT)).isEmpty();
                assertGone(escaped);
            }
        }
    }

    @Test
    void isGoneFromATerminalToo() {
        String script = "env -i setsid sh -c '(exec %s) & exit' & exec sleep 300".formatted(nap);
        try (Ancestry.Attention _ = lineage.expect();
                StartedTask task = StartedTask.inTerminal(folder, "sh", "-c", script)) {
            ProcessIdentity escaped = escaped(task.launcher());
            assertThat(stops.stop(task.process, SHORT)).isEmpty();
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(KERNEL_TELLS);
            kill(escaped);
        }
    }

    /** As {@code on_exit: stop} does it; in between nobody pays attention. */
    @Test
    void isGoneWhenItsCommandEndedFirst() throws Exception {
        try (HostFixture fixture = new HostFixture(folder)) {
            HostedCommand command = fixture.sh("env -i setsid sh -c '(exec %s) & exit' & exit 3".formatted(nap));
            ProcessIdentity escaped = escaped(fixture.launcher(command));
            HostFixture.end(command);
            command.stop(Duration.ZERO);
            new StopLoop(fixture.lineage).stop(fixture.stopped.getLast(), Duration.ZERO);
            assertThat(ProcessTable.alive(escaped)).isNotEqualTo(KERNEL_TELLS);
            kill(escaped);
        }
    }

    /** Nobody saw the birth of what a server that starts again finds; it escapes from there. */
    @Test
    void isGoneWhenItLeavesAnAdoptedCommand() throws Exception {
        try (HostFixture fixture = new HostFixture(folder);
                Lineage another = new Lineage()) {
            HostedCommand command = fixture.sh(
                    "until [ -e go ]; do sleep 0.05; done; env -i setsid sh -c '(exec %s) & exit' & exec sleep 300"
                            .formatted(nap));
            ProcessIdentity launcher = fixture.launcher(command);
            ProcessIdentity known = HostFixture.process(command);
            TaskProcess task = new TaskProcess(command.id(), launcher.pid(), launcher, known, null, null);
            try (Ancestry.Attention _ = another.expect()) {
                Files.createFile(fixture.workdir.resolve("go"));
                ProcessIdentity escaped = escaped(launcher);
                assertThat(new StopLoop(another).stop(task, SHORT)).isEmpty();
                assertThat(ProcessTable.alive(escaped)).isNotEqualTo(KERNEL_TELLS);
                kill(escaped);
            }
        }
    }

    @Test
    void isAskedToLeaveFirst() throws IOException {
        String script = "env -i setsid sh -c '(trap \"echo >obeyed; exit\" TERM; echo $$ >ready;"
                + " while :; do %s & wait; done) & exit' & exec sleep 300";
        try (Ancestry.Attention _ = lineage.expect();
                StartedTask task = StartedTask.of(folder, "sh", "-c", script.formatted(nap))) {
            task.awaitFile("ready");
            ProcessIdentity asleep = StartedTask.stat(child()).identity();
            assertThat(stops.stop(task.process, Duration.ofSeconds(10))).isEmpty();
            assertThat(Files.exists(folder.resolve("obeyed"))).isEqualTo(KERNEL_TELLS);
            kill(asleep);
        }
    }

    /** The process that sleeps. */
    private long child() {
        return await().until(this::asleep, Optional::isPresent).orElseThrow().pid();
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

    /** Where it was not found. */
    private static void kill(ProcessIdentity process) {
        if (ProcessTable.alive(process)) {
            HostFixture.kill(process);
        }
    }

    private static void assertGone(ProcessIdentity process) {
        assertThat(ProcessTable.alive(process)).as("%s lives", process).isFalse();
    }

    static boolean kernelTells() {
        Optional<ProcessBirths> births = ProcessBirths.open();
        births.ifPresent(ProcessBirths::close);
        return births.isPresent();
    }
}
