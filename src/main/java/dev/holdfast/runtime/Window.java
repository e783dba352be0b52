package dev.holdfast.runtime;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.HostedCommand.Waiting;
import dev.holdfast.runtime.StartRequest.YieldWhen;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a command in its caller's window: until it ends, the window closes, or a condition of {@code yield_when}
 * holds. Waits on the caller's own (virtual) thread; output wakes it, ports and reading are looked at every 25 ms.
 */
final class Window {
    static final String CLOSED = "yield_time";
    private static final Duration LOOK = Duration.ofMillis(25);

    private final LiveCommand command;
    private final OutputStore outputs;
    private final YieldWhen when;
    private final Wakeup wakeup = new Wakeup();
    private final Map<StreamName, LineMatch> matches = new EnumMap<>(StreamName.class);
    private long seenBytes;
    private long quietSince = System.nanoTime();
    private boolean readingBefore;

    Window(LiveCommand command, OutputStore outputs, YieldWhen when) {
        this.command = command;
        this.outputs = outputs;
        this.when = when;
        Pattern pattern = when.outputMatches();
        if (pattern != null) {
            for (StreamName stream : StreamName.values()) {
                matches.put(stream, new LineMatch(pattern, outputs, command.id(), stream));
            }
        }
    }

    /** Null when the command ended; else why the window closed: {@code yield_time} or a condition's name. */
    @Nullable
    String await(Duration yieldTime) throws InterruptedException {
        return when.none() ? awaitEnd(yieldTime) : awaitAny(System.nanoTime() + yieldTime.toNanos());
    }

    private @Nullable String awaitEnd(Duration yieldTime) throws InterruptedException {
        try {
            command.ended().get(yieldTime.toNanos(), TimeUnit.NANOSECONDS);
            return null;
        } catch (TimeoutException closed) {
            return CLOSED;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private @Nullable String awaitAny(long deadline) throws InterruptedException {
        try (OutputStore.Watch _ = outputs.watch(command.id(), _ -> wakeup.wake())) {
            wakeup.after(command.ended());
            while (!command.ended().isDone()) {
                String condition = holding();
                if (condition != null) {
                    return condition;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return CLOSED;
                }
                wakeup.await(Duration.ofNanos(Math.min(left, untilNextLook())));
            }
            return null;
        }
    }

    private long untilNextLook() {
        if (when.portOpen() != null || when.needsInput()) {
            return LOOK.toNanos();
        }
        Duration idle = when.idle();
        return idle == null ? Long.MAX_VALUE : Math.max(1_000_000, quietSince + idle.toNanos() - System.nanoTime());
    }

    /** The name of the condition that holds now, in the contract's order, or null. */
    private @Nullable String holding() {
        if (matches.values().stream().anyMatch(LineMatch::found)) {
            return "output_matches";
        }
        HostedCommand hosted = command.hosted().join();
        Integer port = when.portOpen();
        if (port != null && hosted.listensOn(port)) {
            return "port_open";
        }
        if (when.idle() != null && quietFor(when.idle())) {
            return "idle_ms";
        }
        return when.needsInput() && readsTwice(hosted) ? "needs_input" : null;
    }

    private boolean quietFor(Duration idle) {
        OutputStore.Facts facts = outputs.facts(command.id());
        long bytes = facts.stdoutBytes() + facts.stderrBytes();
        if (bytes != seenBytes) {
            seenBytes = bytes;
            quietSince = System.nanoTime();
        }
        return System.nanoTime() - quietSince >= idle.toNanos();
    }

    /** Two looks in a row, so that a program passing through a read is not taken for one that waits. */
    private boolean readsTwice(HostedCommand hosted) {
        boolean reading = hosted.facts().waiting() == Waiting.INPUT;
        boolean twice = reading && readingBefore;
        readingBefore = reading;
        return twice;
    }

    /** Looks for a pattern in one stream as it grows; it may span what fits in the text kept of earlier reads. */
    private static final class LineMatch {
        private static final int KEPT_CHARS = 16 * 1024;
        private static final int READ_BYTES = 64 * 1024;

        private final Pattern pattern;
        private final OutputStore outputs;
        private final TaskId id;
        private final StreamName stream;
        private final StringBuilder text = new StringBuilder();
        private long offset;

        LineMatch(Pattern pattern, OutputStore outputs, TaskId id, StreamName stream) {
            this.pattern = pattern;
            this.outputs = outputs;
            this.id = id;
            this.stream = stream;
        }

        boolean found() {
            while (true) {
                OutputStore.TextSlice slice = outputs.readText(id, stream, offset, READ_BYTES, false);
                if (slice.next() == offset) {
                    return false;
                }
                offset = slice.next();
                text.append(slice.text());
                if (pattern.matcher(text).find()) {
                    return true;
                }
                text.delete(0, Math.max(0, text.length() - KEPT_CHARS));
            }
        }
    }
}
