package dev.holdfast.task;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names a task: {@code task_} and a ULID (26 characters of Crockford's base 32: 48 bits of milliseconds, 80 of chance),
 * so that ids sort by the time they were made.
 */
public record TaskId(String value) implements Comparable<TaskId> {
    private static final Pattern FORM = Pattern.compile("task_[0-7][0-9A-HJKMNP-TV-Z]{25}");

    public TaskId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not a task id: " + value);
        }
    }

    /** The id that a caller wrote, or nothing when it cannot be one. */
    public static Optional<TaskId> parse(String text) {
        return FORM.matcher(text).matches() ? Optional.of(new TaskId(text)) : Optional.empty();
    }

    @Override
    public int compareTo(TaskId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
