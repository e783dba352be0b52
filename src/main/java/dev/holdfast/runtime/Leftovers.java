package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Processes that outlive their command and still hold its output: what they write stays recorded and within its budget,
 * and a folder that is to go stays until they are gone. Costs nothing while there are none.
 */
@Singleton
public final class Leftovers {
    private static final long LOOK_SECONDS = 5;

    private final OutputStore outputs;
    private final CommandHost host;
    /** Whose output is still held, and whether its folder goes afterwards. */
    private final Map<TaskId, Boolean> held = new ConcurrentHashMap<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("leftovers").factory());

    @Inject
    public Leftovers(OutputStore outputs, CommandHost host) {
        this.outputs = outputs;
        this.host = host;
    }

    /**
     * Cares for the output of a command that ended before this server began: somebody may still write it, and it may lie
     * beyond its budget. Of who writes it nothing is known that could be ended for it.
     */
    public void takeOver(TaskId id) {
        outputs.govern(id, () -> {});
        watchUntilQuiet(id);
    }

    /** Ends the care for a command's output, as soon as nobody writes it any more. */
    void watchUntilQuiet(TaskId id) {
        if (!outputs.isHeld(id)) {
            outputs.release(id);
        } else if (held.put(id, false) == null) {
            lookLater(id);
        }
    }

    /**
     * Deletes a command's folder, as soon as nobody writes its output any more. Returns at once.
     *
     * @return completes when it is deleted, or left until its writers are gone
     */
    CompletableFuture<Void> forgetWhenQuiet(TaskId id) {
        return held.computeIfPresent(id, (_, _) -> true) == null
                ? CompletableFuture.runAsync(() -> host.forget(id), timer)
                : CompletableFuture.completedFuture(null);
    }

    private void lookLater(TaskId id) {
        var _ = timer.schedule(() -> look(id), LOOK_SECONDS, TimeUnit.SECONDS);
    }

    private void look(TaskId id) {
        if (outputs.isHeld(id)) {
            lookLater(id);
            return;
        }
        outputs.release(id);
        if (Boolean.TRUE.equals(held.remove(id))) {
            host.forget(id);
        }
    }

    @PreDestroy
    void close() {
        timer.shutdown();
    }
}
