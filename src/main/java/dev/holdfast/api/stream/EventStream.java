package dev.holdfast.api.stream;

import dev.holdfast.message.view.Json;
import dev.holdfast.runtime.feed.FeedEvent;
import dev.holdfast.runtime.feed.FeedReader;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;

/**
 * Server-sent events: each at once, a comment when there was nothing for 15 seconds. A client that reads slowly is not
 * buffered for: the feed is asked for more only when it took what there was. The opening and each comment name the
 * reader's place, so that who lost the connection before an event resumes from there.
 *
 * @param reader closed when the stream ends; to be abandoned when its client is gone, or the server stops
 */
public record EventStream(HttpServerResponse response, FeedReader reader) implements Flow {
    static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final long BOUND = 256 * 1024;

    @Override
    public void write() throws InterruptedException {
        try (reader) {
            reader.begin();
            response.setChunked(true);
            Outflow client = new Outflow(response, BOUND);
            boolean there = client.write(note("retry: 1000"));
            while (there && !reader.finished() && !reader.abandoned()) {
                List<FeedEvent> events = reader.next(HEARTBEAT);
                there = client.write(events.isEmpty() ? note(": still here") : text(events));
            }
        }
    }

    private Buffer note(String line) {
        return Buffer.buffer(line + "\nid: " + reader.place() + "\n\n");
    }

    /** Each as its id, its type and one line of data. */
    static Buffer text(List<FeedEvent> events) {
        StringBuilder text = new StringBuilder();
        for (FeedEvent event : events) {
            text.append("id: ").append(event.id());
            text.append("\nevent: ").append(event.type());
            text.append("\ndata: ").append(Json.text(event.data()));
            text.append("\n\n");
        }
        return Buffer.buffer(text.toString());
    }
}
