package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.Tasks;
import dev.holdfast.runtime.call.Refusal;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;

/**
 * Waits for tasks on behalf of callers. Thread-safe; blocks, so call it on a virtual thread: one that sleeps costs
 * none.
 */
@Singleton
public record Waits(Conditions conditions, Tasks tasks) {
    /**
     * Blocks until any (or all) of the conditions came true, can't come true any more, or the time is over. What is
     * true already answers at once. All can't come true any more as soon as one of them can't.
     *
     * @param over ends the wait when it completes in any way; the answer then says what had come true so far
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none; nothing waited
     */
    public WaitAnswer await(WaitRequest request, CompletableFuture<?> over) {
        try (Wait wait = conditions.begin(request.all(), request.conditions())) {
            boolean timedOut = wait.await(request.timeout(), over);
            return new WaitAnswer(
                    wait.satisfied(), timedOut, wait.matches(), tasks.views(wait.tasks()), wait.impossible());
        }
    }
}
