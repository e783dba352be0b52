package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 7: server-sent events of one task. */
class EventsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private static EventStream open(String id, String... headers) {
        return EventStream.open(SERVER, "/v1/tasks/" + id + "/events", headers);
    }

    @Test
    void aTaskTellsItsOutputAndItsEnd() throws Exception {
        String id = http.start("echo out; echo err >&2; sleep 0.5; echo more; exit 3");
        try (EventStream stream = open(id)) {
            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.contentType()).startsWith("text/event-stream");

            EventStream.Event ended = stream.awaitEnded();

            assertThat(ended.text("status")).isEqualTo("failed");
            assertThat(stream.output("stdout")).isEqualTo("out\nmore\n");
            assertThat(stream.output("stderr")).isEqualTo("err\n");
            for (EventStream.Event event : stream.events()) {
                assertThat(event.id()).isNotBlank();
                assertThat(event.type()).isIn("output", "status", "waiting", "ports");
            }
            stream.awaitOver();
        }
    }

    @Test
    void outputEventsSayWhereTheyStand() throws Exception {
        String id = http.start("for i in 1 2 3 4 5; do echo $i; sleep 0.1; done");
        try (EventStream stream = open(id)) {
            stream.awaitEnded();
            long at = 0;
            for (EventStream.Event event : stream.events()) {
                if (event.type().equals("output")) {
                    assertThat(event.data().path("from").asLong()).isEqualTo(at);
                    at = event.data().path("to").asLong();
                }
            }
            assertThat(at).isEqualTo(10);
        }
    }

    /** Little and much, and both streams take turns: no byte is lost, doubled or overtaken. */
    @Test
    void burstsAndTricklesArriveOnceAndInOrder() throws Exception {
        String id = http.start("for i in $(seq 400); do echo o$i; [ $((i % 3)) = 0 ] && echo e$i >&2;"
                + " [ $((i % 40)) = 0 ] && seq 9000 && seq 9000 >&2; [ $((i % 4)) = 0 ] && sleep 0.01; done; :");
        try (EventStream one = open(id)) {
            one.awaitEnded();
            for (String stream : List.of("stdout", "stderr")) {
                String whole = http.raw(id, "?max_bytes=1048576&stream=" + stream)
                        .hasStatus(200)
                        .body();
                assertThat(told(one, id, stream)).isEqualTo(whole);
            }
        }
    }

    private static String told(EventStream events, String id, String stream) {
        var text = new StringBuilder();
        long at = 0;
        for (EventStream.Event event : events.events()) {
            if (event.type().equals("output")
                    && event.text("task_id").equals(id)
                    && event.text("stream").equals(stream)) {
                assertThat(event.data().path("from").asLong()).isEqualTo(at);
                at = event.data().path("to").asLong();
                text.append(event.text("text"));
            }
        }
        return text.toString();
    }

    @Test
    void lastEventIdResumesWithoutLossOrRepeats() throws Exception {
        String id = http.start("for i in $(seq 1 200); do echo $i; sleep 0.01; done");
        String expected = IntStream.rangeClosed(1, 200).mapToObj(i -> i + "\n").collect(Collectors.joining());
        var text = new StringBuilder();
        String last = "";
        for (boolean ended = false; !ended; ) {
            try (EventStream stream = last.isEmpty() ? open(id) : open(id, "Last-Event-ID", last)) {
                stream.await("some", event -> event.type().equals("output") || event.ended());
                for (EventStream.Event event : stream.events()) {
                    text.append(event.type().equals("output") ? event.text("text") : "");
                    last = event.id();
                    ended |= event.ended();
                }
            }
        }

        assertThat(text).hasToString(expected);
    }

    @Test
    void anEndedTaskTellsEverythingAtOnce() throws Exception {
        String id = http.start("seq 1 1000; exit 2");
        http.awaitEnd(id);
        try (EventStream stream = open(id)) {
            stream.awaitEnded();
            stream.awaitOver();

            assertThat(stream.output("stdout").lines()).hasSize(1000).endsWith("1000");
        }
    }

    @Test
    void portsAreTold() throws Exception {
        int port = PackagedServer.freePort();
        String id = http.start("exec python3 -m http.server " + port);
        try (EventStream stream = open(id)) {
            stream.await(
                    "port",
                    event -> event.type().equals("ports")
                            && event.data().toString().contains("" + port));
            http.stop(id, "force", true);
            stream.awaitEnded();
        }
    }

    @Test
    void waitingForInputIsTold() throws Exception {
        String id = http.start("sleep 0.3; cat", "accepts_input", true);
        try (EventStream stream = open(id)) {
            stream.await(
                    "input",
                    event -> event.type().equals("waiting")
                            && event.data().toString().contains("input"));
            http.stop(id, "force", true);
        }
    }

    @Test
    void aClientThatLeavesIsNotWaitedFor() throws Exception {
        String id = http.start("echo once; sleep 60");
        await("others' watches").atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) == 0);
        try (EventStream stream = open(id)) {
            stream.awaitType("output");
            assertThat(ServerUsage.outputWatches(http)).isPositive();
        }
        await("its watch").atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(http) == 0);
        http.stop(id);
    }

    @Test
    void aTaskThatIsNotThereHasNoEvents() {
        http.get("/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/events", "Accept", "text/event-stream")
                .hasStatus(404);
    }
}
