package dev.holdfast.runtime.start;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes of what a caller asks for what is launched: the real working directory and the shell looked up, with its
 * environment and an id of its own. Reads the file system; thread-safe.
 */
@Singleton
public final class Launches {
    private static final List<String> DEFAULT_SHELLS = List.of("bash", "zsh", "sh");

    private final Path workspace;
    private final CommandEnvironment environment;
    private final Fingerprint fingerprint;
    private final TaskIds ids;
    private final InstantSource clock;

    public Launches(
            HoldfastConfig config,
            CommandEnvironment environment,
            Fingerprint fingerprint,
            TaskIds ids,
            InstantSource clock) {
        this.workspace = config.workspace().orElse(Path.of("")).toAbsolutePath();
        this.environment = environment;
        this.fingerprint = fingerprint;
        this.ids = ids;
        this.clock = clock;
    }

    /**
     * A command that was looked up, to be started.
     *
     * @param request from which it was looked up
     */
    Launch of(
            TaskId id,
            CommandSpec command,
            StartRequest request,
            Launch.@Nullable Idempotency idempotency,
            Actor actor) {
        return new Launch(
                id,
                command,
                environment.of(request),
                clock.instant(),
                digest(command, request),
                idempotency,
                actor.name(),
                request.endsWithCaller(),
                null);
    }

    TaskId nextId() {
        return ids.next();
    }

    /** What makes it the same as another one. */
    String digest(CommandSpec command, StartRequest request) {
        return fingerprint.of(comparable(command), request.env());
    }

    /**
     * The command as it will run, without a wall.
     *
     * @throws Refusal {@code workdir_not_found}, or {@code command_spawn_failed} for a shell that is not there
     */
    CommandSpec command(StartRequest request, Actor actor) {
        Path workdir = workdir(request.workdir());
        return new CommandSpec(
                invocation(request.what()),
                workdir,
                request.terminal(),
                request.acceptsInput(),
                List.copyOf(new TreeSet<>(request.env().keySet())),
                request.timeout(),
                request.idleTimeout(),
                request.onExit(),
                actor.labelled(request.labels()),
                null,
                actor.owner());
    }

    /**
     * The same for every way to name the same shell: by the real path of its folder. Its own name stays, since a shell
     * goes by the name that it is called by.
     */
    private CommandSpec comparable(CommandSpec command) {
        if (!(command.invocation() instanceof Invocation.ShellText(String cmd, String shell, boolean login))) {
            return command;
        }
        try {
            Path path = workspace.resolve(shell);
            Path real = path.resolveSibling("").toRealPath().resolve(path.getFileName());
            return command.withInvocation(new Invocation.ShellText(cmd, real.toString(), login));
        } catch (IOException gone) {
            return command; // the start will say so
        }
    }

    /**
     * The real path of a working directory.
     *
     * @param wanted relative to the workspace; null: the workspace
     * @throws Refusal {@code workdir_not_found}
     */
    public Path workdir(@Nullable String wanted) {
        Path path = workspace;
        try {
            if (wanted != null) {
                path = workspace.resolve(wanted);
            }
            Path real = path.toRealPath();
            if (!real.equals(Path.of(real.toString()))) {
                throw new Refusal(
                        ErrorKind.WORKDIR_NOT_FOUND,
                        "The working directory " + path + " cannot be used: its real path " + real + " is not UTF-8.",
                        "Rename the directory of that name, or name another.",
                        Map.of("workdir", path.toString()));
            }
            if (Files.isDirectory(real)) {
                return real;
            }
            throw noWorkdir(path, "is not a directory");
        } catch (IOException | InvalidPathException notThere) {
            throw noWorkdir(path, Files.exists(path) ? "cannot be entered" : "does not exist");
        }
    }

    private Refusal noWorkdir(Path path, String problem) {
        return new Refusal(
                ErrorKind.WORKDIR_NOT_FOUND,
                "The working directory " + path + " " + problem + ".",
                "Name a directory that exists; a relative one starts from the workspace " + workspace + ".",
                Map.of("workdir", path.toString()));
    }

    private Invocation invocation(StartRequest.What what) {
        return switch (what) {
            case StartRequest.What.Program program -> new Invocation.Program(program.argv());
            case StartRequest.What.ShellText text ->
                new Invocation.ShellText(text.cmd(), shell(text.shell()), text.login());
        };
    }

    private String shell(@Nullable String wanted) {
        if (wanted != null) {
            return find(wanted)
                    .orElseThrow(() -> new Refusal(
                            ErrorKind.COMMAND_SPAWN_FAILED,
                            "The shell `" + wanted + "` is not there, or cannot be run.",
                            "Leave `shell` out for the default, or name one that is installed, such as bash or sh.",
                            Map.of("shell", wanted)));
        }
        String own = environment.ofServer("SHELL");
        if (own != null
                && DEFAULT_SHELLS.contains(Path.of(own).getFileName().toString())
                && Files.isExecutable(Path.of(own))) {
            return own;
        }
        return find("bash").orElse("/bin/sh");
    }

    private Optional<String> find(String nameOrPath) {
        String folders = Objects.requireNonNullElse(environment.ofServer("PATH"), "/usr/local/bin:/usr/bin:/bin");
        Stream<Path> candidates = nameOrPath.contains("/")
                ? Stream.of(workspace.resolve(nameOrPath))
                : Stream.of(folders.split(":", -1))
                        .map(folder -> Path.of(folder.isEmpty() ? "." : folder, nameOrPath)
                                .toAbsolutePath());
        return candidates
                .filter(path -> Files.isRegularFile(path) && Files.isExecutable(path))
                .map(Path::toString)
                .findFirst();
    }
}
