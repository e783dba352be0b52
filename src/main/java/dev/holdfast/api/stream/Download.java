package dev.holdfast.api.stream;

import dev.holdfast.runtime.OutputReads;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.RawPage;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Optional;

/** A range of one stream, a page at a time, so that its size costs no memory. */
public record Download(HttpServerResponse response, OutputReads reads, TaskId id, StreamName stream, ByteRange range)
        implements Flow {
    private static final int PAGE = 512 * 1024;
    private static final long BOUND = 2 * PAGE;

    /** The first part of {@code range} that is no longer kept; reads as much of it as is kept. */
    public static Optional<Gap> firstGap(OutputReads reads, TaskId id, StreamName stream, ByteRange range) {
        long at = range.first();
        while (at <= range.last()) {
            RawPage page = page(reads, id, stream, at, range.last());
            if (!page.omitted().isEmpty()) {
                Gap gap = page.omitted().getFirst();
                return gap.from() > range.last() ? Optional.empty() : Optional.of(gap);
            }
            if (page.bytes().length == 0) {
                return Optional.empty();
            }
            at += page.bytes().length;
        }
        return Optional.empty();
    }

    private static RawPage page(OutputReads reads, TaskId id, StreamName stream, long from, long last) {
        int most = (int) Math.min(PAGE, last - from + 1);
        return reads.readRaw(id, stream, Long.toString(from), most, Duration.ZERO);
    }

    @Override
    public void write() throws InterruptedException {
        response.putHeader("Content-Length", Long.toString(range.length()));
        Outflow client = new Outflow(response, BOUND);
        long at = range.first();
        boolean there = true;
        while (there && at <= range.last()) {
            RawPage page = page(reads, id, stream, at, range.last());
            if (!page.omitted().isEmpty() || page.bytes().length == 0) {
                throw new IllegalStateException("output of " + id + " was dropped at " + at + " while it was read");
            }
            there = client.write(Buffer.buffer(page.bytes()));
            at += page.bytes().length;
        }
    }
}
