package dev.holdfast.host;

import dev.holdfast.task.TaskId;

/** Finds what a command left behind. */
public interface Survivors {
    /** Whether any live process carries the task's marker, the launcher's own left out. */
    boolean exist(TaskId id);
}
