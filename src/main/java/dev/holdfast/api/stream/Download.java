package dev.holdfast.api.stream;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;

/** A range of one stream, a page at a time, so that its size costs no memory. */
public record Download(HttpServerResponse response, OutputStore outputs, TaskId id, StreamName stream, ByteRange range)
        implements Flow {
    private static final int PAGE = 1 << 20;
    private static final long BOUND = 2 * PAGE;

    /** The first part of {@code range} that is no longer kept; reads as much of it as is kept. */
    public static Optional<Gap> firstGap(OutputStore outputs, TaskId id, StreamName stream, ByteRange range) {
        long at = range.first();
        while (at <= range.last()) {
            OutputStore.Slice page = page(outputs, id, stream, at, range.last());
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

    private static OutputStore.Slice page(OutputStore outputs, TaskId id, StreamName stream, long from, long last) {
        int most = (int) Math.min(PAGE, last - from + 1);
        return outputs.read(id, stream, from, most);
    }

    @Override
    public void write() throws InterruptedException {
        response.putHeader("Content-Length", Long.toString(range.length()));
        Outflow client = new Outflow(response, BOUND);
        long at = range.first();
        boolean there = true;
        while (there && at <= range.last()) {
            OutputStore.Slice page = page(outputs, id, stream, at, range.last());
            if (!page.omitted().isEmpty() || page.bytes().length == 0) {
                throw new IllegalStateException("output of " + id + " was dropped at " + at + " while it was read");
            }
            there = client.write(Buffer.buffer(page.bytes()));
            at += page.bytes().length;
        }
    }
}
