package dev.holdfast.runtime;

import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Requests with an idempotency key: the first runs, every later one with the same body gets its command. The keys are in
 * the commands' folders, so that they hold across a restart, for as long as the folder is kept. Thread-safe.
 */
@Singleton
public final class Replays {
    private final Map<String, First> keys = new ConcurrentHashMap<>();
    private final LiveCommands live;
    private final TaskStore store;
    private final CommandHost host;
    private final OutputStore outputs;
    private final Answers answers;

    @Inject
    public Replays(LiveCommands live, TaskStore store, CommandHost host, OutputStore outputs, Answers answers) {
        this.live = live;
        this.store = store;
        this.host = host;
        this.outputs = outputs;
        this.answers = answers;
    }

    /** @param command completes when the first request was answered */
    private record First(String bodyDigest, CompletableFuture<TaskId> command) {}

    /** An answer and the command it tells of. */
    record Started(TaskId id, CommandAnswer answer) {}

    /** @throws Refusal {@code idempotency_key_reused}, or what {@code start} throws; then the key is free again */
    CommandAnswer once(Launch.Idempotency idempotency, CommandDiagnostics diagnostics, Supplier<Started> start) {
        First mine = new First(idempotency.bodyDigest(), new CompletableFuture<>());
        First first = keys.putIfAbsent(idempotency.key(), mine);
        if (first == null) {
            return answerFirst(idempotency.key(), mine, start);
        }
        if (!first.bodyDigest().equals(idempotency.bodyDigest())) {
            throw new Refusal(
                    ErrorKind.IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key was used for another request; nothing was started.",
                    "Use a new key for a new command; repeat a key only with the very same body.");
        }
        TaskId command = first.command().handle((id, failure) -> id).join();
        Optional<CommandAnswer> again = command == null ? Optional.empty() : again(command, diagnostics);
        if (again.isPresent()) {
            return again.get();
        }
        keys.remove(idempotency.key(), first);
        return once(idempotency, diagnostics, start);
    }

    private CommandAnswer answerFirst(String key, First mine, Supplier<Started> start) {
        try {
            Started started = start.get();
            mine.command().complete(started.id());
            return started.answer();
        } catch (RuntimeException failure) {
            keys.remove(key, mine);
            mine.command().completeExceptionally(failure);
            throw failure;
        }
    }

    /** A task as it stands now, or the answer its folder keeps; empty when it was forgotten. */
    private Optional<CommandAnswer> again(TaskId id, CommandDiagnostics diagnostics) {
        Optional<Task> task = live.find(id).map(LiveCommand::task).or(() -> store.find(id));
        return task.isPresent()
                ? task.map(known -> asItStands(known, diagnostics))
                : answers.kept(id).map(CommandAnswer.class::cast);
    }

    private CommandAnswer asItStands(Task task, CommandDiagnostics diagnostics) {
        return task.status().ended()
                ? answers.describe(task, diagnostics)
                : new PromotedToTask(
                        task,
                        outputs.preview(task.id(), diagnostics.outputCharBudget(), false),
                        Window.CLOSED,
                        diagnostics);
    }

    /** A key that the folder of a command of a former server holds. */
    public void remember(Launch.Idempotency idempotency, TaskId id) {
        keys.put(idempotency.key(), new First(idempotency.bodyDigest(), CompletableFuture.completedFuture(id)));
    }

    /** The folder is about to go, and with it the key. */
    void forget(TaskId id) {
        if (host.folder(id).orElse(null) instanceof CommandHost.Folder.Ended ended
                && ended.launch().idempotency() != null) {
            keys.remove(ended.launch().idempotency().key());
        }
    }
}
