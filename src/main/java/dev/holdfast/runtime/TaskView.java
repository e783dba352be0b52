package dev.holdfast.runtime;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.Task;
import org.jspecify.annotations.Nullable;

/**
 * A task as it stands now.
 *
 * @param live what its processes did when they were last looked at, null when it has ended
 */
public record TaskView(Task task, OutputStore.Facts output, Observations.@Nullable Seen live) {}
