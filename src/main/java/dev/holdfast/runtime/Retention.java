package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.TaskStore.Page;
import dev.holdfast.runtime.TaskStore.Query;
import dev.holdfast.runtime.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Forgets ended tasks that are too old, too many or too large, and kept answers that are too old; never a running one. */
@Singleton
public final class Retention {
    private static final Logger LOG = Logger.getLogger(Retention.class);

    /** An idempotency key holds at least so long. */
    private static final Duration SHORTEST_FOR_ANSWERS = Duration.ofHours(24);

    private final HoldfastConfig.Retention limits;
    private final TaskStore store;
    private final CommandHost host;
    private final OutputStore outputs;
    private final AnswerFiles answers;
    private final Tasks tasks;
    private final Replays replays;
    private final InstantSource clock;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("retention").factory());

    @Inject
    public Retention(
            HoldfastConfig config,
            TaskStore store,
            CommandHost host,
            OutputStore outputs,
            AnswerFiles answers,
            Tasks tasks,
            Replays replays,
            InstantSource clock) {
        this.limits = config.retention();
        this.store = store;
        this.host = host;
        this.outputs = outputs;
        this.answers = answers;
        this.tasks = tasks;
        this.replays = replays;
        this.clock = clock;
    }

    /** Looks at once, on a thread of its own, and then every ten minutes. */
    public void begin() {
        var _ = timer.scheduleWithFixedDelay(this::sweepSafely, 0, 10, TimeUnit.MINUTES);
    }

    private void sweepSafely() {
        try {
            sweep();
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "Ended tasks could not be swept; trying again later");
        }
    }

    void sweep() {
        List<TaskId> doomed = doomedTasks();
        doomed.forEach(this::forget);
        int kept = sweepAnswers();
        if (doomed.size() + kept > 0) {
            LOG.infof("Forgot %d ended tasks and %d kept answers", doomed.size(), kept);
        }
    }

    private void forget(TaskId id) {
        try {
            tasks.delete(id);
        } catch (Refusal gone) {
            // Somebody deleted it meanwhile.
            LOG.debugf("%s was not forgotten: %s", id, gone.getMessage());
        }
    }

    private List<TaskId> doomedTasks() {
        Instant oldest = clock.instant().minus(limits.age());
        List<TaskId> doomed = new ArrayList<>();
        int count = 0;
        long bytes = 0;
        TaskId before = null;
        do {
            Page page = store.list(new Query(StatusFilter.ENDED, null, Map.of(), null, 100, before));
            for (Task task : page.tasks()) {
                OutputStore.Facts facts = outputs.facts(task.id());
                count++;
                bytes += facts.stdoutBytes() + facts.stderrBytes() - facts.omittedBytes();
                if (count > limits.count()
                        || bytes > limits.bytes()
                        || Objects.requireNonNull(task.endedAt()).isBefore(oldest)) {
                    doomed.add(task.id());
                }
            }
            before = page.next();
        } while (before != null);
        return doomed;
    }

    private int sweepAnswers() {
        Duration age = limits.age().compareTo(SHORTEST_FOR_ANSWERS) > 0 ? limits.age() : SHORTEST_FOR_ANSWERS;
        Instant oldest = clock.instant().minus(age);
        int swept = 0;
        for (CommandHost.Folder folder : host.folders()) {
            if (folder instanceof CommandHost.Folder.Ended ended
                    && ended.endedAt().isBefore(oldest)
                    && answers.exists(ended.id())) {
                replays.forget(ended.id());
                host.forget(ended.id());
                swept++;
            }
        }
        return swept;
    }

    @PreDestroy
    void close() {
        timer.shutdownNow();
    }
}
