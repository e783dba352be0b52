package dev.holdfast.runtime;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.render.Receipts;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What somebody is told who asks for a task that is not there: that it was forgotten, or else what runs, of his own.
 * Thread-safe.
 */
@Singleton
public record UnknownTasks(
        Caller caller, TaskStore store, LiveCommands live, CommandHost host, Answers answers, InstantSource clock) {
    /** How long what was forgotten is known to have been. */
    private static final Duration KNOWN = Duration.ofDays(30);
    /** Of that, the newest; some 100 bytes each. */
    private static final int MOST_KNOWN = 50_000;

    private static final int SHOWN = 5;
    private static final String HINT =
            "List tasks with GET /v1/tasks?status=all; ended ones are forgotten after a while. A command"
                    + " that ended in its window has none.";

    /** An id that could be one. */
    Refusal refusal(TaskId id) {
        Actor actor = caller.actor();
        Optional<Instant> forgotten = store.forgotten(id)
                .filter(known -> actor.sees(known.owner()))
                .map(TaskStore.Forgotten::at)
                .filter(oldest()::isBefore);
        return forgotten
                .map(at -> new Refusal(
                        ErrorKind.TASK_NOT_FOUND,
                        id + " was forgotten, with its output.",
                        "Start its command again if it is still needed; what is kept is listed by"
                                + " GET /v1/tasks?status=all.",
                        Map.of("task_id", id.value(), "forgotten_at", at)))
                .or(() -> endedInItsWindow(id))
                .orElseGet(() -> new Refusal(
                        ErrorKind.TASK_NOT_FOUND,
                        "There is no task " + id + ".",
                        HINT,
                        Map.of("task_id", id.value(), "running", running())));
    }

    /** Of one whose folder is kept, for its files, whose paths name the id, or for its key. */
    private Optional<Refusal> endedInItsWindow(TaskId id) {
        if (!answers.keeps(id)
                || !(host.folder(id).orElse(null) instanceof CommandHost.Folder.Ended ended)
                || !caller.actor().sees(ended.launch().command().owner())) {
            return Optional.empty();
        }
        String where = answers.kept(id)
                .flatMap(answer -> Receipts.kept(answer.artifacts()))
                .map(files -> "kept in " + files)
                .orElse("in its answer");
        return Optional.of(new Refusal(
                ErrorKind.TASK_NOT_FOUND,
                id + " ended before it became a task.",
                "All that it printed is " + where + ".",
                Map.of("task_id", id.value(), "in_window", true, "running", running())));
    }

    /** The same where only the beginning of an id is known, and what else it must be; nothing but of a single one. */
    public Optional<Refusal> forgotten(String beginning, Predicate<TaskId> meant) {
        List<Refusal> known = store.forgotten(beginning).stream()
                .filter(meant)
                .map(this::refusal)
                .filter(refusal -> refusal.details().containsKey("forgotten_at"))
                .toList();
        return known.size() == 1 ? Optional.of(known.getFirst()) : Optional.empty();
    }

    /** The same refusal with what runs, where it tells nothing yet: of a text that is no id. */
    public Refusal completed(Refusal refusal) {
        return refusal.kind() == ErrorKind.TASK_NOT_FOUND && refusal.details().isEmpty()
                ? new Refusal(
                        refusal.kind(), refusal.getMessage(), refusal.recoveryHint(), Map.of("running", running()))
                : refusal;
    }

    private List<Map<String, String>> running() {
        Actor actor = caller.actor();
        return live.tasks()
                .filter(task -> actor.sees(task.command().owner()))
                .sorted(Comparator.comparing(Task::id).reversed())
                .limit(SHOWN)
                .map(task -> Map.of(
                        "task_id",
                        task.id().value(),
                        "command",
                        Diagnostics.summary(task.command().invocation())))
                .toList();
    }

    /** Drops what was forgotten long ago. */
    void sweep() {
        store.sweepForgotten(oldest(), MOST_KNOWN);
    }

    private Instant oldest() {
        return clock.instant().minus(KNOWN);
    }
}
