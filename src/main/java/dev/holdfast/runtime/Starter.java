package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Signal;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Brings a command to life, new or adopted, with everything that looks after it from then on. */
@Singleton
public final class Starter {
    /** Between TERM and KILL of a command that a former server was stopping. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final CommandHost host;
    private final LiveCommands live;
    private final Transitions transitions;
    private final OutputStore outputs;
    private final Deadlines deadlines;
    private final Endings endings;
    private final Claims claims;

    @Inject
    public Starter(
            CommandHost host,
            LiveCommands live,
            Transitions transitions,
            OutputStore outputs,
            Deadlines deadlines,
            Endings endings,
            Claims claims) {
        this.host = host;
        this.live = live;
        this.transitions = transitions;
        this.outputs = outputs;
        this.deadlines = deadlines;
        this.endings = endings;
        this.claims = claims;
    }

    /** A command that can be found from now on; to be started once it holds its claim, or discarded. */
    LiveCommand prepare(Launch launch) {
        LiveCommand command = new LiveCommand(launch, Task.queued(launch.id(), launch.command(), launch.createdAt()));
        live.put(command);
        return command;
    }

    /** Another one holds the claim. */
    void discard(LiveCommand command) {
        live.remove(command.id());
    }

    /**
     * Starts a command that holds its claim.
     *
     * @throws Refusal nothing runs, and the claim is free again
     */
    void start(LiveCommand command) {
        try {
            refuseWithoutRoom();
            live.takePlace();
        } catch (Refusal full) {
            giveUp(command, full);
            throw full;
        }
        try {
            lookAfter(command, host.start(command.launch()));
        } catch (RuntimeException failure) {
            live.freePlace();
            giveUp(command, failure);
            throw failure;
        }
    }

    /** Whoever waits for its start is told last, when the claim can be had again. */
    private void giveUp(LiveCommand command, RuntimeException failure) {
        claims.release(command.launch().duplicateKey(), command.id());
        live.remove(command.id());
        command.hosted().completeExceptionally(failure);
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
     * @param task as its row or its folder tells, running
     * @param cause why the former server was ending it, when it was; its end is brought about now
     */
    public void adopt(CommandHost.Folder.Running folder, Task task, Optional<EndedBy> cause) {
        LiveCommand command = new LiveCommand(folder.launch(), task);
        claims.add(folder.launch().duplicateKey(), folder.id());
        live.put(command);
        live.takePlaceAnyway();
        lookAfter(command, host.adopt(folder));
        cause.ifPresent(why -> Thread.startVirtualThread(() -> goOnEnding(command, why)));
    }

    private void goOnEnding(LiveCommand command, EndedBy cause) {
        if (cause == EndedBy.STOP) {
            claims.release(command.launch().duplicateKey(), command.id());
            transitions.apply(command, new TaskEvent.StopRequested());
            command.hosted().join().stop(GRACE);
        } else {
            deadlines.reach(command, cause);
        }
    }

    private void lookAfter(LiveCommand command, HostedCommand hosted) {
        if (command.task().startedAt() == null) {
            transitions.apply(command, new TaskEvent.Spawned());
        }
        command.hosted().complete(hosted);
        outputs.govern(command.id(), writer(command, hosted));
        deadlines.arm(command, hosted);
        endings.follow(command, hosted);
    }

    private OutputStore.Writer writer(LiveCommand command, HostedCommand hosted) {
        return new OutputStore.Writer() {
            @Override
            public void limit() {
                deadlines.reach(command, EndedBy.OUTPUT_LIMIT);
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
