package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.pty4j.PtyProcessBuilder;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A real command under a launcher of its own session, with the marker in its environment, as the host starts them; what
 * is under test here is what happens to its processes.
 */
final class StartedTask implements AutoCloseable {
    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    private static final String LAUNCHER = """
            trap : HUP INT QUIT TERM USR1 USR2
            read -r s </proc/self/stat; echo "$s" >"$D/pid"
            if [ -p "$D/in" ]; then
              (trap '' HUP INT QUIT TERM; exec 8<>"$D/in"; read -r end <>"$D/eof") </dev/null >/dev/null 2>&1 &
              (read -r s </proc/self/stat; echo "$s" >>"$D/pid"; exec "$@" <"$D/in")
            else
              (read -r s </proc/self/stat; echo "$s" >>"$D/pid"; exec "$@")
            fi
            echo "exit $?" >"$D/rc"
            if [ -p "$D/in" ]; then echo >"$D/eof"; fi
            """;

    final TaskProcess process;
    final Path folder;
    private final Process launcher;

    private StartedTask(TaskProcess process, Path folder, Process launcher) {
        this.process = process;
        this.folder = folder;
        this.launcher = launcher;
    }

    /** Without input: its stdin is at its end. */
    static StartedTask of(Path folder, String... argv) {
        return start(folder, false, false, argv);
    }

    /** Its stdin is a FIFO that stays open. */
    static StartedTask withInput(Path folder, String... argv) {
        return start(folder, true, false, argv);
    }

    static StartedTask inTerminal(Path folder, String... argv) {
        return start(folder, false, true, argv);
    }

    private static StartedTask start(Path folder, boolean input, boolean terminal, String... argv) {
        try {
            TaskId id = IDS.next();
            if (input) {
                run(
                        "mkfifo",
                        folder.resolve("in").toString(),
                        folder.resolve("eof").toString());
            }
            Map<String, String> environment = new HashMap<>(System.getenv());
            environment.put("HOLDFAST_TASK", id.value());
            environment.put("D", folder.toString());
            environment.put("TERM", "xterm");
            List<String> command = new ArrayList<>(List.of("sh", "-c", LAUNCHER, "launcher"));
            command.addAll(List.of(argv));
            Process launcher =
                    terminal ? inTerminal(command, environment, folder) : detached(command, environment, folder);
            return new StartedTask(identify(id, folder, input, terminal), folder, launcher);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process detached(List<String> command, Map<String, String> environment, Path folder)
            throws IOException {
        command.addFirst("setsid");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static Process inTerminal(List<String> command, Map<String, String> environment, Path folder)
            throws IOException {
        return new PtyProcessBuilder(command.toArray(String[]::new))
                .setEnvironment(environment)
                .setDirectory(folder.toString())
                .setInitialColumns(80)
                .setInitialRows(24)
                .start();
    }

    private static TaskProcess identify(TaskId id, Path folder, boolean input, boolean terminal) {
        Path pid = folder.resolve("pid");
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> Files.exists(pid) && read(pid).lines().count() == 2);
        ProcessStat leader = parse(read(pid).lines().findFirst().orElseThrow());
        ProcessStat own = parse(read(pid).lines().skip(1).findFirst().orElseThrow());
        String device = InputWait.pseudoTerminal(leader.terminal());
        return new TaskProcess(
                id,
                leader.session(),
                leader.identity(),
                own.identity(),
                terminal && device != null ? Path.of(device) : null,
                input ? folder.resolve("in") : null);
    }

    private static ProcessStat parse(String line) {
        byte[] bytes = line.strip().getBytes(StandardCharsets.UTF_8);
        return Objects.requireNonNull(ProcessStat.parse(bytes, bytes.length), line);
    }

    ProcessIdentity launcher() {
        return Objects.requireNonNull(process.launcher());
    }

    ProcessIdentity command() {
        return Objects.requireNonNull(process.command());
    }

    /** A process that is there, if only as a zombie. */
    static ProcessStat stat(long pid) {
        return Objects.requireNonNull(ProcessTable.stat(pid), () -> "no process " + pid);
    }

    /** Waits until the command wrote a pid into this file of its folder. */
    ProcessIdentity pidIn(String name) {
        Path file = folder.resolve(name);
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> Files.exists(file) && read(file).endsWith("\n"));
        return stat(Long.parseLong(read(file).strip())).identity();
    }

    /** Waits until the command made this file. */
    void awaitFile(String name) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> Files.exists(folder.resolve(name)));
    }

    void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the launcher recorded, null before. */
    @Nullable
    String exit() {
        Path rc = folder.resolve("rc");
        return Files.exists(rc) ? read(rc).strip() : null;
    }

    void signal(ProcessIdentity process, String signal) {
        try {
            run("kill", "-" + signal, Long.toString(process.pid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(String... argv) throws IOException {
        Process process = new ProcessBuilder(argv).inheritIO().start();
        assertThat(process.onExit().join().exitValue()).isZero();
    }

    @Override
    public void close() {
        new StopLoop(new Lineage()).stop(process, Duration.ZERO);
        launcher.destroyForcibly();
    }
}
