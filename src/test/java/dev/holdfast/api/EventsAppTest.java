package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.HoldfastConfig;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class EventsAppTest {
    @Inject
    HoldfastConfig config;

    @TestHTTPResource
    @SuppressWarnings("NullAway.Init")
    URI base;

    private Caller caller;

    @BeforeEach
    void calls() {
        caller = new Caller(base, config);
    }

    private record Event(String id, String type, String data) {}

    private HttpResponse<Stream<String>> open(String path, String... headers) {
        return caller.send(caller.request("GET", path, "", headers).build(), BodyHandlers.ofLines());
    }

    private static Event next(Iterator<String> lines) {
        String id = "";
        String type = "";
        while (true) {
            String line = lines.next();
            if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("event: ")) {
                type = line.substring(7);
            } else if (line.startsWith("data: ")) {
                return new Event(id, type, line.substring(6));
            }
        }
    }

    private static List<Event> all(HttpResponse<Stream<String>> response) {
        List<Event> events = new ArrayList<>();
        List<String> lines = response.body().toList();
        Iterator<String> rest = lines.iterator();
        long count = lines.stream().filter(line -> line.startsWith("data: ")).count();
        for (long i = 0; i < count; i++) {
            events.add(next(rest));
        }
        return events;
    }

    @Test
    void aTaskIsFollowedToItsEnd(@TempDir Path folder) throws IOException {
        Path go = folder.resolve("go");
        String id = caller.task("echo one; until [ -e " + go + " ]; do sleep 0.2; done; echo two", "");
        HttpResponse<Stream<String>> response = open("/v1/tasks/" + id + "/events");
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        List<Event> events = new ArrayList<>();
        try (Stream<String> body = response.body()) {
            Iterator<String> lines = body.iterator();
            events.add(next(lines));
            while (!events.getLast().data().contains("one")) {
                events.add(next(lines));
            }
            Files.createFile(go);
            while (!events.getLast().data().contains("completed")) {
                events.add(next(lines));
            }
        }

        assertThat(events).extracting(Event::type).contains("output", "status");
        String text = String.join(
                "",
                events.stream()
                        .filter(event -> event.type().equals("output"))
                        .map(event -> Caller.json(event.data()).path("text").asText())
                        .toList());
        assertThat(text).isEqualTo("one\ntwo\n");
        assertThat(events.getLast().data()).contains("\"completed\"");

        Event first = events.stream()
                .filter(event -> event.data().contains("one"))
                .findFirst()
                .orElseThrow();
        List<Event> resumed = all(open("/v1/tasks/" + id + "/events", "Last-Event-ID", first.id()));
        assertThat(resumed).extracting(Event::data).noneMatch(data -> data.contains("one"));
        assertThat(resumed).extracting(Event::data).anyMatch(data -> data.contains("two"));
        assertThat(open(
                                "/v1/tasks/" + id + "/events",
                                "Last-Event-ID",
                                resumed.getLast().id())
                        .statusCode())
                .isEqualTo(204);
    }

    @Test
    void allTasksAreFollowedTogether() {
        HttpResponse<Stream<String>> response = open("/v1/events");
        try (Stream<String> body = response.body()) {
            Iterator<String> lines = body.iterator();
            assertThat(lines.next()).startsWith("retry:");
            String id = caller.task("echo here", "");

            Event event = next(lines);
            while (!(event.type().equals("output") && event.data().contains(id))) {
                event = next(lines);
            }
            assertThat(event.data())
                    .isEqualTo("{\"task_id\":\"" + id + "\",\"stream\":\"stdout\",\"from\":0,\"to\":5}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"x", "1:2:running:", "1:2:asleep::", "-1:0:::", "1:9223372036854775808:::", "1:0:::", "0:1:::"})
    void anIdThatIsNoneIsRefused(String lastEventId) {
        String id = caller.task("true", "");
        HttpResponse<String> response = caller.get("/v1/tasks/" + id + "/events", "Last-Event-ID", lastEventId);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Last-Event-ID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /events", "GET /screen", "POST /stop", "POST /signal", "DELETE "})
    void aParameterThatIsNoneIsRefused(String call) {
        String id = caller.task("true", "");
        caller.ended(id);
        String[] parts = call.split(" ", 2);
        HttpResponse<String> response = caller.call(parts[0], "/v1/tasks/" + id + parts[1] + "?grace=1", "");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("not a known parameter", "grace");
    }

    /** Who loses the connection before the first event goes on from where it was opened. */
    @Test
    void theOpeningSaysWhereItBegins() {
        try (Stream<String> body = open("/v1/events").body()) {
            assertThat(body.limit(3))
                    .satisfiesExactly(
                            line -> assertThat(line).isEqualTo("retry: 1000"),
                            line -> assertThat(line).startsWith("id: ").hasSizeLessThanOrEqualTo(36),
                            line -> assertThat(line).isEmpty());
        }
    }
}
