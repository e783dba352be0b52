package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.pty4j.PtyProcessBuilder;
import dev.holdfast.host.facts.InputWait;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.launch.LauncherStart;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.stop.StopLoop;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.kernel.Processes;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TerminalSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A real command under the real launcher, in a session of its own; what is under test here is what happens to its
 * processes. Nobody but {@link #close} reaps its launcher.
 */
public final class StartedTask implements AutoCloseable {
    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    public final TaskProcess process;
    public final Path folder;
    private final TaskFolder records;

    private StartedTask(TaskProcess process, Path folder, TaskFolder records) {
        this.process = process;
        this.folder = folder;
        this.records = records;
    }

    /** Without input: its stdin is at its end. */
    public static StartedTask of(Path folder, String... argv) {
        return withFiles(launch(folder, null, false, argv));
    }

    /** Its stdin is a FIFO that stays open. */
    public static StartedTask withInput(Path folder, String... argv) {
        return withFiles(launch(folder, null, true, argv));
    }

    private static StartedTask withFiles(Launch launch) {
        TaskFolder records = records(launch);
        CommandProcesses processes =
                new CommandProcesses(records, LauncherStart.withFiles(launch, records, null), null);
        boolean input = launch.command().acceptsInput();
        return identified(launch, records, processes, null, input ? records.in() : null);
    }

    public static StartedTask inTerminal(Path folder, String... argv) {
        Launch launch = launch(folder, TerminalSize.DEFAULT, true, argv);
        TaskFolder records = records(launch);
        Launcher.Plan plan = Launcher.plan(launch, records, null);
        Process shell = terminal(plan, folder);
        CommandProcesses processes =
                new CommandProcesses(records, stat(shell.pid()).identity(), null);
        await().until(() -> stat(shell.pid()).terminal() != 0);
        String device = InputWait.pseudoTerminal(stat(shell.pid()).terminal());
        return identified(launch, records, processes, Path.of(Objects.requireNonNull(device)), null);
    }

    private static Process terminal(Launcher.Plan plan, Path folder) {
        try {
            return new PtyProcessBuilder(plan.argv().toArray(String[]::new))
                    .setEnvironment(plan.environment())
                    .setDirectory(folder.toString())
                    .setInitialColumns(80)
                    .setInitialRows(24)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Launch launch(Path folder, @Nullable TerminalSize terminal, boolean input, String... argv) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("TERM", "xterm");
        CommandSpec command = PlainCommand.of(new Invocation.Program(List.of(argv)), folder, terminal, input);
        return new Launch(IDS.next(), command, environment, Instant.now(), "key", null);
    }

    private static TaskFolder records(Launch launch) {
        TaskFolder records = new TaskFolder(launch.command().workdir().resolve("task"));
        try {
            Files.createDirectory(records.path());
            Files.writeString(records.exit(), " ".repeat(64));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return records;
    }

    private static StartedTask identified(
            Launch launch,
            TaskFolder records,
            CommandProcesses processes,
            @Nullable Path terminal,
            @Nullable Path stdin) {
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> processes.command() != null || !ProcessTable.alive(processes.launcher()));
        TaskProcess process = new TaskProcess(
                launch.id(),
                processes.session(),
                processes.launcher(),
                processes.command(),
                terminal,
                stdin,
                List.of(records.output(StreamName.STDOUT)));
        return new StartedTask(process, launch.command().workdir(), records);
    }

    public ProcessIdentity launcher() {
        return Objects.requireNonNull(process.launcher());
    }

    public ProcessIdentity command() {
        return Objects.requireNonNull(process.command());
    }

    /** A process that is there, if only as a zombie. */
    public static ProcessStat stat(long pid) {
        return Objects.requireNonNull(ProcessTable.stat(pid), () -> "no process " + pid);
    }

    /** Waits until the command wrote a pid into this file of its folder. */
    public ProcessIdentity pidIn(String name) {
        Path file = folder.resolve(name);
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> Files.exists(file) && read(file).endsWith("\n"));
        return stat(Long.parseLong(read(file).strip())).identity();
    }

    /** Waits until the command made this file. */
    public void awaitFile(String name) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> Files.exists(folder.resolve(name)));
    }

    public void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The last line of what the launcher recorded. */
    public String exit() {
        return read(records.exit()).strip().lines().reduce("", (_, last) -> last);
    }

    public void signal(ProcessIdentity process, String signal) {
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
        await().until(() -> Processes.reap(launcher().pid()).isPresent()
                || ProcessTable.stat(launcher().pid()) == null);
    }
}
