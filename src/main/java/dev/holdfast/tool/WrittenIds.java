package dev.holdfast.tool;

import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.UnknownTasks;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Task ids as models write them: without {@code task_}, in small letters, or a beginning that only one of the caller's
 * tasks has.
 */
@Singleton
public record WrittenIds(Tasks tasks, UnknownTasks unknown) {
    private static final String PREFIX = "task_";
    private static final String LAST = PREFIX + "7" + "Z".repeat(25);

    /** @throws Refusal {@code invalid_tool_input} when it is missing or of several tasks, {@code task_not_found} */
    public TaskId of(@Nullable String written) {
        String plain = written == null ? "" : written.strip().toUpperCase(Locale.ROOT);
        String beginning = PREFIX + (plain.startsWith("TASK_") ? plain.substring(PREFIX.length()) : plain);
        if (written == null || beginning.equals(PREFIX)) {
            throw Refusal.invalid("task_id", "is missing", "Give the id that the receipt or TaskList names.");
        }
        return TaskId.parse(beginning).orElseGet(() -> only(written, beginning));
    }

    private TaskId only(String written, String beginning) {
        String rest = LAST.substring(Math.min(LAST.length(), beginning.length()));
        List<Task> found = TaskId.parse(beginning + rest.replace('7', 'Z')).map(this::upTo).orElse(List.of()).stream()
                .filter(task -> task.id().value().startsWith(beginning))
                .toList();
        if (found.size() > 1) {
            throw Refusal.invalid(
                    "task_id",
                    "is the beginning of several ids, " + found.get(0).id() + " and "
                            + found.get(1).id() + " among them",
                    "Give more of it.");
        }
        if (found.isEmpty()) {
            throw unknown.forgotten(beginning, _ -> true)
                    .orElseGet(() -> unknown.completed(new Refusal(
                            ErrorKind.TASK_NOT_FOUND,
                            "There is no task `" + written + "`.",
                            "Call TaskList to see what there is.")));
        }
        return found.getFirst().id();
    }

    /** That one, and the newest two below it. */
    private List<Task> upTo(TaskId last) {
        var below = tasks.page(TaskStore.Query.newest(StatusFilter.ALL, 2, last));
        return Stream.concat(tasks.known(last).stream(), below.tasks().stream()).toList();
    }
}
