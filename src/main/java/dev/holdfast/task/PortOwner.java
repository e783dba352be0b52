package dev.holdfast.task;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who listens on the port that a command failed for. Kept among the details of its ending.
 *
 * @param task whose process it is, null when no task's
 * @param pid null when it is not ours to know: another user's
 * @param command that of the task, secrets masked; null without one
 */
public record PortOwner(
        int port,
        @Nullable TaskId task,
        @Nullable Long pid,
        @Nullable String command) {
    private static final String PORT = "port";
    private static final String TASK = "port_task";
    private static final String PID = "port_pid";
    private static final String COMMAND = "port_command";

    /** As details of an ending. */
    public Map<String, String> details() {
        Map<String, String> details = new LinkedHashMap<>();
        details.put(PORT, Integer.toString(port));
        if (task != null) {
            details.put(TASK, task.value());
        }
        if (pid != null) {
            details.put(PID, pid.toString());
        }
        if (command != null) {
            details.put(COMMAND, command);
        }
        return details;
    }

    /** As these details have it. */
    public static Optional<PortOwner> in(Map<String, String> details) {
        String port = details.get(PORT);
        String task = details.get(TASK);
        String pid = details.get(PID);
        return Optional.ofNullable(port)
                .map(known -> new PortOwner(
                        Integer.parseInt(known),
                        task == null ? null : new TaskId(task),
                        pid == null ? null : Long.valueOf(pid),
                        details.get(COMMAND)));
    }
}
