package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Brings a command to life, new or adopted, with everything that looks after it from then on. */
@Singleton
public final class Starter {
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

    /**
     * Starts a command that holds its claim already.
     *
     * @throws Refusal nothing runs, and the claim is free again
     */
    LiveCommand start(Launch launch) {
        LiveCommand command =
                new LiveCommand(launch, Task.queued(launch.id(), launch.command(), launch.createdAt()));
        try {
            live.add(command);
        } catch (Refusal full) {
            claims.release(launch.duplicateKey(), launch.id());
            throw full;
        }
        try {
            HostedCommand hosted = host.start(launch);
            lookAfter(command, hosted);
        } catch (RuntimeException failure) {
            claims.release(launch.duplicateKey(), launch.id());
            live.remove(launch.id());
            live.release();
            command.hosted().completeExceptionally(failure);
            throw failure;
        }
        return command;
    }

    /**
     * Takes a command of a former server over.
     *
     * @param task as its row or its folder tells, running
     */
    public LiveCommand adopt(CommandHost.Folder.Running folder, Task task) {
        LiveCommand command = new LiveCommand(folder.launch(), task);
        claims.add(folder.launch().duplicateKey(), folder.id());
        live.adopt(command);
        lookAfter(command, host.adopt(folder));
        return command;
    }

    private void lookAfter(LiveCommand command, HostedCommand hosted) {
        if (command.task().startedAt() == null) {
            transitions.apply(command, new TaskEvent.Spawned());
        }
        command.hosted().complete(hosted);
        outputs.govern(command.id(), () -> Thread.startVirtualThread(
                () -> deadlines.reach(command, EndedBy.OUTPUT_LIMIT)));
        deadlines.arm(command, hosted);
        endings.follow(command, hosted);
    }
}
