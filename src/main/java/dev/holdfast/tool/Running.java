package dev.holdfast.tool;

import dev.holdfast.render.Diagnostics;
import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the caller's tasks by what models were told of them, and names those that run to a model that names none.
 * Thread-safe.
 */
@Singleton
public record Running(Tasks tasks) {
    private static final int NAMED = 5;
    private static final int PAGE = 100;

    /** The newest of them, newest first, at most 100. */
    public List<Task> newest(StatusFilter filter, int limit) {
        return page(filter, limit, null).tasks();
    }

    /** The newest task that {@code wanted} holds of. Looks at all if it must. */
    public Optional<Task> find(java.util.function.Predicate<Task> wanted) {
        TaskId before = null;
        do {
            TaskStore.Page page = page(StatusFilter.ALL, PAGE, before);
            Optional<Task> found = page.tasks().stream().filter(wanted).findFirst();
            if (found.isPresent()) {
                return found;
            }
            before = page.next();
        } while (before != null);
        return Optional.empty();
    }

    /** The task whose {@link TaskIds#number} that is. */
    public Optional<Task> numbered(long number) {
        return TaskIds.lastOf(number)
                .flatMap(last -> page(StatusFilter.ALL, PAGE, last).tasks().stream()
                        .filter(task -> TaskIds.number(task.id()) == number)
                        .findFirst());
    }

    /** {@code Running: 17 (npm run dev), 16 (make)}, in a sentence. */
    public String named(Function<Task, ?> id) {
        List<Task> newest = newest(StatusFilter.ACTIVE, NAMED);
        return newest.isEmpty()
                ? "Nothing is running."
                : newest.stream()
                        .map(task -> id.apply(task) + " ("
                                + Diagnostics.summary(task.command().invocation()) + ")")
                        .collect(Collectors.joining(", ", "Running: ", "."));
    }

    private TaskStore.Page page(StatusFilter filter, int limit, @Nullable TaskId before) {
        return tasks.page(TaskStore.Query.newest(filter, limit, before));
    }
}
