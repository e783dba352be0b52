package dev.holdfast.runtime;

import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A command that this server runs, in its caller's window or as a task. Its {@link Task} is changed by
 * {@link Transitions} alone, under {@link #lock}. Thread-safe.
 */
public final class LiveCommand {
    private final Launch launch;
    private final CompletableFuture<HostedCommand> hosted = new CompletableFuture<>();
    private final CompletableFuture<Task> ended = new CompletableFuture<>();
    final ReentrantLock lock = new ReentrantLock();

    /** Whether its row lags behind it because the database failed; guarded by the lock. */
    boolean unsaved;

    private volatile Task task;
    private volatile @Nullable EndedBy limit;

    LiveCommand(Launch launch, Task task) {
        this.launch = launch;
        this.task = task;
    }

    public Launch launch() {
        return launch;
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
    CompletableFuture<HostedCommand> hosted() {
        return hosted;
    }

    /** Completes with the ended task after that is on record. */
    CompletableFuture<Task> ended() {
        return ended;
    }

    /** The limit of its own that is ending it, if one is. */
    @Nullable
    EndedBy limit() {
        return limit;
    }

    /** Says which limit ends it; the first one counts. */
    synchronized void limit(EndedBy reached) {
        if (limit == null) {
            limit = reached;
        }
    }
}
