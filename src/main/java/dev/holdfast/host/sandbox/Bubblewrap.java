package dev.holdfast.host.sandbox;

import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.launch.LauncherStart;
import dev.holdfast.host.launch.Preflight;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Processes;
import dev.holdfast.kernel.Spawn;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Walls by bubblewrap, bwrap(1): own process ids with an init of bubblewrap's, files by {@link Mounts}, no
 * capabilities, no network unless that is asked for. It lives on when the server dies. Thread-safe.
 */
public final class Bubblewrap {
    private static final String PROGRAM = "bwrap";
    /** Point into what is not there behind a wall. */
    private static final List<String> FOLDERS = List.of("TMPDIR", "XDG_RUNTIME_DIR");

    private static final Path NOTHING = Path.of("/dev/null");
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(10);
    private static final long LOOK_AGAIN_NANOS = 500_000;
    private static final int LONGEST_WORD = 500;
    /** What {@link Launcher} records then. */
    private static final int NOT_RUN = 126;

    private final Mounts mounts;
    /** What bubblewrap says while it is tried. */
    private final Path said;
    /** Where the program is looked for, folders with a colon between. */
    private final String path;
    /** Those that were seen to work. */
    private final Set<Sandbox> works = ConcurrentHashMap.newKeySet();

    /** @param workspace what commands may write behind the lower wall */
    public Bubblewrap(Path dataDir, Path workspace) {
        this.mounts = new Mounts(dataDir, workspace);
        this.said = dataDir.resolve("wall.said");
        this.path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/local/bin:/usr/bin:/bin");
    }

    /** @see dev.holdfast.runtime.port.CommandHost#requireWall */
    public void require(CommandSpec command) {
        Sandbox wall = command.sandbox();
        if (wall == null) {
            return;
        }
        if (mounts.hides(command.workdir())) {
            throw new Refusal(
                    ErrorKind.WORKDIR_NOT_FOUND,
                    "The working directory " + command.workdir() + " is not there behind a wall.",
                    "Pass one in the workspace, or one outside of /tmp, /run and the data folder.",
                    Map.of("workdir", command.workdir().toString()));
        }
        if (!works.contains(wall)) {
            probe(wall);
            works.add(wall);
        }
    }

    /** So a command ends for which no wall was made, after all: they are tried again before the next one. */
    public void ended(CommandSpec command, Exit exit) {
        if (command.sandbox() != null && exit.equals(new Exit.Code(NOT_RUN))) {
            works.remove(command.sandbox());
        }
    }

    /** Null for a command without a wall. */
    public Launcher.@Nullable Wall around(CommandSpec command, TaskFolder folder) {
        Sandbox wall = command.sandbox();
        if (wall == null) {
            return null;
        }
        Path stdin = command.acceptsInput() && !command.tty() ? folder.in() : null;
        Path shell = command.invocation() instanceof Invocation.ShellText text ? Path.of(text.shell()) : null;
        List<String> program = wall(wall, stdin, shell);
        FOLDERS.stream()
                .filter(name -> !command.envKeys().contains(name))
                .forEach(name -> program.addAll(List.of("--unsetenv", name)));
        program.addAll(List.of("--chdir", command.workdir().toString()));
        return new Launcher.Wall(wall, program);
    }

    private List<String> wall(Sandbox wall, @Nullable Path stdin, @Nullable Path shell) {
        List<String> program = new ArrayList<>(List.of(program().toString()));
        program.addAll(List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts"));
        if (!wall.network()) {
            program.add("--unshare-net");
        }
        program.addAll(List.of("--cap-drop", "ALL"));
        program.addAll(mounts.of(wall.files(), stdin, shell));
        return program;
    }

    private Path program() {
        return Stream.of(path.split(":", -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, PROGRAM).toAbsolutePath())
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElseThrow(() -> unavailable(
                        "bubblewrap (" + PROGRAM + ") is not in the PATH of the server",
                        "Install it (`apt-get install bubblewrap`, `dnf install bubblewrap`); the server need not be"
                                + " started again"));
    }

    private synchronized void probe(Sandbox wall) {
        List<String> program = wall(wall, null, null);
        program.addAll(List.of(Launcher.SHELL.toString(), "-c", ":"));
        try {
            int end = run(program);
            if (end != 0) {
                String words = words();
                throw broken(words.isEmpty() ? "it ended with " + end : words);
            }
        } catch (ErrnoException e) {
            throw Preflight.lack(e).orElseGet(() -> broken(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw broken(String.valueOf(e.getMessage()));
        } finally {
            said.toFile().delete(); // or it is written anew
        }
    }

    /**
     * Not by {@code ProcessBuilder}: where it gets no pipe it closes descriptors by numbers that were never set (JDK
     * 25.0.3, {@code forkAndExec}), and those are others': a jar's, or the database's.
     *
     * @return its exit code; of one that was killed, that of shells. What it said is in {@link #said}
     */
    private int run(List<String> program) {
        long pid = new Spawn()
                .open(0, NOTHING, Descriptor.READ, 0)
                .open(1, said, Descriptor.WRITE | Descriptor.CREATE | Descriptor.TRUNCATE, 0600)
                .open(2, said, Descriptor.WRITE | Descriptor.APPEND, 0)
                .start(Path.of(program.getFirst()), program, System.getenv());
        long deadline = System.nanoTime() + PROBE_LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            Optional<WaitStatus> end = Processes.reap(pid);
            if (end.isPresent()) {
                return ExitFile.shellCode(end.get());
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        LauncherStart.abandon(pid);
        throw broken("it did not end within " + PROBE_LIMIT.toSeconds() + " s");
    }

    private String words() throws IOException {
        try (InputStream in = Files.newInputStream(said)) {
            return new String(in.readNBytes(LONGEST_WORD), StandardCharsets.UTF_8).strip();
        }
    }

    private static Refusal broken(String why) {
        return unavailable(
                "bubblewrap is there but cannot make a wall here (" + why + ")",
                "Let this user make namespaces: `sysctl -w user.max_user_namespaces=15000"
                        + " kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0` (those that"
                        + " exist); in a container, start it with `--security-opt seccomp=unconfined --security-opt"
                        + " systempaths=unconfined`");
    }

    private static Refusal unavailable(String problem, String remedy) {
        return new Refusal(
                ErrorKind.SANDBOX_UNAVAILABLE,
                "No wall can be had: " + problem + ". Nothing was started.",
                remedy + ". Or ask for `sandbox`: `none`, where token and policy let you.");
    }
}
