package dev.holdfast.runtime;

import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The one caller of {@link TaskLifecycle}: applies an event to a live command, saves the row when it is a task, and
 * publishes after that. A command in its window has no row; promotion inserts it. Blocks on the database.
 */
@ApplicationScoped
public class Transitions {
    private static final Logger LOG = Logger.getLogger(Transitions.class);
    /** After a first failure, which may be the only one, and for what came late while others were saved. */
    private static final Duration SOON = Duration.ofMillis(20);

    /** While the database goes on failing: a try may cost it a restart. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final TaskStore store;
    private final LiveCommands live;
    private final TaskChanges changes;
    private final Audit audit;
    private final InstantSource clock;
    /** Whose rows lag behind because the database failed. */
    private final Queue<LiveCommand> late = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean trying = new AtomicBoolean();

    public Transitions(TaskStore store, LiveCommands live, TaskChanges changes, Audit audit, InstantSource clock) {
        this.store = store;
        this.live = live;
        this.changes = changes;
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * The task after the event, on record: in its row, or, while the database cannot be written, in its folder alone,
     * from which the row is made as soon as it can.
     */
    public Task apply(LiveCommand command, TaskEvent event) {
        return apply(command, event, clock.instant());
    }

    /** The same of what happened at that moment. */
    Task apply(LiveCommand command, TaskEvent event, Instant at) {
        synchronized (command) {
            Task before = command.task();
            Task after = TaskLifecycle.apply(before, event, at);
            if (after.equals(before)) {
                return before;
            }
            tellEnd(after, command.launch().startedBy());
            command.task(record(command, before, after));
            forgetWhenDone(command);
        }
        changes.publish(command.task());
        return command.task();
    }

    /** An ended task whose row is on disk is found there from now on. */
    private void forgetWhenDone(LiveCommand command) {
        if (command.task().status().ended() && command.task().promotedAt() != null && !command.unsaved) {
            live.remove(command.id());
        }
    }

    /**
     * What runs and was started by a former server.
     *
     * @param row null where that had it in its caller's window: it is a task since {@code at}
     */
    LiveCommand takenUp(Launch launch, @Nullable Task row, Instant at) {
        if (row != null) {
            return new LiveCommand(launch, row);
        }
        LiveCommand command = new LiveCommand(launch);
        synchronized (command) {
            command.task(record(command, command.task(), promoted(command, at)));
        }
        return command;
    }

    /**
     * Ends what ended, or was lost, while no server ran. It is found from now on.
     *
     * @param row as of {@link #takenUp}
     */
    public void end(Launch launch, @Nullable Task row, Ending ending, Instant at) {
        LiveCommand command = row != null ? new LiveCommand(launch, row) : new LiveCommand(launch);
        Task running = row != null ? row : promoted(command, at);
        Task ended = TaskLifecycle.apply(running, new TaskEvent.Ended(ending), at);
        tellEnd(ended, launch.startedBy());
        live.put(command);
        synchronized (command) {
            command.task(record(command, command.task(), ended));
            forgetWhenDone(command);
        }
        command.ended().complete(command.task());
        changes.publish(command.task());
    }

    private static Task promoted(LiveCommand queued, Instant at) {
        Instant created = queued.launch().createdAt();
        Task started = TaskLifecycle.apply(queued.task(), new TaskEvent.Spawned(), created);
        return TaskLifecycle.apply(started, new TaskEvent.Promoted(), at);
    }

    /** Before it is on record: a server that is killed in between may tell an end twice, and leaves none out. */
    private void tellEnd(Task task, @Nullable String startedBy) {
        if (task.status().ended()) {
            audit.ended(task, startedBy);
        }
    }

    /** A change of what is on record without a change of status: the terminal's size. */
    public void rewrite(LiveCommand command, UnaryOperator<Task> change) {
        synchronized (command) {
            if (!command.task().status().ended()) {
                command.task(record(command, command.task(), change.apply(command.task())));
            }
        }
    }

    private Task record(LiveCommand command, Task before, Task after) {
        if (after.promotedAt() == null) {
            return after;
        }
        if (!late.isEmpty()) {
            // The database fails just now: each try costs it a restart, and this end would wait for those before it.
            saveLater(command);
            return after;
        }
        try {
            Task saved = saved(() -> before.promotedAt() == null ? store.insert(after) : store.save(after));
            command.unsaved = false;
            return saved;
        } catch (RuntimeException | Error failure) {
            LOG.warnf("%s could not be saved, its folder keeps the truth; trying again: %s", after.id(), failure);
            saveLater(command);
            return after;
        }
    }

    /**
     * One at a time: with several at once on a full disk a row that the database had taken was seen to be as before
     * (decision 0020).
     */
    private Task saved(Supplier<Task> write) {
        synchronized (late) {
            return write.get();
        }
    }

    private void saveLater(LiveCommand command) {
        if (!command.unsaved) {
            command.unsaved = true;
            late.add(command);
            tryAfter(SOON);
        }
    }

    private void tryAfter(Duration pause) {
        if (!late.isEmpty() && trying.compareAndSet(false, true)) {
            var _ = Threads.after(pause, this::saveLate);
        }
    }

    private void saveLate() {
        boolean all = false;
        try {
            all = allSaved();
            if (all) {
                LOG.info("All that could not be saved is saved now");
            }
        } finally {
            trying.set(false);
            tryAfter(all ? SOON : RETRY);
        }
    }

    /** The tasks whose rows lag behind, as they are; their version is 0 where there is none yet. */
    List<Task> late() {
        return late.stream().map(LiveCommand::task).toList();
    }

    /** One after the other until one fails, which goes to the end, so that it holds up no other for good. */
    private boolean allSaved() {
        LiveCommand command = late.peek();
        while (command != null && saveAgain(command)) {
            late.remove(command);
            command = late.peek();
        }
        if (command != null && late.remove(command)) {
            late.add(command);
        }
        return command == null;
    }

    /** @return false when it has to be tried again */
    private boolean saveAgain(LiveCommand command) {
        synchronized (command) {
            try {
                if (command.unsaved) {
                    Task task = command.task();
                    long version = store.find(task.id()).map(Task::version).orElse(-1L);
                    command.task(saved(() -> version < 0 ? store.insert(task) : store.save(task.withVersion(version))));
                    command.unsaved = false;
                    forgetWhenDone(command);
                }
                return true;
            } catch (RuntimeException | Error failure) {
                LOG.debugf("%s still could not be saved: %s", command.id(), failure);
                return false;
            }
        }
    }

    /** Deletes its task: nothing of it is written any more. Where that fails it stands as it did. */
    void forget(LiveCommand command, Runnable deletion) {
        synchronized (command) {
            deletion.run();
            command.unsaved = false;
            late.remove(command);
            live.remove(command.id());
        }
    }
}
