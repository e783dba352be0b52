package dev.holdfast.host.stop;

import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Stops tasks until they are verified gone, one stop a task at a time: a second one joins the first. Each runs on a
 * virtual thread of its own, so that an interrupted caller does not leave half a task behind; callers wait for it.
 */
@Singleton
public final class StopLoop {
    private final Lineage lineage;
    private final ConcurrentMap<TaskId, Stopping> stops = new ConcurrentHashMap<>();

    public StopLoop(Lineage lineage) {
        this.lineage = lineage;
    }

    /**
     * Ends everything that a command started, detached or not: TERM to the session, the grace, then KILL until all is
     * verified gone, the launcher last. Blocks meanwhile; a second call for the same task joins the first, and a
     * shorter grace shortens it. With a grace of zero nothing is asked to leave: STOP and KILL come at once. After the
     * grace it takes at most {@link Stopping#LIMIT}.
     *
     * @return pids that live although they were sent KILL
     * @throws RuntimeException when it could not be looked whether all are gone, for want of descriptors, until then
     */
    public List<Long> stop(TaskProcess target, Duration grace) {
        return stop(target, grace, null);
    }

    /**
     * The same over the death of this server.
     *
     * @param asked a file that is made once TERM was sent; where it is there, a server before this one has sent it, and
     *     only the grace is left. Null: nobody goes on with this stop
     */
    public List<Long> stop(TaskProcess target, Duration grace, @Nullable Path asked) {
        Stopping mine = new Stopping(target, lineage, grace, asked, () -> stops.remove(target.id()));
        Stopping first = stops.putIfAbsent(target.id(), mine);
        if (first != null) {
            first.shorten(grace);
            return first.survivors().join();
        }
        Threads.start(mine);
        return mine.survivors().join();
    }
}
