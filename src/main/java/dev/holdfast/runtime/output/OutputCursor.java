package dev.holdfast.runtime.output;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A place in a task's output. As text: for one stream its byte offset, for both {@code <stdout>.<stderr>}. */
public record OutputCursor(long stdout, long stderr) {
    public static final OutputCursor START = new OutputCursor(0, 0);

    /**
     * @param stream null for both
     * @param text null, {@code 0} or {@code 0.0} for the start; {@code -N} for the last N bytes of each stream
     * @param facts how much there is
     * @throws Refusal a cursor that is none, or one beyond what there is ({@code cursor_expired})
     */
    public static OutputCursor parse(@Nullable StreamName stream, @Nullable String text, OutputStore.Facts facts) {
        if (text == null || text.equals("0") || text.equals("0.0")) {
            return START;
        }
        if (text.startsWith("-")) {
            long last = number(stream, text.substring(1), text);
            return new OutputCursor(Math.max(0, facts.stdoutBytes() - last), Math.max(0, facts.stderrBytes() - last));
        }
        OutputCursor cursor = exact(stream, text);
        if (cursor.stdout > facts.stdoutBytes() || cursor.stderr > facts.stderrBytes()) {
            throw new Refusal(
                    ErrorKind.CURSOR_EXPIRED,
                    "The cursor " + text + " is beyond what there is of this output.",
                    "Read from the start (cursor=" + START.text(stream) + ") or the last bytes (cursor=-4096).",
                    Map.of("stdout_bytes", facts.stdoutBytes(), "stderr_bytes", facts.stderrBytes()));
        }
        return cursor;
    }

    private static OutputCursor exact(@Nullable StreamName stream, String text) {
        if (stream != null) {
            return START.with(stream, number(stream, text, text));
        }
        int dot = text.indexOf('.');
        if (dot < 0) {
            throw invalid(stream, text);
        }
        return new OutputCursor(
                number(stream, text.substring(0, dot), text), number(stream, text.substring(dot + 1), text));
    }

    private static long number(@Nullable StreamName stream, String digits, String cursor) {
        if (digits.isEmpty() || digits.length() > 18 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw invalid(stream, cursor);
        }
        return Long.parseLong(digits);
    }

    private static Refusal invalid(@Nullable StreamName stream, String text) {
        return Refusal.invalid(
                "cursor",
                "is not a cursor: " + text,
                "Pass the next_cursor of an answer for " + (stream == null ? "both streams" : "this stream alone")
                        + ", -N for the last N bytes, or " + START.text(stream) + " for the start.");
    }

    public long of(StreamName stream) {
        return switch (stream) {
            case STDOUT -> stdout;
            case STDERR -> stderr;
        };
    }

    public OutputCursor with(StreamName stream, long offset) {
        return switch (stream) {
            case STDOUT -> new OutputCursor(offset, stderr);
            case STDERR -> new OutputCursor(stdout, offset);
        };
    }

    /** @param stream null for both */
    public String text(@Nullable StreamName stream) {
        return switch (stream) {
            case STDOUT -> Long.toString(stdout);
            case STDERR -> Long.toString(stderr);
            case null -> stdout + "." + stderr;
        };
    }
}
