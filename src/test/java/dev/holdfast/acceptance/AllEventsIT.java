package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 7: server-sent events of all tasks, and what of events outlives the server. */
class AllEventsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private static EventStream open(String... headers) {
        return EventStream.open(SERVER, "/v1/events", headers);
    }

    private static EventStream.Event awaitEnd(EventStream stream, String id) {
        return stream.await("end of " + id, event -> event.ended() && isOf(event, id));
    }

    private static boolean isOf(EventStream.Event event, String id) {
        return event.text("task_id").equals(id);
    }

    private static List<EventStream.Event> of(EventStream stream, String id, String type) {
        return stream.events().stream()
                .filter(event -> isOf(event, id) && event.type().equals(type))
                .toList();
    }

    @Test
    void everyTaskTellsFromItsStartToItsEnd() throws Exception {
        try (EventStream stream = open()) {
            List<String> ids = List.of(
                    http.start("sleep 0.3; echo first; echo more >&2; exit 3"), http.start("sleep 0.3; echo second"));
            ids.forEach(id -> awaitEnd(stream, id));

            assertThat(of(stream, ids.getFirst(), "status"))
                    .extracting(event -> event.text("status"))
                    .containsExactly("running", "failed");
            assertThat(of(stream, ids.getLast(), "status").getLast().text("ended_by"))
                    .isEqualTo("exit");
            assertThat(of(stream, ids.getFirst(), "output"))
                    .extracting(event -> event.text("stream"))
                    .containsExactlyInAnyOrder("stdout", "stderr");
            for (EventStream.Event event : stream.events()) {
                assertThat(event.type()).isIn("output", "status", "waiting", "ports");
                assertThat(event.data().has("text")).isFalse();
            }
        }
    }

    @Test
    void idsAreShortAndGrow() throws Exception {
        try (EventStream stream = open()) {
            for (int i = 0; i < 20; i++) {
                awaitEnd(stream, http.start("echo out; echo err >&2"));
            }

            List<String> ids =
                    stream.events().stream().map(EventStream.Event::id).toList();
            assertThat(ids).isSorted().doesNotHaveDuplicates().allMatch(id -> id.length() <= 32);
        }
    }

    @Test
    void portsAndWaitingAreTold() throws Exception {
        int port = PackagedServer.freePort();
        try (EventStream stream = open()) {
            String web = http.start("exec python3 -m http.server " + port);
            String cat = http.start("cat", "accepts_input", true);

            stream.await(
                    "port",
                    event -> isOf(event, web)
                            && event.text("ports").isEmpty()
                            && event.data().at("/ports/0").asInt() == port);
            stream.await(
                    "input", event -> isOf(event, cat) && event.text("waiting").equals("input"));
            http.stop(web, "force", true);
            http.stop(cat, "force", true);
        }
    }

    @Test
    void onlyTasksWithTheLabelsAreTold() throws Exception {
        String path = "/v1/events?label=team%3Dweb&label=stage%3Dtest";
        try (EventStream stream = EventStream.open(SERVER, path)) {
            String other = http.start("echo other", "labels", Map.of("team", "web"));
            http.awaitEnd(other);
            String wanted = http.start("echo wanted", "labels", Map.of("team", "web", "stage", "test", "more", "x"));
            awaitEnd(stream, wanted);

            assertThat(stream.events()).allMatch(event -> isOf(event, wanted));
        }
        http.get("/v1/events?label=team").refused(400, "invalid_tool_input");
        http.get("/v1/events?colour=red").refused(400, "invalid_tool_input");
    }

    @Test
    void whatAPrintsIsToldInPiecesThatFollowEachOther() throws Exception {
        try (EventStream stream = open()) {
            String id = http.start("for i in $(seq 300); do echo o$i; [ $((i % 3)) = 0 ] && echo e$i >&2;"
                    + " [ $((i % 40)) = 0 ] && seq 9000; [ $((i % 4)) = 0 ] && sleep 0.01; done; :");
            awaitEnd(stream, id);

            assertThat(toldUpTo(stream, id, "stdout"))
                    .isEqualTo(http.task(id).at("/output/stdout_bytes").asLong());
            assertThat(toldUpTo(stream, id, "stderr"))
                    .isEqualTo(http.task(id).at("/output/stderr_bytes").asLong());
        }
    }

    private static long toldUpTo(EventStream stream, String id, String name) {
        long at = 0;
        for (EventStream.Event event : of(stream, id, "output")) {
            if (event.text("stream").equals(name)) {
                assertThat(event.data().path("from").asLong()).isEqualTo(at);
                at = event.data().path("to").asLong();
            }
        }
        return at;
    }

    /** A flood is thousands of writes, and is told some twenty times a second: the rest of the ring stays. */
    @Test
    void aFloodPushesNothingElseOut() throws Exception {
        String start;
        try (EventStream stream = open()) {
            start = awaitEnd(stream, http.start("echo before")).id();
            String flood = http.start("timeout 2 yes > /dev/stderr & for i in $(seq 20000); do echo $i; done; wait");
            awaitEnd(stream, flood);

            assertThat(of(stream, flood, "output")).hasSizeBetween(4, 400);
        }
        try (EventStream again = open("Last-Event-ID", start)) {
            String last = http.start("echo after");
            awaitEnd(again, last);
            assertThat(again.events()).noneMatch(event -> event.type().equals("resync"));
        }
    }

    /** Leaves in the middle again and again, sometimes before anything came. */
    @Test
    void lastEventIdResumesWithoutLossOrRepeats() throws Exception {
        List<String> seen = new ArrayList<>();
        String last;
        try (EventStream stream = open()) {
            last = awaitEnd(stream, http.start("echo before")).id();
        }
        String begin = last;
        String id = http.start("for i in $(seq 100); do echo $i; sleep 0.02; done");
        for (boolean ended = false; !ended; ) {
            try (EventStream stream = open("Last-Event-ID", last)) {
                stream.await("some", event -> isOf(event, id));
                for (EventStream.Event event : stream.events()) {
                    seen.add(event.id());
                    last = event.id();
                    ended |= event.ended() && isOf(event, id);
                }
            }
        }

        try (EventStream whole = open("Last-Event-ID", begin)) {
            awaitEnd(whole, id);
            List<String> all =
                    whole.events().stream().map(EventStream.Event::id).toList();
            assertThat(all).startsWith(seen.toArray(String[]::new));
            assertThat(toldUpTo(whole, id, "stdout")).isEqualTo(292);
        }
    }

    @Test
    void whatEndsWhileTheReaderIsAwayIsToldToItsEnd() throws Exception {
        String id;
        String last;
        try (EventStream stream = open()) {
            id = http.start("echo first; until test -e away; do sleep 0.2; done; echo second; exit 3");
            last = stream.await(
                            "output", event -> isOf(event, id) && event.type().equals("output"))
                    .id();
        }
        Files.writeString(SERVER.workspace().resolve("away"), "");
        http.awaitEnd(id);
        try (EventStream stream = open("Last-Event-ID", last)) {
            assertThat(awaitEnd(stream, id).text("status")).isEqualTo("failed");
            assertThat(of(stream, id, "output"))
                    .extracting(event -> event.data().path("from").asLong())
                    .containsExactly(6L);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0", "x", "stdout:0:0", "-1", "task_1;2", "\"; drop", "+1", "99999999999999999999999999999999"})
    void anIdOfAnotherShapeBeginsWithAResync(String id) throws Exception {
        beginsWithResync(id);
    }

    @Test
    void anIdFromTheFutureBeginsWithAResync() throws Exception {
        try (EventStream stream = open()) {
            String last = awaitEnd(stream, http.start("true")).id();
            beginsWithResync(last.replaceFirst("^1", "9"));
        }
    }

    /** For RestartIT, which kills the server. */
    Stream<Story> overAKill() throws Exception {
        return Stream.of(anIdOfAFormerServerBeginsWithAResync(), oneTasksEventsGoOn());
    }

    private Story anIdOfAFormerServerBeginsWithAResync() throws Exception {
        String last;
        try (EventStream stream = open()) {
            last = awaitEnd(stream, http.start("true")).id();
        }
        String running = http.start("sleep 60");

        return new Story("an id of a former server begins with a resync", () -> {
            beginsWithResync(last);
            http.stop(running, "force", true);
        });
    }

    private Story oneTasksEventsGoOn() throws Exception {
        String id = http.start("echo first; until test -e goes-on; do sleep 0.2; done; echo second");
        String path = "/v1/tasks/" + id + "/events";
        String last;
        try (EventStream stream = EventStream.open(SERVER, path)) {
            last = stream.awaitType("output").id();
        }

        return new Story("one task's events go on", () -> {
            Files.writeString(SERVER.workspace().resolve("goes-on"), "");
            try (EventStream stream = EventStream.open(SERVER, path, "Last-Event-ID", last)) {
                stream.awaitEnded();
                assertThat(stream.output("stdout")).isEqualTo("second\n");
            }
        });
    }

    /** And goes on from there, as who lists the tasks then expects. */
    private void beginsWithResync(String lastEventId) throws Exception {
        String resync;
        try (EventStream stream = open("Last-Event-ID", lastEventId)) {
            assertThat(stream.status()).isEqualTo(200);
            stream.awaitType("resync");
            awaitEnd(stream, http.start("echo after"));
            assertThat(stream.events().getFirst().type()).isEqualTo("resync");
            assertThat(stream.events().stream().filter(event -> event.type().equals("resync")))
                    .hasSize(1);
            resync = stream.events().getFirst().id();
        }
        try (EventStream stream = open("Last-Event-ID", resync)) {
            stream.await("the end again", EventStream.Event::ended);
            assertThat(stream.events()).noneMatch(event -> event.type().equals("resync"));
        }
    }

    /** Nothing of a connection that hangs up in the moment it has asked is left. */
    @Test
    void manyThatHangUpLeaveNothing() throws Exception {
        String id = http.start("sleep 60");
        for (int i = 0; i < 100; i++) {
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                caller.send(
                        "",
                        "GET " + (i % 2 == 0 ? "/v1/events" : "/v1/tasks/" + id + "/events") + " HTTP/1.1",
                        "Host: 127.0.0.1:" + SERVER.port(),
                        "Authorization: Bearer " + SERVER.token());
            }
        }
        await("the watches").atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) == 0);
        http.stop(id, "force", true);
    }

    @Test
    void theFeedOutlivesTasksThatAreForgotten() throws Exception {
        try (EventStream all = open();
                ExecutorService callers = Executors.newFixedThreadPool(4)) {
            List<Future<String>> working = IntStream.range(0, 100)
                    .mapToObj(_ -> callers.submit(this::startAndForget))
                    .toList();
            List<String> ids = new ArrayList<>();
            for (Future<String> each : working) {
                ids.add(each.get());
            }

            awaitEnd(all, http.start("echo last"));
            ids.forEach(id -> awaitEnd(all, id)); // an end may be told after one that came later
            assertThat(all.events().stream()
                            .filter(EventStream.Event::ended)
                            .map(event -> event.text("task_id"))
                            .filter(ids::contains))
                    .containsExactlyInAnyOrderElementsOf(ids);
        }
    }

    private String startAndForget() {
        String id = http.start("echo short");
        await().atMost(Calls.PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> http.delete("/v1/tasks/" + id).status() == 204);
        return id;
    }
}
