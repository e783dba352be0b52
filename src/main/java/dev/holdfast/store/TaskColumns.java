package dev.holdfast.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task as the columns of its row, in both directions, but for its id, version and labels. A duration loses what is
 * below a millisecond.
 */
final class TaskColumns {
    private static final TypeReference<List<String>> STRINGS = new TypeReference<>() {};
    private static final TypeReference<Map<String, String>> STRING_MAP = new TypeReference<>() {};

    /** A form of its own, which no setting of the API's JSON can change. */
    private static final JsonMapper JSON = new JsonMapper();

    private TaskColumns() {}

    /** By their names. */
    static Map<String, @Nullable Object> values(Task task) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("status", task.status().name());
        row.put("created_at", task.createdAt());
        row.put("started_at", task.startedAt());
        row.put("promoted_at", task.promotedAt());
        row.put("updated_at", task.updatedAt());
        row.put("ended_at", task.endedAt());
        put(task.command(), row);
        Ending ending = task.ending();
        row.put("ended_by", ending == null ? null : ending.endedBy().name());
        row.put("exit_status", ending == null ? null : ending.exitStatus());
        row.put("exit_signal", ending == null ? null : ending.exitSignal());
        row.put("ending_details", ending == null ? null : json(ending.details()));
        return row;
    }

    private static void put(CommandSpec command, Map<String, @Nullable Object> row) {
        Invocation invocation = command.invocation();
        Invocation.ShellText shell = invocation instanceof Invocation.ShellText text ? text : null;
        row.put("command_text", invocation.text());
        row.put("argv", invocation instanceof Invocation.Program(var argv) ? json(argv) : null);
        row.put("shell", shell == null ? null : shell.shell());
        row.put("login", shell == null ? null : shell.login());
        TerminalSize terminal = command.terminal();
        row.put("workdir", command.workdir().toString());
        row.put("terminal_rows", terminal == null ? null : terminal.rows());
        row.put("terminal_cols", terminal == null ? null : terminal.cols());
        row.put("accepts_input", command.acceptsInput());
        row.put("env_keys", json(command.envKeys()));
        row.put("timeout_ms", millis(command.timeout()));
        row.put("idle_timeout_ms", millis(command.idleTimeout()));
        row.put("on_exit", command.onExit().name());
        row.put("sandbox", command.sandbox() == null ? null : command.sandbox().toString());
        row.put("owner", command.owner());
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
                Objects.requireNonNull(value(row.getString("env_keys"), STRINGS)),
                duration(row.getObject("timeout_ms", Long.class)),
                duration(row.getObject("idle_timeout_ms", Long.class)),
                OnExit.valueOf(row.getString("on_exit")),
                labels,
                sandbox == null ? null : Sandbox.parse(sandbox),
                row.getString("owner"));
    }

    private static Invocation invocation(ResultSet row) throws SQLException {
        List<String> argv = value(row.getString("argv"), STRINGS);
        return argv != null
                ? new Invocation.Program(argv)
                : new Invocation.ShellText(
                        row.getString("command_text"), row.getString("shell"), row.getBoolean("login"));
    }

    private static @Nullable Ending ending(ResultSet row) throws SQLException {
        String endedBy = row.getString("ended_by");
        Map<String, String> details = value(row.getString("ending_details"), STRING_MAP);
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

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings that cannot be written as JSON", e);
        }
    }

    private static <T> @Nullable T value(@Nullable String column, TypeReference<T> type) {
        try {
            return column == null ? null : JSON.readValue(column, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a column does not hold the JSON it was given", e);
        }
    }
}
