package dev.holdfast.host.terminal;

import static org.awaitility.Awaitility.await;

import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TerminalSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** A data folder with a real keeper, and what tests do with its terminals. */
final class TerminalBench implements AutoCloseable {
    static final Duration LIMIT = Duration.ofMinutes(1);

    private static final TaskIds IDS = new TaskIds(InstantSource.system(), RandomGenerator.getDefault());

    final Path dataDir;
    final Duration idle;
    final KernelEvents events = new KernelEvents();
    KeeperTerminalHost host;

    TerminalBench(Path dataDir, Duration idle) {
        this.dataDir = dataDir;
        this.idle = idle;
        this.host = server();
    }

    KeeperTerminalHost server() {
        return new KeeperTerminalHost(dataDir, idle, events, this::read);
    }

    private OutputStore.Slice read(TaskId id, long from, int maxBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(maxBytes);
        try (FileChannel file = FileChannel.open(out(id))) {
            file.read(bytes, from);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] read = Arrays.copyOf(bytes.array(), bytes.position());
        return new OutputStore.Slice(read, from, from + read.length, List.of());
    }

    /** As when the server was killed and another one is started. */
    void replaceServer() {
        host.close();
        host = server();
    }

    TaskId start(String script) {
        return start(script, TerminalSize.DEFAULT, Path.of("/"), Map.of());
    }

    TaskId start(KeeperTerminalHost server, String script) {
        return start(server, script, TerminalSize.DEFAULT, Path.of("/"), Map.of());
    }

    TaskId start(String script, TerminalSize size, Path workdir, Map<String, String> environment) {
        return start(host, script, size, workdir, environment);
    }

    private TaskId start(
            KeeperTerminalHost server,
            String script,
            TerminalSize size,
            Path workdir,
            Map<String, String> environment) {
        Launch launch = launch(script, size, workdir, environment);
        server.start(launch, folder(launch).path(), List.of("/bin/sh", "-c", script));
        return launch.id();
    }

    TaskFolder folder(Launch launch) {
        TaskFolder folder = TaskFolder.of(dataDir, launch.id());
        try {
            Files.createDirectories(folder.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder;
    }

    static Launch launch(String script, TerminalSize size, Path workdir, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(Map.of("PATH", "/usr/bin:/bin", "TERM", "xterm", "LC_ALL", "C.UTF-8"));
        all.putAll(environment);
        CommandSpec command = PlainCommand.of(new Invocation.ShellText(script, "/bin/sh", false), workdir, size, true);
        return new Launch(IDS.next(), command, all, Instant.now(), "key", null);
    }

    int type(TaskId id, String text) {
        return host.write(id, text.getBytes(StandardCharsets.UTF_8), false, LIMIT);
    }

    Path out(TaskId id) {
        return TaskFolder.of(dataDir, id).output(StreamName.STDOUT);
    }

    String printed(TaskId id) {
        try {
            return Files.readString(out(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitPrinted(TaskId id, String text) {
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> printed(id).contains(text));
    }

    /** It is on the screen too, which the keeper draws after it wrote the file. */
    void awaitDrawn(TaskId id, String text) {
        awaitPrinted(id, text);
        host.drained(id);
    }

    void awaitClosed(TaskId id) {
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(2)).until(() -> !holds(id));
    }

    long keeperPid() {
        return keepers().findFirst().orElseThrow().pid();
    }

    /** Whether a keeper lives and holds this task's terminal. */
    boolean holds(TaskId id) {
        return host.keepers.holding(id) != null;
    }

    KeeperLink link(TaskId id) {
        return Objects.requireNonNull(host.keepers.holding(id));
    }

    /** What a keeper runs from, by its arguments. */
    Path installation(long keeper) {
        String[] arguments = ProcessHandle.of(keeper)
                .flatMap(process -> process.info().arguments())
                .orElseThrow();
        return Path.of(arguments[arguments.length - 2]);
    }

    /** Where it serves. */
    Path socket(Path installation) {
        return dataDir.resolve("keeper/" + Protocol.name(installation) + Protocol.SOCKET);
    }

    private Stream<ProcessHandle> keepers() {
        String folder = dataDir.resolve("keeper").toString();
        return ProcessHandle.allProcesses()
                .filter(process -> List.of(process.info().arguments().orElse(new String[0]))
                        .contains(folder));
    }

    @Override
    public void close() {
        host.close();
        keepers().forEach(keeper -> {
            keeper.destroyForcibly();
            await().atMost(LIMIT).until(() -> !keeper.isAlive());
        });
        events.close();
    }

    /** Gathers what a terminal prints, and notices every gap and repeat. */
    static final class Recorder implements TerminalListener {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private long first = -1;
        private boolean broken;
        private boolean closed;

        @Override
        public synchronized void onOutput(long from, byte[] more) {
            if (first < 0) {
                first = from;
            }
            broken |= from != first + bytes.size() || closed;
            bytes.writeBytes(more);
        }

        @Override
        public synchronized void onClose() {
            broken |= closed;
            closed = true;
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }

        synchronized byte[] bytes() {
            return bytes.toByteArray();
        }

        synchronized long first() {
            return first;
        }

        synchronized boolean whole() {
            return !broken;
        }

        synchronized boolean closed() {
            return closed;
        }
    }
}
