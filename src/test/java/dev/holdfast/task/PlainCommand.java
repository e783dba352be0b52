package dev.holdfast.task;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands of which nothing is asked but that they run. */
public final class PlainCommand {
    private PlainCommand() {}

    public static CommandSpec of(Invocation invocation, Path workdir) {
        return of(invocation, workdir, null, false);
    }

    public static CommandSpec of(
            Invocation invocation, Path workdir, @Nullable TerminalSize terminal, boolean acceptsInput) {
        return new CommandSpec(
                invocation, workdir, terminal, acceptsInput, List.of(), null, null, OnExit.LEAVE, Map.of(), null, null);
    }
}
