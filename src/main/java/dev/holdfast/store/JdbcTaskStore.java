package dev.holdfast.store;

import static dev.holdfast.store.Statements.change;
import static dev.holdfast.store.Statements.query;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;
import org.jspecify.annotations.Nullable;

/**
 * Tasks as rows of H2. Each change is a transaction of its own that is in the database's file when the method returns,
 * so that killing this process loses nothing it was told (a power failure may, and then the folders tell). About 0.2 ms
 * each. A row's version counts from 0, while a task without a row has version 0: a task's is one more than its row's.
 */
@Singleton
public record JdbcTaskStore(DataSource pool) implements TaskStore {
    private static final int TRIES = 9;

    @Override
    public Task insert(Task task) {
        return once(connection -> {
            Map<String, @Nullable Object> row = TaskColumns.values(task);
            row.put("id", task.id().value());
            row.put("version", 0);
            String into = "insert into tasks (" + String.join(", ", row.keySet()) + ") values ";
            change(connection, into + parameters(row.size()), row.values().toArray());
            change(
                    connection,
                    "insert into task_texts (task_id, content) values (?, ?)",
                    task.id().value(),
                    IdQuery.searched(task.command().invocation().text()));
            insertLabels(connection, task);
            return task.withVersion(1);
        });
    }

    @Override
    public Task save(Task task) {
        return once(connection -> {
            Map<String, @Nullable Object> row = TaskColumns.values(task);
            String update = "update tasks set version = version + 1, " + String.join(" = ?, ", row.keySet())
                    + " = ? where id = ? and version = ?";
            List<@Nullable Object> values = new ArrayList<>(row.values());
            values.addAll(List.of(task.id().value(), task.version() - 1));
            if (change(connection, update, values.toArray()) == 0) {
                throw new StaleTaskException(task.id());
            }
            return task.withVersion(task.version() + 1);
        });
    }

    private static void insertLabels(Connection connection, Task task) throws SQLException {
        for (Map.Entry<String, String> label : task.command().labels().entrySet()) {
            change(
                    connection,
                    "insert into task_labels (task_id, name, content) values (?, ?, ?)",
                    task.id().value(),
                    label.getKey(),
                    label.getValue());
        }
    }

    @Override
    public Optional<Task> find(TaskId id) {
        return again(
                connection -> tasks(connection, List.of(id.value())).stream().findFirst());
    }

    @Override
    public Page list(Query query) {
        return again(connection -> {
            Instant after = query.endedAfter();
            boolean fewEnds = after != null && IdQuery.fewEnds(connection, after);
            List<String> ids = new IdQuery(query, fewEnds).read(connection, query.limit() + 1);
            boolean more = ids.size() > query.limit();
            List<String> shown = more ? ids.subList(0, query.limit()) : ids;
            return new Page(tasks(connection, shown), more ? new TaskId(shown.getLast()) : null);
        });
    }

    @Override
    public long countActive(@Nullable String owner) {
        String count = "select count(*) from tasks where status in " + IdQuery.ACTIVE;
        return again(connection -> (owner == null
                        ? query(connection, count, row -> row.getLong(1))
                        : query(connection, count + " and owner = ?", row -> row.getLong(1), owner))
                .getFirst());
    }

    @Override
    public List<Task> unfinished() {
        String active = "select id from tasks where status in " + IdQuery.ACTIVE;
        return again(connection -> tasks(connection, query(connection, active, row -> row.getString(1)))
                .reversed());
    }

    @Override
    public Set<TaskId> ended() {
        return again(connection -> new HashSet<>(query(
                connection,
                "select id from tasks where status not in " + IdQuery.ACTIVE,
                row -> new TaskId(row.getString(1)))));
    }

    @Override
    public void forget(TaskId id, Instant at) {
        again(connection -> {
            change(
                    connection,
                    "merge into forgotten_tasks (id, forgotten_at, owner) key (id) values (?1, ?2,"
                            + " coalesce((select owner from tasks where id = ?1),"
                            + " (select owner from forgotten_tasks where id = ?1)))",
                    id.value(),
                    at);
            return change(connection, "delete from tasks where id = ?", id.value());
        });
    }

    @Override
    public Optional<Forgotten> forgotten(TaskId id) {
        return again(connection -> query(
                        connection,
                        "select forgotten_at, owner from forgotten_tasks where id = ?",
                        row -> new Forgotten(row.getObject(1, Instant.class), row.getString(2)),
                        id.value())
                .stream()
                .findFirst());
    }

    @Override
    public List<TaskId> forgotten(String beginning) {
        return again(connection -> query(
                connection,
                "select id from forgotten_tasks where id between ? and ? order by id limit 100",
                row -> new TaskId(row.getString(1)),
                beginning,
                beginning + "~"));
    }

    @Override
    public void sweepForgotten(Instant before, int most) {
        again(connection -> {
            change(connection, "delete from forgotten_tasks where forgotten_at < ?", before);
            return change(
                    connection,
                    "delete from forgotten_tasks where id in (select id from forgotten_tasks"
                            + " order by forgotten_at desc, id desc offset ? rows)",
                    most);
        });
    }

    /** Newest first; what is gone meanwhile is left out. */
    private static List<Task> tasks(Connection connection, List<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        Map<String, Map<String, String>> labels = labels(connection, ids);
        return query(
                connection,
                "select * from tasks where id in " + parameters(ids.size()) + " order by id desc",
                row -> TaskColumns.task(row, labels.getOrDefault(row.getString("id"), Map.of())),
                ids.toArray());
    }

    /** By the task's id, where there are some. */
    private static Map<String, Map<String, String>> labels(Connection connection, List<String> ids)
            throws SQLException {
        Map<String, Map<String, String>> labels = new HashMap<>();
        query(
                connection,
                "select task_id, name, content from task_labels where task_id in " + parameters(ids.size()),
                row -> labels.computeIfAbsent(row.getString(1), _ -> new HashMap<>())
                        .put(row.getString(2), row.getString(3)),
                ids.toArray());
        return labels;
    }

    private static String parameters(int count) {
        return "(" + String.join(", ", Collections.nCopies(count, "?")) + ")";
    }

    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T once(Work<T> work) {
        return again(work, 1);
    }

    /** @param work what does no harm when it is done twice: who closes the database closes it under all. */
    private <T> T again(Work<T> work) {
        return again(work, TRIES);
    }

    private <T> T again(Work<T> work, int tries) {
        for (int left = tries; ; left--) {
            try {
                return transaction(work);
            } catch (SQLException failure) {
                if (left == 1) {
                    throw unusable(failure);
                }
            }
        }
    }

    /** Whether a statement is wrong, or a value in it, as no caller can have caused; the database can be used. */
    private static boolean isOfStatement(SQLException failure) {
        return Stream.of("22", "23", "42").anyMatch(String.valueOf(failure.getSQLState())::startsWith);
    }

    private static RuntimeException unusable(SQLException failure) {
        if (isOfStatement(failure)) {
            return new IllegalStateException(failure);
        }
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason = String.valueOf(cause.getMessage()).split("; SQL statement:", 2)[0];
        return new Refusal(
                ErrorKind.STORAGE_FULL,
                "The database cannot be used (" + reason + ").",
                Remedy.of(
                        String.valueOf(cause.getMessage()),
                        "Free disk space, or make the data folder one that the server's user can write, then try again."));
    }

    private <T> T transaction(Work<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            try {
                connection.setAutoCommit(false);
                T done = work.on(connection);
                connection.commit();
                return done;
            } catch (SQLException failure) {
                if (isOfStatement(failure)) {
                    connection.rollback();
                } else {
                    close(connection, failure);
                }
                throw failure;
            } catch (RuntimeException failure) {
                connection.rollback();
                throw failure;
            }
        }
    }

    /**
     * The database under all connections, without a write: the next one that is made opens the file anew. A write that
     * fails, on a full disk for one, closes it by itself; but one that was opened where nothing could be written, and
     * whatever else it has come to believe, stays until then. The driver's own connection is closed under that of the
     * pool, which then sees it and lends it to nobody.
     */
    static void close(Connection connection, SQLException failure) {
        try (JdbcConnection own = connection.unwrap(JdbcConnection.class);
                Statement statement = own.createStatement()) {
            statement.execute("shutdown immediately");
        } catch (SQLException closed) {
            failure.addSuppressed(closed);
        }
    }
}
