package dev.holdfast.runtime;

import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends commands at the limits they were given: their time-out, counted from the real start, and their longest time
 * without output; both by clocks that nobody sets, but for silence before this server began. A command without limits
 * costs nothing.
 */
@Singleton
public final class Deadlines {
    /** Between TERM and KILL of a command whose limit is reached. */
    static final Duration GRACE = Duration.ofSeconds(2);
    /** After a look or a stop that failed. */
    private static final Duration AGAIN = Duration.ofMillis(500);
    /** Silence is looked for so often in its limit: it may last a tenth longer, and not more than a second. */
    private static final int LOOKS = 10;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
    /** A look may come so late. What is beyond is no silence: the command was held too, as in a paused container. */
    private static final Duration LATE = Duration.ofMillis(250);

    private static final Logger LOG = Logger.getLogger(Deadlines.class);

    private final OutputStore outputs;
    private final Endings endings;
    private final InstantSource clock;
    private volatile boolean closed;

    public Deadlines(OutputStore outputs, Endings endings, InstantSource clock) {
        this.outputs = outputs;
        this.endings = endings;
        this.clock = clock;
    }

    /** Watches a running command's limits until it ends. */
    void arm(LiveCommand command, HostedCommand hosted) {
        CommandSpec spec = command.launch().command();
        at(spec.timeout(), command, hosted, () -> end(command, EndedBy.TIMEOUT, GRACE));
        at(command.launch().window(), command, hosted, () -> endings.stop(command, GRACE));
        Duration idle = spec.idleTimeout();
        if (idle != null) {
            new Silence(command, hosted, idle).lookLater();
        }
    }

    /** @param age of the command when it is to be done, if it has not ended then; null: never */
    private void at(@Nullable Duration age, LiveCommand command, HostedCommand hosted, Runnable action) {
        if (age != null) {
            Future<?> due = after(age.minus(hosted.age()), command, action);
            var _ = command.ended().whenComplete((_, _) -> due.cancel(false));
        }
    }

    /** Ends the command because of a limit of its own; what fails is tried again until it has ended. */
    void reach(LiveCommand command, EndedBy limit, Duration grace) {
        attempt(command, () -> end(command, limit, grace));
    }

    private void end(LiveCommand command, EndedBy limit, Duration grace) {
        endings.stopAt(limit, command, grace);
    }

    private Future<?> after(Duration delay, LiveCommand command, Runnable action) {
        return Threads.after(delay, () -> attempt(command, action));
    }

    private void attempt(LiveCommand command, Runnable action) {
        try {
            if (!closed && !command.ended().isDone()) {
                action.run();
            }
        } catch (RuntimeException | Error failure) {
            LOG.warnf("A limit of %s could not be looked at or enforced; trying again: %s", command.id(), failure);
            var _ = after(AGAIN, command, action);
        }
    }

    @PreDestroy
    void close() {
        closed = true;
    }

    /**
     * Looks whether a command has been silent for too long; one that was made to hold still is not silent, nor is one
     * in a terminal that nobody reads.
     */
    private final class Silence {
        private final LiveCommand command;
        private final HostedCommand hosted;
        private final Duration limit;
        private final Duration pause;
        private long since;
        private long lookedAt = System.nanoTime();
        /** Negative before the first look. */
        private long bytes = -1;

        Silence(LiveCommand command, HostedCommand hosted, Duration limit) {
            this.command = command;
            this.hosted = hosted;
            this.limit = limit;
            this.pause = Collections.max(
                    List.of(SHORTEST_PAUSE, Collections.min(List.of(LONGEST_PAUSE, limit.dividedBy(LOOKS)))));
        }

        void lookLater() {
            var _ = after(pause, command, this::look);
        }

        private void look() {
            OutputStore.Facts facts = outputs.facts(command.id());
            long now = System.nanoTime();
            long bytesNow = facts.printed();
            long late = Math.max(0, now - lookedAt - pause.plus(LATE).toNanos());
            if (outputs.isPaused(command.id())) {
                since = now;
            } else if (bytesNow != bytes) {
                since = bytes < 0 ? now - silentFor(facts).toNanos() : now;
            }
            since = Math.min(now, since + late);
            lookedAt = now;
            bytes = bytesNow;
            boolean over = now - since >= limit.toNanos();
            if (over && !hosted.drained()) {
                since = System.nanoTime();
            } else if (over && outputs.facts(command.id()).printed() == bytes) {
                end(command, EndedBy.IDLE_TIMEOUT, GRACE);
                return;
            }
            lookLater();
        }

        /** At the first look, also of a command that a former server watched: as the time of its last output tells. */
        private Duration silentFor(OutputStore.Facts facts) {
            Duration age = hosted.age();
            Instant last = facts.lastOutputAt();
            Duration silent = last == null ? age : Duration.between(last, clock.instant());
            return Collections.max(List.of(Duration.ZERO, Collections.min(List.of(age, silent))));
        }
    }
}
