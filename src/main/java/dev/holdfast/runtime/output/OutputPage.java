package dev.holdfast.runtime.output;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a task's output.
 *
 * @param content as text, or the bytes as they were written
 * @param cursor where it begins
 * @param nextCursor where the next read begins
 * @param omitted parts in between that are no longer kept
 * @param more whether more was there than a page of its size may hold, or behind a part that is no longer kept; but
 *     for an escape whose end is not there yet
 * @param end the task has ended and everything was read
 * @param exitStatus null while it runs, and when no code was seen
 */
public record OutputPage<T>(
        TaskId id,
        TaskStatus status,
        T content,
        String cursor,
        String nextCursor,
        List<OutputStore.Gap> omitted,
        boolean more,
        boolean end,
        @Nullable Integer exitStatus) {

    /** Whether the next read begins elsewhere; it does not while all there is new is a part of a character. */
    public boolean hasNews() {
        return !nextCursor.equals(cursor);
    }
}
