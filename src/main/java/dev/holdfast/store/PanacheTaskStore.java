package dev.holdfast.store;

import static jakarta.transaction.Transactional.TxType.REQUIRES_NEW;

import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.narayana.jta.QuarkusTransactionException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.OptimisticLockException;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.hibernate.JDBCException;
import org.hibernate.Session;
import org.hibernate.jpa.HibernateHints;
import org.hibernate.query.MutationQuery;
import org.jspecify.annotations.Nullable;

/**
 * Tasks as rows of H2. Each change is a transaction of its own that is in the database's file when the method returns,
 * so that killing this process loses nothing it was told (a power failure may, and then the folders tell). About 0.2 ms
 * each.
 */
@ApplicationScoped
public class PanacheTaskStore implements TaskStore {
    /** As the pool has, {@code quarkus.datasource.jdbc.max-size}. */
    private static final int MOST_CONNECTIONS = 8;

    private static final List<TaskStatus> ACTIVE =
            Arrays.stream(TaskStatus.values()).filter(status -> !status.ended()).toList();

    @Override
    @Transactional(REQUIRES_NEW)
    public Task insert(Task task) {
        TaskRow row = TaskMapping.row(task);
        row.persistAndFlush();
        session()
                .createNativeMutationQuery("insert into task_texts (task_id, content) values (:id, :content)")
                .setParameter("id", row.id)
                .setParameter("content", IdQuery.searched(row.commandText))
                .executeUpdate();
        return task.withVersion(row.version + 1);
    }

    /** A task that is saved as it was keeps its version. */
    @Override
    @Transactional(REQUIRES_NEW)
    public Task save(Task task) {
        TaskRow row = TaskRow.findById(task.id().value());
        if (row == null || row.version + 1 != task.version()) {
            throw new StaleTaskException(task.id());
        }
        TaskMapping.copy(task, row);
        try {
            TaskRow.flush();
        } catch (OptimisticLockException e) {
            throw stale(task.id(), e);
        }
        return task.withVersion(row.version + 1);
    }

    @Override
    public Optional<Task> find(TaskId id) {
        return again(() -> TaskRow.<TaskRow>findByIdOptional(id.value()).map(TaskMapping::task));
    }

    /**
     * A write that fails, on a full disk for one, closes the database under all connections; the next one that is made
     * opens it again.
     *
     * @param what does no harm when it is done twice
     */
    private static <T> T again(Callable<T> what) {
        for (int left = MOST_CONNECTIONS; ; left--) {
            try {
                return QuarkusTransaction.requiringNew().call(what);
            } catch (JDBCException | QuarkusTransactionException closed) {
                if (left == 0) {
                    throw closed;
                }
            }
        }
    }

    @Override
    public Page list(Query query) {
        return again(() -> page(query));
    }

    private static Page page(Query query) {
        List<String> ids = session().doReturningWork(connection -> ids(connection, query));
        boolean more = ids.size() > query.limit();
        List<String> shown = more ? ids.subList(0, query.limit()) : ids;
        List<Task> page = shown.isEmpty() ? List.of() : tasks(TaskRow.find("id in ?1 order by id desc", shown));
        return new Page(page, more ? new TaskId(shown.getLast()) : null);
    }

    private static List<String> ids(Connection connection, Query query) throws SQLException {
        Instant after = query.endedAfter();
        boolean fewEnds = after != null && IdQuery.fewEnds(connection, after);
        return new IdQuery(query, fewEnds).read(connection, query.limit() + 1);
    }

    @Override
    public long countActive(@Nullable String owner) {
        return again(() -> owner == null
                ? TaskRow.count("status in ?1", ACTIVE)
                : TaskRow.count("status in ?1 and owner = ?2", ACTIVE, owner));
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public List<Task> unfinished() {
        return tasks(TaskRow.find("status in ?1 order by id", ACTIVE));
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public Set<TaskId> ended() {
        return session()
                .createQuery("select id from TaskRow where status not in ?1", String.class)
                .setParameter(1, ACTIVE)
                .getResultStream()
                .map(TaskId::new)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean forget(TaskId id, Instant at) {
        return again(() -> {
            change(
                    "merge into forgotten_tasks (id, forgotten_at, owner) key (id) values (?1, ?2,"
                            + " coalesce((select owner from tasks where id = ?1),"
                            + " (select owner from forgotten_tasks where id = ?1)))",
                    id.value(),
                    at);
            return TaskRow.delete("id", id.value()) > 0;
        });
    }

    @Override
    public Optional<Forgotten> forgotten(TaskId id) {
        return again(() -> session()
                .createNativeQuery("select forgotten_at, owner from forgotten_tasks where id = ?1", Object[].class)
                .addScalar("forgotten_at", Instant.class)
                .addScalar("owner", String.class)
                .setParameter(1, id.value())
                .getResultStream()
                .findFirst()
                .map(row -> new Forgotten((Instant) row[0], (String) row[1])));
    }

    @Override
    public void sweepForgotten(Instant before, int most) {
        again(() -> {
            change("delete from forgotten_tasks where forgotten_at < ?1", before);
            return change(
                    "delete from forgotten_tasks where id in (select id from forgotten_tasks"
                            + " order by forgotten_at desc, id desc offset ?1 rows)",
                    most);
        });
    }

    private static int change(String sql, Object... values) {
        MutationQuery change = session().createNativeMutationQuery(sql);
        for (int i = 0; i < values.length; i++) {
            change.setParameter(i + 1, values[i]);
        }
        return change.executeUpdate();
    }

    private static Session session() {
        return TaskRow.getEntityManager().unwrap(Session.class);
    }

    private static List<Task> tasks(PanacheQuery<TaskRow> query) {
        return query.withHint(HibernateHints.HINT_READ_ONLY, true).list().stream()
                .map(TaskMapping::task)
                .toList();
    }

    private static StaleTaskException stale(TaskId id, OptimisticLockException cause) {
        StaleTaskException stale = new StaleTaskException(id);
        stale.initCause(cause);
        return stale;
    }
}
