package dev.holdfast.task;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Makes task ids. Within one instance each id is greater than the one before, also when the clock is set back, and has
 * a {@link #number} of its own: what finds no place in a millisecond goes into the next. Thread-safe.
 */
public final class TaskIds {
    private static final int DIGITS = TaskId.DIGITS.length();

    /** 2026 began; numbers that are small are easier to keep in mind. */
    private static final long NUMBERS_FROM = 1_767_225_600_000L;

    private final InstantSource clock;
    private final RandomGenerator random;
    private long lastMillis = -1;
    private int inMillis;
    private long high;
    private long low;

    public TaskIds(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    public synchronized TaskId next() {
        long now = Math.max(clock.millis(), inMillis < DIGITS ? lastMillis : lastMillis + 1);
        if (now > lastMillis) {
            lastMillis = now;
            inMillis = 0;
            high = random.nextLong(1L << 40);
            low = random.nextLong(1L << 40);
        } else {
            low = (low + 1) & ((1L << 40) - 1);
            high += low == 0 ? 1 : 0;
        }
        inMillis++;
        char[] text = new char[26];
        encode(lastMillis, text, 0, 10);
        encode(high, text, 10, 8);
        encode(low, text, 18, 8);
        return new TaskId("task_" + new String(text));
    }

    /** Those that follow are greater than this one too, which a former server has made. */
    public synchronized void follow(TaskId id) {
        long millis = madeAt(id).toEpochMilli();
        if (millis > lastMillis) {
            lastMillis = millis;
            inMillis = DIGITS;
        }
    }

    /** When it was made, by the clock of that moment, to the millisecond. */
    public static Instant madeAt(TaskId id) {
        long millis = 0;
        for (char digit :
                id.value().substring("task_".length(), "task_".length() + 10).toCharArray()) {
            millis = (millis << 5) | TaskId.DIGITS.indexOf(digit);
        }
        return Instant.ofEpochMilli(millis);
    }

    /** A short name for it: its millisecond, and one of 32 within that. */
    public static long number(TaskId id) {
        String text = id.value();
        return (madeAt(id).toEpochMilli() - NUMBERS_FROM) * DIGITS
                + TaskId.DIGITS.indexOf(text.charAt(text.length() - 1));
    }

    /** The greatest id of the millisecond that {@code number} names; nothing where there can be none. */
    public static Optional<TaskId> lastOf(long number) {
        long millis = Math.floorDiv(number, DIGITS) + NUMBERS_FROM;
        if (millis < 0 || millis >= 1L << 48) {
            return Optional.empty();
        }
        char[] text = new char[26];
        encode(millis, text, 0, 10);
        Arrays.fill(text, 10, 26, 'Z');
        return Optional.of(new TaskId("task_" + new String(text)));
    }

    /** The beginning that all ids of its millisecond have. */
    public static String millisecond(TaskId id) {
        return id.value().substring(0, "task_".length() + 10);
    }

    private static void encode(long bits, char[] into, int from, int length) {
        for (int i = from + length - 1; i >= from; i--) {
            into[i] = TaskId.DIGITS.charAt((int) (bits & 31));
            bits >>>= 5;
        }
    }
}
