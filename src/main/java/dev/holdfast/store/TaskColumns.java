package dev.holdfast.store;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task as the columns of its row, in both directions, but for its id, version and labels. A duration loses what is
 * below a millisecond.
 */
final class TaskColumns {
    /** In the order of {@link #values}. */
    static final List<String> NAMES = List.of(
            "status",
            "created_at",
            "started_at",
            "promoted_at",
            "updated_at",
            "ended_at",
            "command_text",
            "argv",
            "shell",
            "login",
            "workdir",
            "terminal_rows",
            "terminal_cols",
            "accepts_input",
            "env_keys",
            "timeout_ms",
            "idle_timeout_ms",
            "on_exit",
            "sandbox",
            "owner",
            "ended_by",
            "exit_status",
            "exit_signal",
            "ending_details");

    private TaskColumns() {}

    static List<@Nullable Object> values(Task task) {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(task.status().name());
        values.add(task.createdAt());
        values.add(task.startedAt());
        values.add(task.promotedAt());
        values.add(task.updatedAt());
        values.add(task.endedAt());
        add(task.command(), values);
        Ending ending = task.ending();
        values.add(ending == null ? null : ending.endedBy().name());
        values.add(ending == null ? null : ending.exitStatus());
        values.add(ending == null ? null : ending.exitSignal());
        values.add(ending == null ? null : JsonColumn.STRING_MAP.text(ending.details()));
        return values;
    }

    private static void add(CommandSpec command, List<@Nullable Object> values) {
        values.add(command.invocation().text());
        switch (command.invocation()) {
            case Invocation.ShellText shell -> {
                values.add(null);
                values.add(shell.shell());
                values.add(shell.login());
            }
            case Invocation.Program program -> {
                values.add(JsonColumn.STRINGS.text(program.argv()));
                values.add(null);
                values.add(null);
            }
        }
        TerminalSize terminal = command.terminal();
        values.add(command.workdir().toString());
        values.add(terminal == null ? null : terminal.rows());
        values.add(terminal == null ? null : terminal.cols());
        values.add(command.acceptsInput());
        values.add(JsonColumn.STRINGS.text(command.envKeys()));
        values.add(millis(command.timeout()));
        values.add(millis(command.idleTimeout()));
        values.add(command.onExit().name());
        values.add(command.sandbox() == null ? null : command.sandbox().toString());
        values.add(command.owner());
    }

    /** @param row at a row that has the id and the version too */
    static Task task(ResultSet row, Map<String, String> labels) throws SQLException {
        return new Task(
                new TaskId(row.getString("id")),
                command(row, labels),
                TaskStatus.valueOf(row.getString("status")),
                row.getObject("created_at", Instant.class),
                row.getObject("started_at", Instant.class),
                row.getObject("promoted_at", Instant.class),
                row.getObject("updated_at", Instant.class),
                row.getObject("ended_at", Instant.class),
                ending(row),
                row.getLong("version") + 1);
    }

    private static CommandSpec command(ResultSet row, Map<String, String> labels) throws SQLException {
        Integer rows = row.getObject("terminal_rows", Integer.class);
        Integer cols = row.getObject("terminal_cols", Integer.class);
        String sandbox = row.getString("sandbox");
        return new CommandSpec(
                invocation(row),
                Path.of(row.getString("workdir")),
                rows == null || cols == null ? null : new TerminalSize(rows, cols),
                row.getBoolean("accepts_input"),
                Objects.requireNonNull(JsonColumn.STRINGS.value(row.getString("env_keys"))),
                duration(row.getObject("timeout_ms", Long.class)),
                duration(row.getObject("idle_timeout_ms", Long.class)),
                OnExit.valueOf(row.getString("on_exit")),
                labels,
                sandbox == null ? null : Sandbox.parse(sandbox),
                row.getString("owner"));
    }

    private static Invocation invocation(ResultSet row) throws SQLException {
        List<String> argv = JsonColumn.STRINGS.value(row.getString("argv"));
        return argv != null
                ? new Invocation.Program(argv)
                : new Invocation.ShellText(
                        row.getString("command_text"), row.getString("shell"), row.getBoolean("login"));
    }

    private static @Nullable Ending ending(ResultSet row) throws SQLException {
        String endedBy = row.getString("ended_by");
        Map<String, String> details = JsonColumn.STRING_MAP.value(row.getString("ending_details"));
        return endedBy == null
                ? null
                : new Ending(
                        EndedBy.valueOf(endedBy),
                        row.getObject("exit_status", Integer.class),
                        row.getString("exit_signal"),
                        details == null ? Map.of() : details);
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }

    private static @Nullable Duration duration(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(millis);
    }
}
