package dev.holdfast.runtime;

import dev.holdfast.task.Signal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What callers do with tasks. Thread-safe; may block. Each method refuses {@code task_not_found}. */
public interface Tasks {
    TaskView get(TaskId id);

    Listing list(TaskStore.Query query);

    /**
     * Blocks until everything the task started is verified gone, or survived.
     *
     * @param force no grace at all
     */
    StopOutcome stop(TaskId id, Duration grace, boolean force);

    TaskView signal(TaskId id, Signal signal);

    /** Blocks at most 5 seconds. Refuses {@code input_not_consumed}, {@code input_not_accepted}, {@code task_not_running}. */
    InputOutcome input(TaskId id, byte[] bytes, boolean eof);

    TaskView resize(TaskId id, TerminalSize size);

    /** Forgets an ended task and its output. Refuses while it runs. */
    void delete(TaskId id);

    /** @param next the cursor to go on from, null at the end */
    record Listing(List<TaskView> tasks, long totalActive, @Nullable TaskId next) {
        public Listing {
            tasks = List.copyOf(tasks);
        }
    }

    /**
     * @param stopRequested false when it had ended before
     * @param survivors pids that still live although they were sent KILL
     */
    record StopOutcome(TaskView task, boolean stopRequested, boolean forceStopRequested, List<Long> survivors) {
        public StopOutcome {
            survivors = List.copyOf(survivors);
        }
    }

    /** @param inputTarget {@code stdin} or {@code tty} */
    record InputOutcome(String inputTarget, int bytesWritten) {}
}
