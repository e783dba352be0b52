package dev.holdfast.runtime;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the readers of the feed look at.
 *
 * @param timer one thread for all of them; hand over, do not block
 */
record FeedSources(
        Tasks tasks,
        TaskStore store,
        LiveCommands live,
        OutputStore outputs,
        TaskChanges changes,
        InstantSource clock,
        ScheduledExecutorService timer) {}
