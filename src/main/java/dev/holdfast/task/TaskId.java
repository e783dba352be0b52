package dev.holdfast.task;

import java.util.Optional;

/**
 * Names a task: {@code task_} and a ULID (26 characters of Crockford's base 32: 48 bits of milliseconds, 80 of chance),
 * so that ids sort by the time they were made.
 */
public record TaskId(String value) implements Comparable<TaskId> {
    private static final String PREFIX = "task_";
    static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final int LENGTH = PREFIX.length() + 26;

    public TaskId {
        if (!isOne(value)) {
            throw new IllegalArgumentException("not a task id: " + value);
        }
    }

    /** The id that a caller wrote, or nothing when it cannot be one. */
    public static Optional<TaskId> parse(String text) {
        return isOne(text) ? Optional.of(new TaskId(text)) : Optional.empty();
    }

    /** By hand: a start reads as many as there are, and a pattern takes ten times as long. */
    private static boolean isOne(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX) || text.charAt(PREFIX.length()) > '7') {
            return false;
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            if (DIGITS.indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
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
