package dev.holdfast.host.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.host.Python;
import dev.holdfast.host.StartedTask;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.kernel.TcpListeners;
import dev.holdfast.runtime.port.HostedCommand.LiveProcess;
import dev.holdfast.runtime.port.HostedCommand.MainProcess;
import dev.holdfast.runtime.port.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class CommandFactsTest {
    private final CommandFacts facts = new CommandFacts(new Lineage(), InstantSource.system());

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec cat",
                "read x",
                "read x </dev/tty",
                "cat | wc",
                "exec bash --norc -i",
                "exec PYTHON -q",
                "exec PYTHON -c 'input()'",
                "exec PYTHON -c 'import select; p = select.poll(); p.register(0, 1); p.poll()'",
                "exec PYTHON -c 'import select; p = select.epoll(); p.register(0, 1); p.poll()'",
                "exec PYTHON -c 'import threading as t; t.Thread(target=input).start()'",
            })
    void aTerminalThatIsReadWaitsForInput(String script) {
        try (StartedTask task = StartedTask.inTerminal(folder, "bash", "-c", script.replace("PYTHON", Python.PATH))) {
            awaitWaiting(task, Waiting.INPUT);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec cat",
                "read x",
                "while read x; do :; done",
                "(read x)",
                "exec PYTHON -c 'input()'",
                "exec PYTHON -c 'import select; select.select([0], [], [])'",
                "exec PYTHON -c 'import select; p = select.epoll(); p.register(0, 1); p.poll()'",
                "exec PYTHON -c 'import threading as t; t.Thread(target=input).start()'",
            })
    void aStdinThatIsReadWaitsForInput(String script) {
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", script.replace("PYTHON", Python.PATH))) {
            awaitWaiting(task, Waiting.INPUT);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec sleep 300",
                "sleep 300; :",
                "x=$(sleep 300)",
                "sleep 300 | cat",
                "mkfifo other; exec cat other",
                "exec PYTHON -m http.server 0",
                "printf 'all:\\n\\tsleep 300\\n' >Makefile; exec make 2>/dev/null || exec sleep 300",
                "exec PYTHON -c 'import time; time.sleep(300)'",
                "exec PYTHON -c 'import socket, select; s = socket.create_server((\"\", 0)); select.select([0, s], [], [])'",
            })
    void whatReadsSomethingElseIsIdle(String script) {
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", script.replace("PYTHON", Python.PATH))) {
            awaitWaiting(task, Waiting.IDLE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec sleep 300",
                "sleep 300; :",
                "exec PYTHON -m http.server 0",
                "sleep 300 | cat",
                "set -m; cat & exec sleep 300",
                "set -m; PYTHON -c 'import select; select.select([0], [], [])' & exec sleep 300",
                "exec PYTHON -c 'import socket, select; s = socket.create_server((\"\", 0)); select.select([0, s], [], [])'",
            })
    void aTerminalThatNobodyInItsForegroundReadsIsIdle(String script) {
        try (StartedTask task = StartedTask.inTerminal(folder, "bash", "-c", script.replace("PYTHON", Python.PATH))) {
            awaitWaiting(task, Waiting.IDLE);
        }
    }

    @Test
    void severalAtOnceAreEachAsTheyAreAlone() throws IOException {
        try (StartedTask reads =
                        StartedTask.inTerminal(Files.createDirectory(folder.resolve("a")), "bash", "-c", "read x");
                StartedTask works = StartedTask.of(
                        Files.createDirectory(folder.resolve("b")), "bash", "-c", "while :; do :; done");
                StartedTask sleeps = StartedTask.of(
                        Files.createDirectory(folder.resolve("c")), "bash", "-c", "sleep 60 & sleep 61")) {
            List<StartedTask> tasks = List.of(reads, works, sleeps);
            List<Waiting> waiting = List.of(Waiting.INPUT, Waiting.BUSY, Waiting.IDLE);
            for (int i = 0; i < tasks.size(); i++) {
                awaitWaiting(tasks.get(i), waiting.get(i));
            }
            Map<TaskId, ProcessFacts> seen =
                    facts.of(tasks.stream().map(task -> task.process).toList());
            for (int i = 0; i < tasks.size(); i++) {
                TaskProcess process = tasks.get(i).process;
                ProcessFacts alone = facts.of(process);
                assertThat(seen.get(process.id()).waiting()).isEqualTo(waiting.get(i));
                assertThat(seen.get(process.id()).main()).isEqualTo(alone.main());
                assertThat(seen.get(process.id()).processes())
                        .extracting(LiveProcess::pid)
                        .isEqualTo(
                                alone.processes().stream().map(LiveProcess::pid).toList());
            }
            assertThat(seen).hasSize(3);
        }
    }

    @Test
    void whatComputesIsBusy() {
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", "while :; do :; done")) {
            awaitWaiting(task, Waiting.BUSY);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            v4           | 127.0.0.1 | exec PYTHON serve
            v6           | ::1       | exec PYTHON serve
            of a child   | 127.0.0.1 | PYTHON serve; :
            of a leaver  | 127.0.0.1 | setsid PYTHON serve & exec sleep 300
            """)
    void tellsThePortsOfItsProcesses(String name, String address, String script) throws Exception {
        int port = freePort(address);
        String server =
                "import socket, time; f = socket.AF_INET6 if ':' in '%1$s' else socket.AF_INET; s = socket.create_server(('%1$s', %2$d), family=f); time.sleep(300)"
                        .formatted(address, port);
        String command = script.replace("serve", "-c \"" + server + "\"");
        try (StartedTask task = StartedTask.of(folder, "bash", "-c", command.replace("PYTHON", Python.PATH))) {
            await().until(() -> facts.listensOn(task.process, port));
            assertThat(facts.of(task.process).ports()).as(name).containsExactly(port);
        }
    }

    @Test
    void theSlowTableSaysTheSame() throws Exception {
        try (ServerSocket own = new ServerSocket(0)) {
            TcpListeners.portsByInode().orElseThrow().forEach((inode, port) -> {
                if (port == own.getLocalPort()) {
                    assertThat(ListeningPorts.table("/proc/self")).containsEntry(inode, port);
                }
            });
        }
    }

    @Test
    void aForeignPortIsNotItsOwn() throws Exception {
        try (ServerSocket foreign = new ServerSocket(0);
                StartedTask task = StartedTask.of(folder, "sleep", "300")) {
            assertThat(facts.listensOn(task.process, foreign.getLocalPort())).isFalse();
            assertThat(facts.of(task.process).ports()).isEmpty();
        }
    }

    @Test
    void tellsWhatLives() {
        Instant before = Instant.now();
        String script = "exec -a 'odd name' bash -c 'sleep 300; :' " + "x".repeat(5000);
        try (StartedTask task = StartedTask.withInput(folder, "bash", "-c", script.replace("PYTHON", Python.PATH))) {
            ProcessFacts seen = await().until(
                            () -> facts.of(task.process),
                            found -> found.processes().size() == 2
                                    && found.processes().getLast().arguments().equals(List.of("sleep", "300")));
            long command = task.command().pid();
            MainProcess own = Objects.requireNonNull(seen.main());
            assertThat(own.pid()).isEqualTo(command);
            assertThat(own.startedAt())
                    .isBetween(before.minusMillis(100), Instant.now().plusMillis(100));
            LiveProcess main = seen.processes().getFirst();
            assertThat(main.name()).isEqualTo("bash");
            assertThat(main.arguments())
                    .startsWith("odd name", "-c", "sleep 300; :")
                    .hasSize(4);
            assertThat(String.join(" ", main.arguments())).hasSizeLessThanOrEqualTo(4096);
            assertThat(main.memoryBytes()).isGreaterThan(100_000);
            LiveProcess child = seen.processes().getLast();
            assertThat(child.parent()).isEqualTo(command);
            assertThat(child.cpuTime()).isLessThan(Duration.ofSeconds(1));
        }
    }

    @Test
    void afterTheEndNothingIsLeft() {
        try (StartedTask task = StartedTask.withInput(folder, "true")) {
            await().until(() -> !ProcessTable.alive(task.launcher()));
            ProcessFacts seen = facts.of(task.process);
            assertThat(seen.main()).isNull();
            assertThat(seen.processes()).isEqualTo(List.of());
            assertThat(seen.waiting()).isEqualTo(Waiting.IDLE);
        }
    }

    /** True for good, not only in passing: it is looked at again. */
    private void awaitWaiting(StartedTask task, Waiting expected) {
        await().pollInterval(Duration.ofMillis(50))
                .during(Duration.ofMillis(400))
                .untilAsserted(
                        () -> assertThat(facts.of(task.process).waiting()).isEqualTo(expected));
    }

    private static int freePort(String address) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            return socket.getLocalPort();
        }
    }
}
