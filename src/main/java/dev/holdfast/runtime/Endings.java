package dev.holdfast.runtime;

import dev.holdfast.duplicate.Claims;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Exit;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jboss.logging.Logger;

/** What happens when a command's own process has ended. Each ending runs on a virtual thread of its own. */
@Singleton
public final class Endings {
    private static final Logger LOG = Logger.getLogger(Endings.class);
    private static final Executor VIRTUAL = Thread::startVirtualThread;

    private final Transitions transitions;
    private final LiveCommands live;
    private final Claims claims;
    private final Leftovers leftovers;

    @Inject
    public Endings(Transitions transitions, LiveCommands live, Claims claims, Leftovers leftovers) {
        this.transitions = transitions;
        this.live = live;
        this.claims = claims;
        this.leftovers = leftovers;
    }

    void follow(LiveCommand command, HostedCommand hosted) {
        var _ = hosted.exit().thenAcceptAsync(exit -> ended(command, hosted, exit), VIRTUAL);
    }

    private void ended(LiveCommand command, HostedCommand hosted, Exit exit) {
        try {
            EndedBy limit = command.limit();
            Ending ending = Ending.of(exit).with(hosted.endingDetails());
            if (limit != null || command.launch().command().onExit() == OnExit.STOP) {
                hosted.stop(Duration.ZERO);
            }
            claims.release(command.launch().duplicateKey(), command.id());
            live.freePlace();
            leftovers.watchUntilQuiet(command.id());
            Task task = transitions.apply(command, new TaskEvent.Ended(limit == null ? ending : ending.by(limit)));
            command.ended().complete(task);
        } catch (RuntimeException failure) {
            LOG.errorf(
                    failure,
                    "%s ended (%s), which could not be recorded; its folder keeps the truth",
                    command.id(),
                    exit);
            command.ended().completeExceptionally(failure);
        }
    }
}
