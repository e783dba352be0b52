package dev.holdfast.store;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Between a task and its row, every field in both directions. A duration loses what is below a millisecond. */
final class TaskMapping {
    private TaskMapping() {}

    static TaskRow row(Task task) {
        TaskRow row = new TaskRow();
        row.id = task.id().value();
        copy(task, row);
        return row;
    }

    /** Everything but the id and the version, which Hibernate keeps. */
    static void copy(Task task, TaskRow row) {
        row.status = task.status();
        row.createdAt = task.createdAt();
        row.startedAt = task.startedAt();
        row.promotedAt = task.promotedAt();
        row.updatedAt = task.updatedAt();
        row.endedAt = task.endedAt();
        copyCommand(task.command(), row);
        copyEnding(task.ending(), row);
    }

    static Task task(TaskRow row) {
        return new Task(
                new TaskId(row.id),
                command(row),
                row.status,
                row.createdAt,
                row.startedAt,
                row.promotedAt,
                row.updatedAt,
                row.endedAt,
                ending(row),
                row.version + 1);
    }

    private static void copyCommand(CommandSpec command, TaskRow row) {
        copyInvocation(command.invocation(), row);
        TerminalSize terminal = command.terminal();
        row.workdir = command.workdir().toString();
        row.terminalRows = terminal == null ? null : terminal.rows();
        row.terminalCols = terminal == null ? null : terminal.cols();
        row.acceptsInput = command.acceptsInput();
        row.envKeys = command.envKeys();
        row.timeoutMillis = millis(command.timeout());
        row.idleTimeoutMillis = millis(command.idleTimeout());
        row.onExit = command.onExit();
        row.sandbox = command.sandbox() == null ? null : command.sandbox().toString();
        row.owner = command.owner();
        if (!row.labels.equals(command.labels())) {
            row.labels = new HashMap<>(command.labels());
        }
    }

    private static void copyInvocation(Invocation invocation, TaskRow row) {
        row.commandText = invocation.text();
        switch (invocation) {
            case Invocation.ShellText shell -> {
                row.argv = null;
                row.shell = shell.shell();
                row.login = shell.login();
            }
            case Invocation.Program program -> {
                row.argv = program.argv();
                row.shell = null;
                row.login = null;
            }
        }
    }

    private static void copyEnding(@Nullable Ending ending, TaskRow row) {
        row.endedBy = ending == null ? null : ending.endedBy();
        row.exitStatus = ending == null ? null : ending.exitStatus();
        row.exitSignal = ending == null ? null : ending.exitSignal();
        row.endingDetails = ending == null ? null : ending.details();
    }

    private static CommandSpec command(TaskRow row) {
        Integer rows = row.terminalRows;
        Integer cols = row.terminalCols;
        return new CommandSpec(
                invocation(row),
                Path.of(row.workdir),
                rows == null || cols == null ? null : new TerminalSize(rows, cols),
                row.acceptsInput,
                row.envKeys,
                duration(row.timeoutMillis),
                duration(row.idleTimeoutMillis),
                row.onExit,
                row.labels,
                sandbox(row),
                row.owner);
    }

    private static @Nullable Sandbox sandbox(TaskRow row) {
        String sandbox = row.sandbox;
        return sandbox == null ? null : Sandbox.parse(sandbox);
    }

    private static Invocation invocation(TaskRow row) {
        List<String> argv = row.argv;
        if (argv != null) {
            return new Invocation.Program(argv);
        }
        return new Invocation.ShellText(
                row.commandText, Objects.requireNonNull(row.shell), Objects.requireNonNull(row.login));
    }

    private static @Nullable Ending ending(TaskRow row) {
        EndedBy endedBy = row.endedBy;
        Map<String, String> details = row.endingDetails;
        return endedBy == null
                ? null
                : new Ending(endedBy, row.exitStatus, row.exitSignal, details == null ? Map.of() : details);
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    private static @Nullable Duration duration(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(millis);
    }
}
