package dev.holdfast.runtime;

import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tasks as rows. What a method has returned is on disk. Blocks on the database; thread-safe. */
public interface TaskStore {
    /** @return the task with its first version */
    Task insert(Task task);

    /**
     * @return the task with its next version
     * @throws StaleTaskException when the row has another version, or is gone
     */
    Task save(Task task);

    Optional<Task> find(TaskId id);

    /** Newest first. */
    Page list(Query query);

    long countActive();

    /** Tasks whose row says that they have not ended, for recovery. */
    List<Task> unfinished();

    /** Ids of tasks whose row says that they have ended, for recovery: there is nothing more to learn of them. */
    Set<TaskId> ended();

    /** @return whether there was a row */
    boolean delete(TaskId id);

    enum StatusFilter {
        ACTIVE,
        ENDED,
        ALL
    }

    /**
     * @param status one status by name when not null, else {@code filter} holds
     * @param text to be found in the command, case ignored; null for any
     * @param limit 1 to 100
     * @param before only tasks with a smaller id: the cursor
     */
    record Query(
            StatusFilter filter,
            dev.holdfast.task.@Nullable TaskStatus status,
            Map<String, String> labels,
            @Nullable String text,
            int limit,
            @Nullable TaskId before) {}

    /** @param next the cursor to go on from, null at the end */
    record Page(List<Task> tasks, @Nullable TaskId next) {}

    /** Somebody else changed the row first: load it again. */
    final class StaleTaskException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public StaleTaskException(TaskId id) {
            super(id + " was changed by somebody else");
        }
    }
}
