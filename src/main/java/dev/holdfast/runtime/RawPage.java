package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a task's output as it was written; the fields are those of {@link OutputPage}. */
public record RawPage(
        TaskId id,
        TaskStatus status,
        byte[] bytes,
        String cursor,
        String nextCursor,
        List<OutputStore.Gap> omitted,
        boolean end,
        @Nullable Integer exitStatus) {
    public RawPage {
        omitted = List.copyOf(omitted);
    }

    boolean hasNews() {
        return !nextCursor.equals(cursor);
    }
}
