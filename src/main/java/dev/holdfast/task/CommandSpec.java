package dev.holdfast.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command as it will run, every default resolved. Holds the names of the environment it was given, never the values.
 *
 * @param workdir the real path of the working directory
 * @param terminal its size when the command runs in a terminal, else null
 * @param acceptsInput false: stdin is at end of file from the start
 * @param envKeys the names the caller set or unset, sorted
 * @param timeout wall clock from the start, null for none
 * @param idleTimeout the longest time without output, null for none
 * @param sandbox the wall around it, null for none
 * @param owner the name of the token whose task it is, null for the operator's
 */
public record CommandSpec(
        Invocation invocation,
        Path workdir,
        @Nullable TerminalSize terminal,
        boolean acceptsInput,
        List<String> envKeys,
        @Nullable Duration timeout,
        @Nullable Duration idleTimeout,
        OnExit onExit,
        Map<String, String> labels,
        @Nullable Sandbox sandbox,
        @Nullable String owner) {

    public CommandSpec {
        envKeys = List.copyOf(envKeys);
        labels = Map.copyOf(labels);
    }

    /** The same command in a terminal of another size. */
    public CommandSpec withTerminal(TerminalSize size) {
        return new CommandSpec(
                invocation, workdir, size, acceptsInput, envKeys, timeout, idleTimeout, onExit, labels, sandbox, owner);
    }

    public CommandSpec withInvocation(Invocation other) {
        return new CommandSpec(
                other, workdir, terminal, acceptsInput, envKeys, timeout, idleTimeout, onExit, labels, sandbox, owner);
    }

    public CommandSpec withSandbox(@Nullable Sandbox wall) {
        return new CommandSpec(
                invocation,
                workdir,
                terminal,
                acceptsInput,
                envKeys,
                timeout,
                idleTimeout,
                onExit,
                labels,
                wall,
                owner);
    }

    public boolean tty() {
        return terminal != null;
    }
}
