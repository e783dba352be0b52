package dev.holdfast.host.terminal;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;

/** Where the bytes are found that a terminal printed and the keeper did not pass on. */
@FunctionalInterface
interface MissedOutput {
    /** As {@link OutputStore#read} of the task's stdout. */
    OutputStore.Slice read(TaskId id, long from, int maxBytes);
}
