package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Silence: looked at when it may have lasted long enough, and not each time that something is printed. What was before
 * the wait is told by the time of the last output; from then on the clock that nobody sets has the last word.
 */
final class AwaitedIdle extends AwaitedOnThread {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Task task;
    private final Duration quiet;
    private final CompletableFuture<HostedCommand> hosted;
    private final OutputStore outputs;
    private final InstantSource clock;
    private long bytes = -1;
    private long lookedAt;
    private long quietSince;

    AwaitedIdle(
            Task task,
            Duration quiet,
            CompletableFuture<HostedCommand> hosted,
            OutputStore outputs,
            InstantSource clock) {
        this.task = task;
        this.quiet = quiet;
        this.hosted = hosted;
        this.outputs = outputs;
        this.clock = clock;
    }

    @Override
    Duration look(boolean last) {
        Facts facts = outputs.facts(task.id());
        long now = System.nanoTime();
        long bytesNow = facts.printed();
        if (bytesNow != bytes) {
            long sinceLook = bytes < 0 ? Long.MAX_VALUE : now - lookedAt;
            quietSince = now - Math.clamp(age(facts), 0, sinceLook);
            bytes = bytesNow;
        }
        lookedAt = now;
        Duration left = quiet.minusNanos(now - quietSince);
        if (last) {
            impossible();
        } else if (!left.isPositive() && !drained()) {
            quietSince = System.nanoTime();
            return quiet;
        } else if (!left.isPositive() && outputs.facts(task.id()).printed() == bytes) {
            came(null);
        }
        return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
    }

    /** In a terminal that nobody reads nothing is silent. */
    private boolean drained() {
        return !hosted.isDone() || hosted.join().drained();
    }

    /** Nanoseconds since the last output, or since the start where there is none. */
    private long age(Facts facts) {
        Instant begun = Objects.requireNonNullElse(task.startedAt(), task.createdAt());
        Instant from = Objects.requireNonNullElse(facts.lastOutputAt(), begun);
        return Duration.between(from, clock.instant()).toNanos();
    }
}
