package dev.holdfast.runtime;

import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads a task's output without consuming it. Thread-safe; blocks while it waits. */
public interface OutputReads {
    /**
     * As text.
     *
     * @param stream null for both
     * @param cursor null for the start, {@code -N} for the last N bytes, or what a former page gave
     * @param wait how long to wait for something new or the end
     * @throws Refusal {@code task_not_found}, {@code cursor_expired}, or a cursor that is none
     */
    OutputPage read(TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait);

    /** As it was written. */
    RawPage readRaw(TaskId id, @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration wait);
}
