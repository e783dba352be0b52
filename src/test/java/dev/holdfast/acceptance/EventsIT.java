package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

    /** Each of many would else take much of the server's time, and of the kernel's memory. */
    @Test
    void littleIsOnItsWayToAClientThatDoesNotRead() throws Exception {
        String id = http.start("yes 0123456789 | head -c 20000000; sleep 60");
        http.awaitTask(id, task -> task.at("/output/stdout_bytes").asLong() == 20_000_000);
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send("GET /v1/tasks/" + id + "/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                    + SERVER.token() + "\r\n\r\n");
            AtomicLong before = new AtomicLong();
            await("a queue that grows no more")
                    .atMost(Calls.PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> queuedFor(client), queued -> queued > 0 && before.getAndSet(queued) == queued);
            assertThat(before.get()).isLessThan(1 << 20);
        }
        http.stop(id);
    }

    /** Bytes that the kernel holds for the other end (proc_net(5)). */
    private static long queuedFor(RawHttp client) throws IOException {
        String port = String.format(":%04X", client.port());
        long queued = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split("\\s+", -1);
                if (fields[2].endsWith(port)) {
                    queued += Long.parseLong(fields[4].split(":", -1)[0], 16);
                }
            }
        }
        return queued;
    }

    @Test
    void aTaskThatIsNotThereHasNoEvents() {
        http.get("/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/events", "Accept", "text/event-stream")
                .hasStatus(404);
    }
}
