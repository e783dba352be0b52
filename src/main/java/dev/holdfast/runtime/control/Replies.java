package dev.holdfast.runtime.control;

import dev.holdfast.runtime.LiveCommands;
import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.output.OutputPage;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a program prints once it has had its input, until it reads again: who asks it something next has nothing to wait
 * for. Thread-safe.
 */
@Singleton
public record Replies(LiveCommands live, OutputReads reads) {
    /** What was typed may be on its way for so long, while nothing that was printed tells that it came. */
    private static final Duration ARRIVES = Duration.ofMillis(250);

    private static final long LOOK_NANOS = Duration.ofMillis(15).toNanos();
    /** Who prints nothing is looked at again after such a part of the wait so far: a long one costs few looks. */
    private static final int PART = 8;

    /** In a row, and nothing printed meanwhile: a program that passes through a read does not wait in it. */
    private static final int LOOKS = 2;

    /**
     * Blocks until it surely waits for input and nothing else, has ended, or has printed {@code maxBytes}.
     *
     * @param cursor behind what was there before the input
     * @param limit the longest wait
     */
    public OutputPage<String> after(TaskId id, String cursor, int maxBytes, Duration limit) {
        long began = System.nanoTime();
        long until = began + limit.toNanos();
        OutputPage<String> page = reads.read(id, null, cursor, maxBytes, Collections.min(List.of(limit, ARRIVES)));
        int printed = page.content().length();
        for (int reading = 0; reading < LOOKS; ) {
            Duration left = Patience.left(until);
            boolean full = page.more() || printed >= maxBytes;
            if (left.isZero()
                    || full
                    || page.status().ended()
                    || Thread.currentThread().isInterrupted()) {
                break;
            }
            boolean near = page.hasNews() || reading > 0;
            long pause = near ? LOOK_NANOS : Math.max(LOOK_NANOS, (System.nanoTime() - began) / PART);
            Duration wait = Collections.min(List.of(left, Duration.ofNanos(pause)));
            page = reads.collect(id, page.nextCursor(), maxBytes, wait);
            printed += page.content().length();
            reading = !page.hasNews() && onlyReads(id) ? reading + 1 : 0;
        }
        return reads.read(id, null, cursor, maxBytes, Duration.ZERO);
    }

    /** With all that it printed before in its output. */
    private boolean onlyReads(TaskId id) {
        CompletableFuture<HostedCommand> hosted = live.hosted(id);
        return hosted.isDone() && hosted.join().onlyReads() && hosted.join().drained();
    }
}
