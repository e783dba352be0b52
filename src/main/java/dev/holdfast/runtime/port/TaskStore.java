package dev.holdfast.runtime.port;

import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tasks as rows. What a method has returned is on disk. Blocks on the database; thread-safe. */
public interface TaskStore {
    /** @return the task with its first version */
    Task insert(Task task);

    /**
     * Of its command only the terminal's size may have changed.
     *
     * @return the task with its next version
     * @throws StaleTaskException when the row has another version, or is gone
     */
    Task save(Task task);

    Optional<Task> find(TaskId id);

    /** Newest first. */
    Page list(Query query);

    /** @param owner whose alone; null: all */
    long countActive(@Nullable String owner);

    /** Tasks whose row says that they have not ended, for recovery. */
    List<Task> unfinished();

    /** Ids of tasks whose row says that they have ended, for recovery: there is nothing more to learn of them. */
    Set<TaskId> ended();

    /** Deletes the row, if there is one, and puts down when. */
    void forget(TaskId id, Instant at);

    /** That it was forgotten, as far as that is still known. */
    Optional<Forgotten> forgotten(TaskId id);

    /** Ids of what was forgotten, as far as that is still known: those that begin so, at most 100. */
    List<TaskId> forgotten(String beginning);

    /** @param owner of its row; null: the operator's, or it had none */
    record Forgotten(Instant at, @Nullable String owner) {}

    /**
     * Drops what was put down by {@link #forget}.
     *
     * @param before of an earlier moment
     * @param most of what is left, all but so many newest
     */
    void sweepForgotten(Instant before, int most);

    enum StatusFilter {
        ACTIVE,
        ENDED,
        ALL
    }

    /**
     * @param status one status by name when not null, else {@code filter} holds
     * @param text to be found in the first 300,000 characters of the command, case ignored; null for any
     * @param limit 1 to 100
     * @param before only tasks with a smaller id: the cursor
     * @param endedAfter only tasks that ended later than that; null for any
     * @param owner whose alone; null: all
     */
    record Query(
            StatusFilter filter,
            @Nullable TaskStatus status,
            Map<String, String> labels,
            @Nullable String text,
            int limit,
            @Nullable TaskId before,
            @Nullable Instant endedAfter,
            @Nullable String owner) {
        /** All that the filter lets through. */
        public static Query newest(StatusFilter filter, int limit, @Nullable TaskId before) {
            return new Query(filter, null, Map.of(), null, limit, before, null, null);
        }

        /** The same of one owner's. */
        public Query of(@Nullable String whose) {
            return new Query(filter, status, labels, text, limit, before, endedAfter, whose);
        }

        /** Whether a task is one of those that are asked for, wherever it is on record. */
        public boolean lets(Task task) {
            boolean wanted = status != null
                    ? task.status() == status
                    : switch (filter) {
                        case ACTIVE -> !task.status().ended();
                        case ENDED -> task.status().ended();
                        case ALL -> true;
                    };
            Instant ended = task.endedAt();
            return wanted
                    && (owner == null || owner.equals(task.command().owner()))
                    && task.command().labels().entrySet().containsAll(labels.entrySet())
                    && (endedAfter == null || (ended != null && ended.isAfter(endedAfter)))
                    && (before == null || task.id().compareTo(before) < 0)
                    && (text == null
                            || lower(task.command().invocation().text()).contains(lower(text)));
        }

        private static String lower(String text) {
            return text.toLowerCase(Locale.ROOT);
        }
    }

    /** @param next the cursor to go on from, null at the end */
    record Page(List<Task> tasks, @Nullable TaskId next) {}

    /** Somebody else changed the row first: load it again. */
    final class StaleTaskException extends RuntimeException {
        public StaleTaskException(TaskId id) {
            super(id + " was changed by somebody else");
        }
    }
}
