package dev.holdfast.runtime;

import dev.holdfast.runtime.line.TypedLine;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A command that this server runs, in its caller's window or as a task. Its {@link Task} is changed by
 * {@link Transitions} alone, while that holds its lock. Thread-safe.
 */
public final class LiveCommand {
    private volatile Launch launch;
    private final CompletableFuture<HostedCommand> hosted = new CompletableFuture<>();
    private final CompletableFuture<Task> ended = new CompletableFuture<>();

    /** Whether its row lags behind it because the database failed; guarded by this. */
    boolean unsaved;

    /** Guarded by this. */
    private CompletableFuture<Boolean> stopping = CompletableFuture.completedFuture(true);

    /** What is being typed into it. */
    private volatile TypedLine typed = TypedLine.EMPTY;

    private volatile Task task;
    private volatile List<LeftProcess> left = List.of();
    private volatile String promotedBecause = Answers.WINDOW_CLOSED;
    private final AtomicReference<@Nullable EndedBy> limit = new AtomicReference<>();

    /** Not spawned yet. */
    LiveCommand(Launch launch) {
        this(launch, Task.queued(launch.id(), launch.command(), launch.createdAt()));
    }

    LiveCommand(Launch launch, Task task) {
        this.launch = launch;
        this.task = task;
    }

    public Launch launch() {
        return launch;
    }

    /** It was spawned: what its environment holds, which may be much and secret, is not kept beyond that. */
    void forgetEnvironment() {
        launch = launch.withoutEnvironment();
    }

    public TypedLine typed() {
        return typed;
    }

    public void typed(TypedLine next) {
        typed = next;
    }

    public TaskId id() {
        return launch.id();
    }

    public Task task() {
        return task;
    }

    void task(Task next) {
        task = next;
    }

    /** Its processes; completes when it was spawned, exceptionally when it could not be. */
    public CompletableFuture<HostedCommand> hosted() {
        return hosted;
    }

    /** Completes with the ended task after that is on record. */
    public CompletableFuture<Task> ended() {
        return ended;
    }

    /** The ended task; nothing when its end is not on record after so long, which is no failure of {@link #ended}. */
    public Optional<Task> awaitEnd(Duration limit) {
        return ended.copy()
                .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .handle((task, _) -> Optional.ofNullable(task))
                .join();
    }

    /** Completes when a stop that goes on is through; at once when none does. */
    synchronized CompletableFuture<Boolean> stopping() {
        return stopping;
    }

    /**
     * @return to be completed when this stop is through, whichever of several at once is first: it has seen all gone
     */
    synchronized CompletableFuture<Boolean> beginStop() {
        if (stopping.isDone()) {
            stopping = new CompletableFuture<>();
        }
        return stopping;
    }

    /** What outlived it when it ended in its caller's window. */
    public List<LeftProcess> left() {
        return left;
    }

    void left(List<LeftProcess> living) {
        left = living;
    }

    /** Why its caller's window closed, for who repeats its key; of what a former server had that is not known. */
    String promotedBecause() {
        return promotedBecause;
    }

    public void promotedBecause(String reason) {
        promotedBecause = reason;
    }

    /** The limit of its own that is ending it, if one is. */
    @Nullable
    EndedBy limit() {
        return limit.get();
    }

    /** Says which limit ends it; the first one counts. */
    void limit(EndedBy reached) {
        limit.compareAndSet(null, reached);
    }
}
