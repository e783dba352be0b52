package dev.holdfast.render;

import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tasks as the text an agent reads. */
public final class TaskTexts {
    private static final int SHOWN = 100;

    private TaskTexts() {}

    /** What was seen of a running task's processes, or what an ended one left running. */
    public record Seen(@Nullable String waiting, List<Integer> ports, List<LeftProcess> left) {
        public static final Seen NOTHING = new Seen(null, List.of(), List.of());
    }

    /** A line: id, status, age, command. */
    public static String line(Task task, Seen seen, Instant now) {
        String command = summary(task);
        return task.id() + "  " + status(task, seen) + "  " + age(Duration.between(task.createdAt(), now)) + "  "
                + (command.length() <= SHOWN ? command : command.substring(0, SHOWN - 1) + "…");
    }

    /** @param next the cursor to go on from, null at the end */
    public static String list(List<String> lines, long active, @Nullable String next) {
        if (lines.isEmpty()) {
            return "No such tasks; " + active + " active.";
        }
        return String.join("\n", lines) + (next == null ? "" : "\n" + nextCursor(next));
    }

    /** Where the next reading begins. */
    public static String nextCursor(String cursor) {
        return "Next cursor: " + cursor;
    }

    /** A line for what of an output is not kept any more. */
    public static String leftOut(long bytes) {
        return "… " + bytes + " bytes left out …\n";
    }

    /** All of one, a fact a line. */
    public static String status(Task task, Seen seen, long stdoutBytes, long stderrBytes, Instant now) {
        List<String> lines = new ArrayList<>();
        lines.add("Task: " + task.id());
        lines.add("Status: " + status(task, seen));
        Ending ending = task.ending();
        if (ending != null && ending.exitStatus() != null && ending.endedBy() != EndedBy.EXIT) {
            lines.add("Exit status: " + ending.exitStatus());
        }
        lines.add("Command: " + summary(task));
        lines.add("workdir=" + task.command().workdir());
        lines.add("Started: " + age(Duration.between(task.createdAt(), now)) + " ago");
        if (!seen.ports().isEmpty()) {
            lines.add("Ports: " + seen.ports().stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        lines.add("Output: " + stdoutBytes + " bytes" + (stderrBytes > 0 ? ", stderr " + stderrBytes : ""));
        Receipts.cause(ending).ifPresent(lines::add);
        left(task.id(), seen.left()).ifPresent(lines::add);
        return String.join("\n", lines);
    }

    /**
     * What a reading of output came to. A caller who named the task is not told its name again.
     *
     * @param head {@code Task output retrieved} or what else it came to
     * @param next the cursor to go on from, null where it is of no use
     */
    public static String output(String head, Task task, Seen seen, @Nullable String output, @Nullable String next) {
        List<String> lines = new ArrayList<>(List.of(head, "Status: " + status(task, seen)));
        Ending ending = task.ending();
        if (ending != null) {
            lines.add("Exit status: " + exit(ending));
        }
        Receipts.cause(ending).ifPresent(lines::add);
        left(task.id(), seen.left()).ifPresent(lines::add);
        if (next != null) {
            lines.add(nextCursor(next));
        }
        lines.add("Output:");
        lines.add(output == null || output.isEmpty() ? "(none)" : output);
        return String.join("\n", lines);
    }

    /** What a task left running, a line for each process, and how they are ended; nothing for none. */
    public static Optional<String> left(TaskId id, List<LeftProcess> left) {
        return Optional.ofNullable(Receipts.left(CommandAnswer.LeftRunning.of(id, left)));
    }

    private static String exit(Ending ending) {
        Integer status = ending.exitStatus();
        return status == null ? Objects.requireNonNullElse(ending.exitSignal(), "unknown") : status.toString();
    }

    /** {@code Running, waits for input}. */
    public static String status(Task task, Seen seen) {
        String name = task.status().name();
        String plain = name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
        Ending ending = task.ending();
        if (ending != null) {
            return plain + how(ending);
        }
        return "input".equals(seen.waiting()) ? plain + ", waits for input" : plain;
    }

    private static String how(Ending ending) {
        return switch (ending.endedBy()) {
            case EXIT ->
                ending.exitStatus() == null || ending.exitStatus() == 0 ? "" : " (exit " + ending.exitStatus() + ")";
            case SIGNAL -> " (" + ending.exitSignal() + ")";
            case STOP -> " (stopped)";
            case TIMEOUT -> " (timeout)";
            case IDLE_TIMEOUT -> " (idle timeout)";
            case OUTPUT_LIMIT -> " (output limit)";
            case REBOOT -> " (the machine restarted)";
            case UNKNOWN -> " (nobody saw how)";
        };
    }

    /** {@code 12s}, {@code 5m}, {@code 3h}, {@code 2d}. */
    static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 120) {
            return seconds + "s";
        }
        if (seconds < 7200) {
            return seconds / 60 + "m";
        }
        return seconds < 172_800 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
    }

    private static String summary(Task task) {
        return Diagnostics.summary(task.command().invocation());
    }
}
