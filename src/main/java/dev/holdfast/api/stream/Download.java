package dev.holdfast.api.stream;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** A range of one stream, a page at a time, so that its size costs no memory. */
public record Download(HttpServerResponse response, OutputStore outputs, TaskId id, StreamName stream, ByteRange range)
        implements Flow {
    private static final int PAGE = 1 << 20;
    private static final long BOUND = 2 * PAGE;

    @Override
    public void write() throws InterruptedException {
        response.putHeader("Content-Length", Long.toString(range.length()));
        Outflow client = new Outflow(response, BOUND);
        long at = range.first();
        boolean there = true;
        while (there && at <= range.last()) {
            OutputStore.Slice page = outputs.read(id, stream, at, (int) Math.min(PAGE, range.last() - at + 1));
            if (!page.omitted().isEmpty() || page.bytes().length == 0) {
                throw new IllegalStateException("output of " + id + " was dropped at " + at + " while it was read");
            }
            there = client.write(Buffer.buffer(page.bytes()));
            at += page.bytes().length;
        }
    }
}
