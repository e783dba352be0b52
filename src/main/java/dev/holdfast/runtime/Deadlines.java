package dev.holdfast.runtime;

import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.EndedBy;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends commands at the limits they were given: their time-out, counted from the real start by a clock that nobody sets,
 * and their longest time without output. One timer thread for all; a command without limits costs nothing.
 */
@Singleton
public final class Deadlines {
    /** Between TERM and KILL of a command whose limit is reached. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final Duration SHORTEST_LOOK = Duration.ofMillis(5);

    /** How often a command that holds still is looked at, lest much of its pause be counted as silence. */
    private static final Duration PAUSED_LOOK = Duration.ofMillis(200);

    /** A clock that went so much more or less than time passed was set. */
    private static final Duration STEADY = Duration.ofMillis(100);

    private final OutputStore outputs;
    private final Causes causes;
    private final InstantSource clock;
    private final ScheduledThreadPoolExecutor timer;

    @Inject
    public Deadlines(OutputStore outputs, Causes causes, InstantSource clock) {
        this.outputs = outputs;
        this.causes = causes;
        this.clock = clock;
        this.timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("deadlines").factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Watches a running command's limits until it ends. */
    void arm(LiveCommand command, HostedCommand hosted) {
        CommandSpec spec = command.launch().command();
        Duration timeout = spec.timeout();
        if (timeout != null) {
            after(timeout.minus(hosted.age()), command, () -> reach(command, EndedBy.TIMEOUT));
        }
        Duration idle = spec.idleTimeout();
        if (idle != null) {
            new IdleLook(command, idle).schedule(idle);
        }
    }

    /** Ends the command because of a limit of its own. */
    void reach(LiveCommand command, EndedBy limit) {
        HostedCommand hosted = command.hosted().join();
        if (!hosted.exit().isDone()) {
            command.limit(limit);
            causes.write(command.id(), limit);
            hosted.stop(GRACE);
        }
    }

    private void after(Duration delay, LiveCommand command, Runnable action) {
        var future = timer.schedule(
                () -> Thread.startVirtualThread(action), Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
        var _ = command.ended().thenRun(() -> future.cancel(false));
    }

    @PreDestroy
    void close() {
        timer.shutdownNow();
    }

    /**
     * Looks whether a command has been silent for too long. How long ago the last output was is told by the file's time,
     * but never counted as longer than the time since the look before, and not at all when the clock was set since then:
     * the output is then taken to be new, which may end the command later by one look, and never too early. A command
     * that was made to hold still is not silent.
     */
    private final class IdleLook implements Runnable {
        private final LiveCommand command;
        private final Duration limit;
        private long silentSince = System.nanoTime();
        private long lookedAt = silentSince;
        private Instant wallThen = clock.instant();
        private long bytes;

        IdleLook(LiveCommand command, Duration limit) {
            this.command = command;
            this.limit = limit;
        }

        void schedule(Duration delay) {
            after(delay, command, this);
        }

        @Override
        public void run() {
            OutputStore.Facts facts = outputs.facts(command.id());
            long now = System.nanoTime();
            Instant wall = clock.instant();
            long bytesNow = facts.stdoutBytes() + facts.stderrBytes();
            if (bytesNow != bytes) {
                bytes = bytesNow;
                silentSince = now - sinceOutput(facts.lastOutputAt(), now, wall).toNanos();
            }
            boolean paused = outputs.isPaused(command.id());
            if (paused) {
                silentSince = now;
            }
            lookedAt = now;
            wallThen = wall;
            Duration silent = Duration.ofNanos(now - silentSince);
            if (silent.compareTo(limit) >= 0) {
                reach(command, EndedBy.IDLE_TIMEOUT);
            } else {
                Duration left = limit.minus(silent);
                Duration longest = paused ? PAUSED_LOOK : left;
                schedule(Collections.max(List.of(SHORTEST_LOOK, Collections.min(List.of(left, longest)))));
            }
        }

        /** At least zero, at most the time since the look before. */
        private Duration sinceOutput(@Nullable Instant lastOutput, long now, Instant wall) {
            Duration passed = Duration.ofNanos(now - lookedAt);
            boolean set = Duration.between(wallThen, wall).minus(passed).abs().compareTo(STEADY) > 0;
            if (set || lastOutput == null || lastOutput.isAfter(wall)) {
                return Duration.ZERO;
            }
            Duration byFile = Duration.between(lastOutput, wall);
            return byFile.compareTo(passed) < 0 ? byFile : passed;
        }
    }
}
