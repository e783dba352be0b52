package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Brings a command to life, new or adopted, with everything that looks after it from then on. */
@Singleton
public record Starter(
        CommandHost host,
        LiveCommands live,
        Transitions transitions,
        OutputStore outputs,
        Deadlines deadlines,
        Endings endings,
        Claims claims,
        Leftovers leftovers,
        Audit audit,
        InstantSource clock) {
    private static final Logger LOG = Logger.getLogger(Starter.class);

    /** A command that can be found from now on; to be started once it holds its claim. */
    public LiveCommand prepare(Launch launch) {
        LiveCommand command = new LiveCommand(launch);
        live.put(command);
        return command;
    }

    /**
     * Starts a command that holds its claim. It has run since before it was spawned: a busy server may come to see that
     * it runs when it has ended.
     *
     * @throws Refusal nothing runs, and the claim is free again; or what runs survived its stop, and is a task
     */
    public void start(LiveCommand command) {
        Instant at = clock.instant();
        HostedCommand hosted = spawned(command);
        try {
            begun(command, hosted, at);
        } catch (RuntimeException | Error failure) {
            throw undone(command, hosted, failure);
        }
        command.hosted().complete(hosted);
    }

    private void begun(LiveCommand command, HostedCommand hosted, Instant at) {
        try {
            command.forgetEnvironment();
            transitions.apply(command, new TaskEvent.Spawned(), at);
            lookAfter(command, hosted);
        } finally {
            endings.follow(command, hosted); // frees claim and place from now on, whatever else fails
        }
    }

    private HostedCommand spawned(LiveCommand command) {
        boolean placed = false;
        try {
            refuseWithoutRoom();
            live.takePlace();
            placed = true;
            audit.starts(command.launch());
            return hosted(command.launch());
        } catch (RuntimeException | Error failure) {
            giveUp(command, failure, placed);
            throw failure;
        }
    }

    private HostedCommand hosted(Launch launch) {
        try {
            return host.start(launch);
        } catch (RuntimeException | Error failure) {
            audit.startFailed(launch);
            throw failure;
        }
    }

    /**
     * Whether there is room for one more by now.
     *
     * @throws Refusal {@code capacity_exhausted} or {@code storage_full}
     */
    public void requireRoom() {
        refuseWithoutRoom();
        live.requirePlace();
    }

    /** Of what does not start. Whoever waits for its start is told last, when the claim can be had again. */
    public void giveUp(LiveCommand command, Throwable failure, boolean placed) {
        if (placed) {
            live.freePlace();
        }
        claims.release(command.launch().duplicateKey(), command.id());
        live.remove(command.id());
        command.hosted().completeExceptionally(failure);
    }

    /**
     * Stops what runs but cannot be looked after. Its claim is free at once, its place when it has ended; its folder
     * goes then. What survives becomes a task, so that it can be found. Whoever waits for its start is told in any
     * case.
     */
    private Refusal undone(LiveCommand command, HostedCommand hosted, Throwable failure) {
        claims.release(command.launch().duplicateKey(), command.id());
        boolean gone = false;
        try {
            LOG.warnf(failure, "%s was started but cannot be looked after; it is stopped", command.id());
            gone = stopped(command, hosted);
            if (gone) {
                var _ = command.ended().thenRun(() -> {
                    live.remove(command.id());
                    var _ = leftovers.forgetWhenQuiet(command.id());
                });
                command.hosted().completeExceptionally(failure);
            } else {
                transitions.apply(command, new TaskEvent.Promoted());
            }
        } finally {
            command.hosted().complete(hosted);
        }
        return new Refusal(
                ErrorKind.COMMAND_SPAWN_FAILED,
                "The command was started but could not be looked after (" + failure.getMessage() + "); "
                        + (gone ? "it was stopped." : "it survived its stop and is now " + command.id() + "."),
                (gone ? "Try again" : "Stop that task with POST /v1/tasks/{id}/stop")
                        + "; when it repeats, the server has too few file descriptors or inotify watches.");
    }

    private static boolean stopped(LiveCommand command, HostedCommand hosted) {
        try {
            return hosted.stop(Duration.ZERO).isEmpty();
        } catch (RuntimeException | Error failure) {
            LOG.errorf(failure, "%s could not be stopped", command.id());
            return false;
        }
    }

    private void refuseWithoutRoom() {
        OutputStore.Space space = outputs.space();
        if (space.usable() < space.floor()) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "Only " + space.usable() + " bytes are free for the data folder, less than its floor of "
                            + space.floor() + "; nothing was started.",
                    "Free disk space, delete ended tasks (DELETE /v1/tasks/{id}), or lower holdfast.disk.floor.",
                    Map.of("usable_bytes", space.usable(), "floor_bytes", space.floor()));
        }
    }

    /**
     * Takes a command of a former server over.
     *
     * @param row null where it was in its caller's window
     * @param begun why the former server was ending it, when it was; this one goes on with that
     */
    public void adopt(CommandHost.Folder.Running folder, @Nullable Task row, Optional<Endings.Begun> begun) {
        LiveCommand command = transitions.takenUp(folder.launch(), row, clock.instant());
        if (folder.launch().window() == null) { // an item of a batch is nobody's duplicate
            claims.add(folder.launch().duplicateKey(), folder.id());
        }
        live.put(command);
        live.takePlaceAnyway();
        HostedCommand hosted = adopted(command, folder);
        command.hosted().complete(hosted);
        try {
            lookAfter(command, hosted);
        } catch (RuntimeException | Error failure) {
            LOG.errorf(failure, "%s goes on, but not all of its limits are watched", command.id());
        }
        try {
            if (command.task().startedAt() == null) {
                transitions.apply(
                        command, new TaskEvent.Spawned(), folder.launch().createdAt());
            }
        } finally {
            endings.follow(command, hosted);
        }
        begun.ifPresent(ending -> Threads.start(() -> goOnEnding(command, ending)));
    }

    private HostedCommand adopted(LiveCommand command, CommandHost.Folder.Running folder) {
        try {
            return host.adopt(folder);
        } catch (RuntimeException | Error failure) {
            giveUp(command, failure, true);
            throw failure;
        }
    }

    private void goOnEnding(LiveCommand command, Endings.Begun begun) {
        Duration left = endings.left(begun);
        if (begun.cause() == EndedBy.STOP) {
            endings.stop(command, left);
        } else {
            deadlines.reach(command, begun.cause(), left);
        }
    }

    /** Before its end is followed, which ends that. */
    private void lookAfter(LiveCommand command, HostedCommand hosted) {
        outputs.govern(command.id(), writer(command, hosted));
        deadlines.arm(command, hosted);
    }

    private OutputStore.Writer writer(LiveCommand command, HostedCommand hosted) {
        return new OutputStore.Writer() {
            @Override
            public void limit() {
                deadlines.reach(command, EndedBy.OUTPUT_LIMIT, Deadlines.GRACE);
            }

            @Override
            public void pause() {
                hosted.signal(Signal.STOP);
            }

            @Override
            public void resume() {
                hosted.signal(Signal.CONT);
            }
        };
    }
}
