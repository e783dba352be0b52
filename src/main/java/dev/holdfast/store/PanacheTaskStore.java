package dev.holdfast.store;

import static jakarta.transaction.Transactional.TxType.REQUIRES_NEW;

import dev.holdfast.runtime.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.OptimisticLockException;
import jakarta.transaction.Transactional;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.jpa.HibernateHints;

/**
 * Tasks as rows of H2. Each change is a transaction of its own that is in the database's file when the method returns, so
 * that killing this process loses nothing it was told (a power failure may, and then the folders tell). About 0.2 ms each.
 */
@ApplicationScoped
public class PanacheTaskStore implements TaskStore {
    private static final List<TaskStatus> ACTIVE =
            Arrays.stream(TaskStatus.values()).filter(status -> !status.ended()).toList();

    @Override
    @Transactional(REQUIRES_NEW)
    public Task insert(Task task) {
        TaskRow row = TaskMapping.row(task);
        row.persistAndFlush();
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
    @Transactional(REQUIRES_NEW)
    public Optional<Task> find(TaskId id) {
        return TaskRow.<TaskRow>findByIdOptional(id.value()).map(TaskMapping::task);
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public Page list(Query query) {
        RowQuery rows = RowQuery.of(query);
        List<Task> found =
                tasks(TaskRow.<TaskRow>find(rows.hql(), rows.parameters()).page(0, query.limit() + 1));
        if (found.size() <= query.limit()) {
            return new Page(found, null);
        }
        List<Task> page = found.subList(0, query.limit());
        return new Page(List.copyOf(page), page.getLast().id());
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public long countActive() {
        return TaskRow.count("status in ?1", ACTIVE);
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public List<Task> unfinished() {
        return tasks(TaskRow.find("status in ?1 order by id", ACTIVE));
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public Set<TaskId> ended() {
        return TaskRow.getEntityManager()
                .createQuery("select id from TaskRow where status not in ?1", String.class)
                .setParameter(1, ACTIVE)
                .getResultStream()
                .map(TaskId::new)
                .collect(Collectors.toSet());
    }

    @Override
    @Transactional(REQUIRES_NEW)
    public boolean delete(TaskId id) {
        return TaskRow.delete("id", id.value()) > 0;
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
