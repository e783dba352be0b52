package dev.holdfast.runtime;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that callers see, for all that they do with them: here alone it is told whose a task is, and what its
 * caller may not see is not there. Thread-safe; may block. Each method refuses {@code task_not_found}.
 */
@Singleton
public record Tasks(
        Caller caller,
        Observations observations,
        LiveCommands live,
        TaskStore store,
        OutputStore outputs,
        Transitions transitions,
        Leftovers leftovers,
        UnknownTasks unknown,
        InstantSource clock) {
    /** @param next the cursor to go on from, null at the end */
    public record Listing(
            List<TaskView> tasks,
            long totalActive,
            @Nullable TaskId next) {}

    public TaskView get(TaskId id) {
        return view(find(id), false);
    }

    /** @param fresh whether its processes are looked at now, rather than shown as last seen */
    public TaskView get(TaskId id, boolean fresh) {
        return view(find(id), fresh);
    }

    /** The task as it stands, without its processes. */
    public Task find(TaskId id) {
        return known(id).orElseThrow(() -> unknown.refusal(id));
    }

    /** The same; nothing where the caller has none of that id. */
    public Optional<Task> known(TaskId id) {
        Actor actor = caller.actor();
        return live.find(id)
                .map(LiveCommand::task)
                .or(() -> store.find(id))
                .filter(task -> actor.sees(task.command().owner()));
    }

    /** Waits for its end; false when {@code limit} passes first, or an interrupt comes. */
    public boolean awaitEnd(TaskId id, Duration limit) {
        if (find(id).status().ended()) {
            return true;
        }
        LiveCommand command = live.find(id).orElse(null);
        return command == null ? find(id).status().ended() : Patience.await(command.ended(), limit);
    }

    private TaskView view(Task task, boolean fresh) {
        TaskView view = views(List.of(task), fresh).getFirst();
        Instant ended = task.endedAt();
        if (ended == null) {
            return view;
        }
        return new TaskView(task, view.output(), null, fresh ? leftovers.of(task.id(), ended) : left(task));
    }

    /** What outlives it, as last seen; nothing while it runs. */
    public List<LeftProcess> left(Task task) {
        Instant ended = task.endedAt();
        return ended == null ? List.of() : leftovers.seen(task.id(), ended);
    }

    /** What these tasks do and have printed, their processes as last seen. */
    public List<TaskView> views(List<Task> tasks) {
        return views(tasks, false);
    }

    private List<TaskView> views(List<Task> tasks, boolean fresh) {
        List<LiveCommand> running =
                tasks.stream().flatMap(task -> running(task).stream()).toList();
        Map<TaskId, Observations.Seen> seen = fresh ? observations.now(running) : observations.of(running);
        return tasks.stream()
                .map(task -> new TaskView(task, outputs.facts(task.id()), seen.get(task.id()), List.of()))
                .toList();
    }

    private Optional<LiveCommand> running(Task task) {
        return task.status().ended() ? Optional.empty() : live.find(task.id());
    }

    /** What the caller sees of the rows as they are on disk, and of the tasks whose rows lag behind. */
    public TaskStore.Page page(TaskStore.Query query) {
        List<Task> late = transitions.late(); // first: what is saved meanwhile is found twice rather than not at all
        TaskStore.Query own = query.of(caller.actor().owner());
        TaskStore.Page rows = store.list(own);
        if (late.isEmpty()) {
            return rows;
        }
        NavigableMap<TaskId, Task> found = new TreeMap<>(Comparator.reverseOrder());
        rows.tasks().forEach(row -> found.put(row.id(), row));
        for (Task task : late) {
            if (!own.lets(task)) {
                found.remove(task.id()); // by its row it was one
            } else if (rows.next() == null || task.id().compareTo(rows.next()) >= 0) {
                found.put(task.id(), task);
            }
        }
        List<Task> tasks = found.values().stream().limit(query.limit()).toList();
        return new TaskStore.Page(
                tasks, tasks.size() < found.size() ? tasks.getLast().id() : rows.next());
    }

    /** @param fresh as for one */
    public Listing list(TaskStore.Query query, boolean fresh) {
        TaskStore.Page page = page(query);
        List<Task> tasks = page.tasks().stream()
                .map(row -> live.find(row.id()).map(LiveCommand::task).orElse(row))
                .toList();
        return new Listing(views(tasks, fresh), countActive(), page.next());
    }

    private long countActive() {
        String owner = caller.actor().owner();
        long count = store.countActive(owner);
        for (Task task : transitions.late()) {
            boolean counted = task.version() > 0;
            boolean counts = !task.status().ended();
            if (counted != counts && caller.actor().sees(task.command().owner())) {
                count += counts ? 1 : -1;
            }
        }
        return count;
    }

    /** Forgets an ended task and its output. */
    public void delete(TaskId id) {
        if (!find(id).status().ended()) {
            throw new Refusal(
                    ErrorKind.TASK_RUNNING,
                    id + " has not ended, so it cannot be deleted.",
                    "Stop it first with POST /v1/tasks/" + id + "/stop.");
        }
        forget(id);
    }

    /** The same of one that is known to have ended, by the server itself. */
    void forget(TaskId id) {
        Runnable row = () -> store.forget(id, clock.instant());
        Runnable deletion = () -> leftovers.forgetWhenQuiet(id, row).join();
        live.find(id).ifPresentOrElse(command -> transitions.forget(command, deletion), deletion);
    }
}
