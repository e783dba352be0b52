package dev.holdfast.runtime.wait;

import com.google.re2j.Pattern;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a caller waits for.
 *
 * @param all whether all of the conditions must have come true; else any one of them
 * @param conditions 1 to 64
 * @param timeout zero: each condition is looked at once
 */
public record WaitRequest(boolean all, List<Condition> conditions, Duration timeout) {
    public static final int MOST_CONDITIONS = 64;

    /** A task, and what it is waited for. */
    public record Condition(TaskId task, Until until) {}

    /** What can come true of a task. */
    public sealed interface Until {
        /** It has ended. */
        record End() implements Until {}

        /**
         * A line of its output matches, in either stream.
         *
         * @param pattern RE2's, whose matching time is linear in the output
         * @param cursor where looking begins, as a read of both streams takes it: null for the start, {@code -N} for
         *     the last N bytes of each stream
         */
        record OutputMatches(Pattern pattern, @Nullable String cursor) implements Until {}

        /** One of its processes listens on this TCP port. */
        record PortOpen(int port) implements Until {}

        /** It has printed nothing for so long, what was before the wait counted in. */
        record Idle(Duration quiet) implements Until {}

        /** It is blocked reading its terminal or stdin. */
        record NeedsInput() implements Until {}
    }
}
