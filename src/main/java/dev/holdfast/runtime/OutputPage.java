package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a task's output as text.
 *
 * @param cursor where it begins
 * @param nextCursor where the next read begins
 * @param omitted parts in between that are no longer kept
 * @param end the task has ended and everything was read
 * @param exitStatus null while it runs, and when no code was seen
 */
public record OutputPage(
        TaskId id,
        TaskStatus status,
        String text,
        String cursor,
        String nextCursor,
        List<OutputStore.Gap> omitted,
        boolean end,
        @Nullable Integer exitStatus) {
    public OutputPage {
        omitted = List.copyOf(omitted);
    }

    /** Whether the next read begins elsewhere; it does not while all there is new is a part of a character. */
    boolean hasNews() {
        return !nextCursor.equals(cursor);
    }
}
