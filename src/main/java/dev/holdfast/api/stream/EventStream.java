package dev.holdfast.api.stream;

import dev.holdfast.api.view.Json;
import dev.holdfast.runtime.FeedEvent;
import dev.holdfast.runtime.FeedReader;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;

/**
 * Server-sent events: each at once, a comment when there was nothing for 15 seconds. A client that reads slowly is not
 * buffered for: the feed is asked for more only when it took what there was. What is printed while the request's thread
 * waits goes out on the event loop, without waking that thread.
 *
 * @param loop the connection's own
 * @param reader closed when the stream ends; to be abandoned when its client is gone
 */
public record EventStream(HttpServerResponse response, Context loop, FeedReader reader) implements Flow {
    static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final long BOUND = 256 * 1024;
    private static final Buffer OPENING = Buffer.buffer("retry: 1000\n\n");
    private static final Buffer STILL_HERE = Buffer.buffer(": still here\n\n");

    @Override
    public void write() throws InterruptedException {
        try (reader) {
            response.setChunked(true);
            Outflow client = new Outflow(response, BOUND);
            reader.listen(new OnTheLoop(client));
            boolean there = client.write(OPENING);
            while (there && !reader.finished()) {
                List<FeedEvent> events = reader.next(HEARTBEAT);
                if (!events.isEmpty()) {
                    there = client.write(text(events));
                } else if (!reader.finished()) {
                    there = client.write(STILL_HERE);
                }
            }
        }
    }

    private final class OnTheLoop implements FeedReader.Listener {
        private final Outflow client;

        OnTheLoop(Outflow client) {
            this.client = client;
        }

        @Override
        public void onPrinted() {
            loop.runOnContext(_ -> reader.pass());
        }

        /** What is on its way was written by the other thread, and may still be queued behind this one. */
        @Override
        public boolean isReady() {
            return client.isIdle();
        }

        @Override
        public void take(List<FeedEvent> events) {
            client.send(text(events));
        }
    }

    /** Each as its id, its type and one line of data. */
    static Buffer text(List<FeedEvent> events) {
        StringBuilder text = new StringBuilder();
        for (FeedEvent event : events) {
            text.append("id: ").append(event.id());
            text.append("\nevent: ").append(event.type());
            Json.append(text.append("\ndata: "), event.data());
            text.append("\n\n");
        }
        return Buffer.buffer(text.toString());
    }
}
