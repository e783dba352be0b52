package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Looks up what a request leaves open: the real working directory, the shell. Reads the file system; thread-safe. */
@Singleton
public final class CommandResolver {
    private static final List<String> DEFAULT_SHELLS = List.of("bash", "zsh", "sh");

    private final Path workspace;
    private final UnaryOperator<@Nullable String> serverEnvironment;

    @Inject
    public CommandResolver(HoldfastConfig config) {
        this(config.workspace().orElse(Path.of("")).toAbsolutePath(), System::getenv);
    }

    CommandResolver(Path workspace, UnaryOperator<@Nullable String> serverEnvironment) {
        this.workspace = workspace;
        this.serverEnvironment = serverEnvironment;
    }

    /**
     * The command as it will run.
     *
     * @throws Refusal {@code workdir_not_found}, or {@code command_spawn_failed} for a shell that is not there
     */
    CommandSpec resolve(StartRequest request) {
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
                request.labels());
    }

    /**
     * The same for every way to name the same shell: by the real path of its folder. Its own name stays, since a shell
     * goes by the name that it is called by.
     */
    CommandSpec comparable(CommandSpec command) {
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

    private Path workdir(@Nullable String wanted) {
        Path path = workspace;
        try {
            if (wanted != null) {
                path = workspace.resolve(wanted);
            }
            Path real = path.toRealPath();
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
                "Pass a `workdir` that exists; a relative one starts from the workspace " + workspace + ".",
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
            String found = find(wanted);
            if (found == null) {
                throw new Refusal(
                        ErrorKind.COMMAND_SPAWN_FAILED,
                        "The shell `" + wanted + "` is not there, or cannot be run.",
                        "Leave `shell` out for the default, or name one that is installed, such as bash or sh.",
                        Map.of("shell", wanted));
            }
            return found;
        }
        String own = serverEnvironment.apply("SHELL");
        if (own != null
                && DEFAULT_SHELLS.contains(Path.of(own).getFileName().toString())
                && Files.isExecutable(Path.of(own))) {
            return own;
        }
        String bash = find("bash");
        return bash != null ? bash : "/bin/sh";
    }

    private @Nullable String find(String nameOrPath) {
        if (nameOrPath.contains("/")) {
            Path path = workspace.resolve(nameOrPath);
            return Files.isRegularFile(path) && Files.isExecutable(path) ? path.toString() : null;
        }
        String path = serverEnvironment.apply("PATH");
        for (String folder : (path == null ? "/usr/local/bin:/usr/bin:/bin" : path).split(":", -1)) {
            Path candidate = Path.of(folder.isEmpty() ? "." : folder, nameOrPath);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                return candidate.toAbsolutePath().toString();
            }
        }
        return null;
    }
}
