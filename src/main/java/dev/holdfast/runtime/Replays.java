package dev.holdfast.runtime;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests with an idempotency key: the first runs, every later one with the same body gets its command. In memory
 * are those that are being answered; {@link KeyFiles} has all. Thread-safe.
 */
@Singleton
public final class Replays {
    private final Map<String, First> keys = new ConcurrentHashMap<>();
    private final LiveCommands live;
    private final TaskStore store;
    private final Answers answers;
    private final KeyFiles files;

    public Replays(LiveCommands live, TaskStore store, Answers answers, KeyFiles files) {
        this.live = live;
        this.store = store;
        this.answers = answers;
        this.files = files;
    }

    /** @param command completes when the first request was answered */
    private record First(String bodyDigest, CompletableFuture<@Nullable TaskId> command) {}

    /** @param id of the command that the answer tells of; null when nothing was started yet */
    public record Started(@Nullable TaskId id, CommandAnswer answer) {}

    /**
     * @throws Refusal {@code idempotency_key_reused}; {@code task_not_found}, where its command was forgotten; or what
     *     {@code start} throws: then the key is free again
     */
    public CommandAnswer once(Launch.Idempotency idempotency, CommandDiagnostics diagnostics, Supplier<Started> start) {
        First mine = new First(idempotency.bodyDigest(), new CompletableFuture<>());
        First first = keys.putIfAbsent(idempotency.key(), mine);
        if (first == null) {
            return answerFirst(idempotency, mine, diagnostics, start);
        }
        refuseOtherBody(idempotency, first.bodyDigest());
        TaskId command = first.command().handle((id, failure) -> id).join();
        Optional<CommandAnswer> again = command == null ? Optional.empty() : again(command, diagnostics);
        if (again.isPresent()) {
            return again.get();
        }
        keys.remove(idempotency.key(), first);
        return once(idempotency, diagnostics, start);
    }

    private CommandAnswer answerFirst(
            Launch.Idempotency idempotency, First mine, CommandDiagnostics diagnostics, Supplier<Started> start) {
        try {
            Optional<Started> before = answeredBefore(idempotency, diagnostics);
            Started started = before.orElseGet(start);
            mine.command().complete(started.id());
            if (started.id() == null || files.has(idempotency.key(), started.id())) {
                keys.remove(idempotency.key(), mine);
            }
            return started.answer();
        } catch (RuntimeException | Error failure) {
            keys.remove(idempotency.key(), mine);
            mine.command().completeExceptionally(failure);
            throw failure;
        }
    }

    /**
     * What the command of a key that is kept on disk came to; empty where none ran.
     *
     * @throws Refusal as {@link #once}
     */
    public Optional<Started> answeredBefore(Launch.Idempotency idempotency, CommandDiagnostics diagnostics) {
        KeyFiles.Known known = files.find(idempotency.key()).orElse(null);
        if (known == null) {
            return Optional.empty();
        }
        TaskId command = known.command();
        Optional<CommandAnswer> again = again(command, diagnostics);
        Optional<Instant> forgotten =
                again.isPresent() ? Optional.empty() : store.forgotten(command).map(TaskStore.Forgotten::at);
        if (again.isEmpty() && forgotten.isEmpty() && !answers.keeps(command)) {
            return Optional.empty(); // it was refused, so that nothing ran
        }
        refuseOtherBody(idempotency, known.bodyDigest());
        return Optional.of(new Started(command, again.orElseThrow(() -> ranOnce(command, forgotten))));
    }

    /**
     * The command that a former server started by this key; nothing where none was, or it was refused.
     *
     * @throws Refusal {@code idempotency_key_reused}
     */
    public Optional<TaskId> ran(Launch.Idempotency idempotency) {
        Optional<KeyFiles.Known> ran = files.find(idempotency.key()).filter(known -> ran(known.command()));
        ran.ifPresent(known -> refuseOtherBody(idempotency, known.bodyDigest()));
        return ran.map(KeyFiles.Known::command);
    }

    /** Whether it was started, whatever became of it. */
    public boolean ran(TaskId id) {
        return live.find(id).isPresent()
                || store.find(id).isPresent()
                || answers.keeps(id)
                || store.forgotten(id).isPresent();
    }

    /**
     * It did what it did: to run it again is for its caller to say.
     *
     * @param forgotten empty when the answer that its folder keeps cannot be read
     */
    private static Refusal ranOnce(TaskId command, Optional<Instant> forgotten) {
        String ran = "The command of this Idempotency-Key ran as " + command;
        return new Refusal(
                ErrorKind.TASK_NOT_FOUND,
                ran
                        + (forgotten.isPresent()
                                ? ", which was forgotten, with its output."
                                : ", and what was answered cannot be read.")
                        + " Nothing was started.",
                "Use a new key to run it again.",
                forgotten
                        .<Map<String, Object>>map(at -> Map.of("task_id", command.value(), "forgotten_at", at))
                        .orElseGet(() -> Map.of("task_id", command.value())));
    }

    /** @throws Refusal {@code idempotency_key_reused} */
    public static void refuseOtherBody(Launch.Idempotency idempotency, String firstDigest) {
        if (!firstDigest.equals(idempotency.bodyDigest())) {
            throw new Refusal(
                    ErrorKind.IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key was used for another request; nothing was started.",
                    "Use a new key for a new command; repeat a key only with the very same body.");
        }
    }

    /** A task as it stands now, or the answer its folder keeps; empty when it was forgotten. */
    private Optional<CommandAnswer> again(TaskId id, CommandDiagnostics diagnostics) {
        Optional<LiveCommand> runs = live.find(id);
        Optional<Task> task = runs.map(LiveCommand::task).or(() -> store.find(id));
        String because = runs.map(LiveCommand::promotedBecause).orElse(Answers.WINDOW_CLOSED);
        return task.isPresent()
                ? task.map(known -> asItStands(known, because, diagnostics))
                : answers.kept(id).map(CommandAnswer.class::cast);
    }

    private CommandAnswer asItStands(Task task, String because, CommandDiagnostics diagnostics) {
        return task.status().ended()
                ? answers.describe(task, diagnostics)
                : answers.promoted(task, because, diagnostics);
    }

    /** Before the command is started, and so before anybody is told of it. */
    public void keep(Launch.Idempotency idempotency, TaskId id) {
        files.keep(idempotency, id);
    }
}
