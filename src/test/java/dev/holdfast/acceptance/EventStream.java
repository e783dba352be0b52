package dev.holdfast.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A client of server-sent events, as the HTML standard's section 9.2 reads them; its own virtual thread collects. */
public final class EventStream implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final Consumer<Event> onEvent;
    private volatile boolean over;

    /** @param data parsed */
    public record Event(String id, String type, JsonNode data) {
        public String text(String field) {
            return data.path(field).asText();
        }

        /** Whether it says that its task ended. */
        public boolean ended() {
            return type.equals("status") && Calls.ended(text("status"));
        }
    }

    private EventStream(HttpResponse<InputStream> response, Consumer<Event> onEvent) {
        this.response = response;
        this.onEvent = onEvent;
        Thread.ofVirtual().start(this::collect);
    }

    public static EventStream open(PackagedServer server, String path, String... headers) {
        return open(server, path, _ -> {}, headers);
    }

    /** @param onEvent called for each as it arrives, before it can be seen in {@link #events} */
    public static EventStream open(PackagedServer server, String path, Consumer<Event> onEvent, String... headers) {
        var request = server.request(path).header("Accept", "text/event-stream");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return read(server, request.build(), onEvent);
    }

    /** The answer to a request that is made by other means than the server's token. */
    public static EventStream read(PackagedServer server, HttpRequest request) {
        return read(server, request, _ -> {});
    }

    private static EventStream read(PackagedServer server, HttpRequest request, Consumer<Event> onEvent) {
        try {
            return new EventStream(server.client().send(request, BodyHandlers.ofInputStream()), onEvent);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    public int status() {
        return response.statusCode();
    }

    public String contentType() {
        return response.headers().firstValue("Content-Type").orElse("");
    }

    public List<Event> events() {
        return List.copyOf(events);
    }

    public Event await(String what, Predicate<Event> wanted) {
        org.awaitility.Awaitility.await(what)
                .atMost(Calls.PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> events.stream().anyMatch(wanted));
        return events.stream().filter(wanted).findFirst().orElseThrow();
    }

    public Event awaitType(String type) {
        return await(type, event -> event.type().equals(type));
    }

    /** The status event that says it ended. */
    public Event awaitEnded() {
        return await("end", Event::ended);
    }

    public void awaitOver() {
        org.awaitility.Awaitility.await("end of the stream")
                .atMost(Calls.PATIENCE)
                .until(() -> over);
    }

    /** The text of all output events of one stream. */
    public String output(String stream) {
        var text = new StringBuilder();
        for (Event event : events) {
            if (event.type().equals("output") && event.text("stream").equals(stream)) {
                text.append(event.text("text"));
            }
        }
        return text.toString();
    }

    private void collect() {
        String id = "";
        String type = "message";
        var data = new StringBuilder();
        try (var lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    if (!data.isEmpty()) {
                        var event = new Event(id, type, Json.read(data.toString()));
                        onEvent.accept(event);
                        events.add(event);
                    }
                    type = "message";
                    data.setLength(0);
                } else if (line.startsWith("id:")) {
                    id = value(line);
                } else if (line.startsWith("event:")) {
                    type = value(line);
                } else if (line.startsWith("data:")) {
                    data.append(data.isEmpty() ? "" : "\n").append(value(line));
                }
            }
        } catch (IOException e) {
            return; // closed by this side or by a server that was killed
        } finally {
            over = true;
        }
    }

    private static String value(String line) {
        String value = line.substring(line.indexOf(':') + 1);
        return value.startsWith(" ") ? value.substring(1) : value;
    }

    @Override
    public void close() throws IOException {
        response.body().close();
    }
}
