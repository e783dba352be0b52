package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Forgets ended tasks that are too old, too many or too large, and kept answers that are too old; never a running one.
 */
@Singleton
public final class Retention {
    private static final Logger LOG = Logger.getLogger(Retention.class);

    /** An idempotency key holds at least so long. */
    private static final Duration SHORTEST_FOR_ANSWERS = Duration.ofHours(24);

    private final HoldfastConfig.Retention limits;
    private final TaskStore store;
    private final CommandHost host;
    private final Leftovers leftovers;
    private final OutputStore outputs;
    private final Answers answers;
    private final Tasks tasks;
    private final KeyFiles keys;
    private final UnknownTasks unknown;
    private final InstantSource clock;
    /** When the clock that nobody sets began, by the other one at the last sweep; on the sweeping thread. */
    private @Nullable Instant lastZero;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("retention").factory());

    public Retention(
            HoldfastConfig config,
            TaskStore store,
            CommandHost host,
            Leftovers leftovers,
            OutputStore outputs,
            Answers answers,
            Tasks tasks,
            KeyFiles keys,
            UnknownTasks unknown,
            InstantSource clock) {
        this.limits = config.retention();
        this.store = store;
        this.host = host;
        this.leftovers = leftovers;
        this.outputs = outputs;
        this.answers = answers;
        this.tasks = tasks;
        this.keys = keys;
        this.unknown = unknown;
        this.clock = clock;
    }

    /**
     * Looks on a thread of its own, first when a fresh server has answered its first callers, then every ten minutes.
     */
    public void begin() {
        long every = TimeUnit.MINUTES.toSeconds(10);
        var _ = timer.scheduleWithFixedDelay(this::sweepSafely, 5, every, TimeUnit.SECONDS);
    }

    private void sweepSafely() {
        try {
            sweep();
        } catch (RuntimeException | Error failure) {
            LOG.warnf(failure, "Ended tasks could not be swept; trying again later");
        }
    }

    /** What cannot be forgotten keeps nothing else; it is tried again at the next sweep. */
    void sweep() {
        Instant now = believed();
        keys.sweep(now);
        long forgotten = doomedTasks(now).stream()
                .filter(id -> isForgotten(id, () -> tasks.forget(id)))
                .count();
        long kept = doomedAnswers(now).stream()
                .filter(id ->
                        isForgotten(id, () -> leftovers.forgetWhenQuiet(id).join()))
                .count();
        unknown.sweep();
        if (forgotten + kept > 0) {
            LOG.infof("Forgot %d ended tasks and %d kept answers", forgotten, kept);
        }
    }

    /** Now, but no later than time has gone since the last sweep: a clock set forward has to hold until the next. */
    private Instant believed() {
        long elapsed = System.nanoTime();
        Instant zero = clock.instant().minusNanos(elapsed);
        Instant before = lastZero;
        lastZero = zero;
        return (before == null || before.isAfter(zero) ? zero : before).plusNanos(elapsed);
    }

    private static boolean isForgotten(TaskId id, Runnable forget) {
        try {
            forget.run();
            return true;
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "%s is to be forgotten, which failed; trying again later", id);
            return false;
        }
    }

    /** What an idempotency key promises stays for its day, unless the disk is needed. */
    private List<TaskId> doomedTasks(Instant now) {
        Instant oldest = now.minus(limits.age());
        List<TaskId> tooLarge = new ArrayList<>();
        List<TaskId> doomed = new ArrayList<>();
        int count = 0;
        long bytes = 0;
        for (TaskId id :
                store.ended().stream().sorted(Comparator.reverseOrder()).toList()) {
            count++;
            bytes += bytes(id);
            if (bytes > limits.bytes()) {
                tooLarge.add(id);
            } else if (count > limits.count() || endedBefore(id, oldest)) {
                doomed.add(id);
            }
        }
        if (!doomed.isEmpty()) {
            doomed.removeAll(keys.commands());
        }
        doomed.addAll(tooLarge);
        return doomed;
    }

    /** What is on disk of its output; of one that cannot be told, as what it omitted is damaged, nothing counts. */
    private long bytes(TaskId id) {
        try {
            OutputStore.Facts facts = outputs.facts(id);
            return facts.printed() - facts.omittedBytes();
        } catch (RuntimeException unreadable) {
            LOG.debugf("How much %s printed cannot be read: %s", id, unreadable);
            return 0;
        }
    }

    /** Its row is only read when it was started so long ago, or its id does not tell: the clock was set back. */
    private boolean endedBefore(TaskId id, Instant oldest) {
        Instant made = TaskIds.madeAt(id);
        return (made.isBefore(oldest) || made.isAfter(clock.instant()))
                && store.find(id).map(Task::endedAt).filter(oldest::isAfter).isPresent();
    }

    private List<TaskId> doomedAnswers(Instant now) {
        Duration age = limits.age().compareTo(SHORTEST_FOR_ANSWERS) > 0 ? limits.age() : SHORTEST_FOR_ANSWERS;
        Instant oldest = now.minus(age);
        return host.ids().stream()
                .filter(id -> answers.keptSince(id).isBefore(oldest))
                .toList();
    }

    /** No sweep begins any more; waits for one that is under way, at most for that. */
    public void close(Duration limit) throws InterruptedException {
        timer.shutdown();
        var _ = timer.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
}
