package dev.holdfast.host.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.HostFixture;
import dev.holdfast.host.Python;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.Markers;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program whose first thread has ended shows as a zombie, and runs on in its other threads. */
@Timeout(180)
class FirstThreadTest {
    private static final String PROGRAM = """
            import ctypes, os, socket, sys, threading, time
            def rest():
                server = socket.create_server(('127.0.0.1', 0))
                with open('port.new', 'w') as file:
                    file.write(str(server.getsockname()[1]))
                os.rename('port.new', 'port')
                while not os.path.exists('go'):
                    time.sleep(0.02)
                print('end', flush=True)
                os._exit(5)
            threading.Thread(target=rest).start()
            ctypes.CDLL(None).pthread_exit(None)
            """;

    @TempDir
    Path folder;

    @AutoClose
    private HostFixture fixture;

    @BeforeEach
    void begin() throws Exception {
        fixture = new HostFixture(folder);
    }

    @Test
    void aSignalReachesItAndItIsNoStranger() throws Exception {
        HostedCommand command = start();
        command.signal(Signal.TERM);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGTERM"));
    }

    @Test
    void aKillReachesItThoughItLeftTheSession() throws Exception {
        HostedCommand command = fixture.program("setsid", Python.PATH, "-c", PROGRAM);
        awaitFirstThreadEnded(command);
        command.signal(Signal.KILL);
        assertThat(HostFixture.end(command)).isEqualTo(new Exit.Signalled("SIGKILL"));
    }

    @Test
    void itIsAdoptedAndItsExitSeenWhenItsLauncherIsKilled() throws Exception {
        HostedCommand before = start();
        HostFixture.kill(fixture.launcher(before));
        await().until(() -> !ProcessTable.alive(fixture.launcher(before)));
        assertThat(fixture.host.folder(before.id()).orElseThrow()).isInstanceOf(Folder.Running.class);
        HostedCommand after = fixture.adoptedByAnother(before.id());
        await().during(Duration.ofMillis(200)).until(() -> !after.exit().isDone());
        Files.createFile(fixture.workdir.resolve("go"));
        assertThat(HostFixture.end(after)).isIn(new Exit.Code(5), new Exit.Unseen(false));
        assertThat(fixture.out(after)).isEqualTo("end\n");
    }

    @Test
    void itIsFoundByItsMarkerAndStopped() {
        try (StartedTask task = StartedTask.of(
                fixture.workdir, "bash", "-c", "setsid \"$0\" -c \"$1\" & exec sleep 300", Python.PATH, PROGRAM)) {
            task.awaitFile("port");
            Lineage lineage = new Lineage();
            await().until(() -> lineage.look(task.process).processes().stream().anyMatch(p -> p.state() == 'Z'));
            ProcessStat escaped = lineage.look(task.process).processes().stream()
                    .filter(process -> process.state() == 'Z')
                    .findFirst()
                    .orElseThrow();
            assertThat(new Markers().in(ProcessTable.read()).get(task.process.id()))
                    .extracting(ProcessStat::identity)
                    .contains(escaped.identity());
            assertThat(new StopLoop(lineage).stop(task.process, Duration.ofSeconds(5)))
                    .isEmpty();
            assertThat(ProcessTable.alive(escaped.identity())).isFalse();
        }
    }

    @Test
    void itsPortAndMemoryAreTold() throws Exception {
        try (StartedTask task = StartedTask.of(fixture.workdir, Python.PATH, "-c", PROGRAM)) {
            task.awaitFile("port");
            await().until(() -> StartedTask.stat(task.command().pid()).state() == 'Z');
            var facts = new CommandFacts(new Lineage(), java.time.InstantSource.system()).of(task.process);
            assertThat(facts.ports())
                    .containsExactly(Integer.valueOf(Files.readString(fixture.workdir.resolve("port"))));
            assertThat(facts.processes()).singleElement().satisfies(process -> {
                assertThat(process.arguments()).contains(PROGRAM);
                assertThat(process.memoryBytes()).isPositive();
            });
        }
    }

    private HostedCommand start() {
        HostedCommand command = fixture.program(Python.PATH, "-c", PROGRAM);
        awaitFirstThreadEnded(command);
        return command;
    }

    private void awaitFirstThreadEnded(HostedCommand command) {
        ProcessIdentity process = HostFixture.process(command);
        await().until(() -> Files.exists(fixture.workdir.resolve("port"))
                && StartedTask.stat(process.pid()).state() == 'Z');
    }
}
