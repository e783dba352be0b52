package dev.holdfast.host.launch;

import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Processes;
import dev.holdfast.kernel.Spawn;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.StreamName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Starts launchers: as children of this process, or through the keeper in a terminal. */
public final class LauncherStart {
    private static final Path NOTHING = Path.of("/dev/null");
    private static final int APPEND = Descriptor.WRITE | Descriptor.CREATE | Descriptor.APPEND;
    private static final int MODE = 0600;
    private static final int IN = 4;
    private static final int EOF = 5;
    private static final int RC = 8;
    private static final int BOTH_ENDS = 9;
    private static final Duration TERMINAL_LIMIT = Duration.ofSeconds(5);
    private static final Duration ABANDON_LIMIT = Duration.ofMillis(200);
    private static final long LOOK_AGAIN_NANOS = 500_000;

    private LauncherStart() {}

    /**
     * @param wall null for none
     * @throws dev.holdfast.kernel.ErrnoException nothing runs
     */
    public static ProcessIdentity withFiles(Launch launch, TaskFolder folder, Launcher.@Nullable Wall wall) {
        boolean input = launch.command().acceptsInput();
        if (input) {
            InputPipe.make(folder);
        }
        Launcher.Plan plan = Launcher.plan(launch, folder, wall);
        Spawn spawn = new Spawn()
                .workdir(launch.command().workdir())
                .open(0, NOTHING, Descriptor.READ, 0)
                .open(1, folder.output(StreamName.STDOUT), APPEND, MODE)
                .open(2, NOTHING, Descriptor.WRITE, 0)
                .open(3, folder.output(StreamName.STDERR), APPEND, MODE)
                .open(RC, folder.exit(), Descriptor.READ_WRITE, 0);
        if (input) {
            // A FIFO can be opened for writing alone only while somebody has it open for reading.
            spawn.open(BOTH_ENDS, folder.in(), Descriptor.READ_WRITE, 0)
                    .open(IN, folder.in(), Descriptor.WRITE, 0)
                    .close(BOTH_ENDS)
                    .open(EOF, folder.eof(), Descriptor.READ_WRITE, 0);
        }
        long pid = spawn.start(Launcher.SHELL, plan.argv(), plan.environment());
        try {
            // A child that is not reaped keeps its pid, also when it has ended already.
            ProcessStat stat = ProcessTable.stat(pid);
            if (stat == null) {
                throw unwatchable("it is not in /proc");
            }
            PidFile.append(folder.pid(), stat.identity());
            return stat.identity();
        } catch (RuntimeException | Error failure) {
            abandon(pid);
            throw failure;
        }
    }

    /** @param wall null for none */
    public static ProcessIdentity inTerminal(
            Launch launch, TaskFolder folder, Launcher.@Nullable Wall wall, TerminalHost terminals) {
        Launcher.Plan plan = Launcher.plan(launch, folder, wall);
        terminals.start(launch.withEnvironment(plan.environment()), folder.path(), plan.argv());
        long deadline = System.nanoTime() + TERMINAL_LIMIT.toNanos();
        RuntimeException why = Preflight.failed(
                "The terminal was opened but its launcher did not start within " + TERMINAL_LIMIT.toSeconds() + " s",
                "Try again; when it repeats, the server's log and its keeper's say why.");
        while (System.nanoTime() - deadline < 0) {
            try {
                boolean over = ExitFile.read(folder.exit()).isPresent();
                ProcessIdentity launcher = PidFile.read(folder.pid()).launcher();
                if (launcher != null) {
                    return launcher;
                }
                if (over) {
                    throw Preflight.noRoom(folder.pid() + " cannot be written");
                }
            } catch (ErrnoException exhausted) { // for a moment, as a rule: what runs is not ended for that
                why = exhausted;
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        throw why;
    }

    /** Ends what was just started, since it cannot be watched: out of descriptors, as a rule. Needs none itself. */
    public static void abandon(long launcher) {
        Processes.signalGroup(launcher, Signal.KILL.number());
        long deadline = System.nanoTime() + ABANDON_LIMIT.toNanos();
        while (Processes.reap(launcher).isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** What its caller is told of one that was abandoned. */
    public static Refusal unwatchable(String why) {
        return Preflight.failed(
                "The process that was started cannot be watched, and was ended: " + why,
                "Try again; when it repeats, the server has too few file descriptors or threads, or no /proc.");
    }
}
