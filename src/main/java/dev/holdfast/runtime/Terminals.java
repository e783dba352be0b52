package dev.holdfast.runtime;

import dev.holdfast.task.TaskId;

/** Terminals that somebody watches and types into. Thread-safe. */
public interface Terminals {
    /**
     * Follows a terminal. The first call to the listener carries what restores the screen.
     *
     * @throws Refusal {@code task_not_found}, {@code not_a_terminal}, {@code task_not_running}
     */
    HostedCommand.TerminalLink open(TaskId id, HostedCommand.TerminalListener listener);
}
