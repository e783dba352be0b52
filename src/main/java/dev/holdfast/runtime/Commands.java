package dev.holdfast.runtime;

import dev.holdfast.task.CommandAnswer;
import org.jspecify.annotations.Nullable;

/** Runs commands for callers. Thread-safe; blocks, so call it on a virtual thread. */
public interface Commands {
    /**
     * Blocks until the command ended, its window closed or a condition held.
     *
     * @param idempotency the key its caller gave, with a digest of the request; null without one
     * @throws Refusal nothing was started
     */
    CommandAnswer start(StartRequest request, Launch.@Nullable Idempotency idempotency);

    /** Blocks until every item ended or was skipped. */
    BatchAnswer batch(BatchRequest request);
}
