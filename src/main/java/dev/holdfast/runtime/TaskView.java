package dev.holdfast.runtime;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as it stands now.
 *
 * @param live what its processes did when they were last looked at, null when it has ended
 * @param left what outlives it, as last seen; empty where that is nothing, and where several tasks were asked for
 */
public record TaskView(Task task, OutputStore.Facts output, Observations.@Nullable Seen live, List<LeftProcess> left) {}
