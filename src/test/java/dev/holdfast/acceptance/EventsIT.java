package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 7: server-sent events of one task and of all. */
class EventsIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

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

    /** Little is passed on in another way than much, and both streams take turns: no byte is lost, doubled or overtaken. */
    @Test
    void burstsAndTricklesArriveOnceAndInOrder() throws Exception {
        String id = http.start("for i in $(seq 400); do echo o$i; [ $((i % 3)) = 0 ] && echo e$i >&2;"
                + " [ $((i % 40)) = 0 ] && seq 9000 && seq 9000 >&2; [ $((i % 4)) = 0 ] && sleep 0.01; done; :");
        try (EventStream one = open(id);
                EventStream all = EventStream.open(SERVER, "/v1/events", "Last-Event-ID", "0")) {
            one.awaitEnded();
            all.await("the end", event -> event.ended() && event.text("task_id").equals(id));
            for (String stream : List.of("stdout", "stderr")) {
                String whole = http.raw(id, "?max_bytes=1048576&stream=" + stream)
                        .hasStatus(200)
                        .body();
                assertThat(told(one, id, stream)).isEqualTo(whole);
                assertThat(told(all, id, stream)).isEqualTo(whole);
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
    void everyTaskTellsInOneStream() throws Exception {
        try (EventStream stream = EventStream.open(SERVER, "/v1/events")) {
            String first = http.start("sleep 0.3; echo first");
            String second = http.start("sleep 0.3; echo second");
            for (String id : List.of(first, second)) {
                stream.await(
                        "output of " + id,
                        event -> event.type().equals("output")
                                && event.text("task_id").equals(id));
                stream.await(
                        "end of " + id,
                        event -> event.type().equals("status")
                                && event.text("task_id").equals(id)
                                && event.text("status").equals("completed"));
            }
        }
    }

    @Test
    void theStreamOfAllResumesToo() throws Exception {
        String last;
        String seen = http.start("echo before");
        http.awaitEnd(seen);
        try (EventStream stream = EventStream.open(SERVER, "/v1/events")) {
            String id = http.start("echo between-1");
            last = stream.await(
                            "end",
                            event -> event.type().equals("status")
                                    && event.text("task_id").equals(id)
                                    && event.text("status").equals("completed"))
                    .id();
        }
        String missed = http.start("echo between-2");
        http.awaitEnd(missed);
        try (EventStream stream = EventStream.open(SERVER, "/v1/events", "Last-Event-ID", last)) {
            stream.await(
                    "missed",
                    event ->
                            event.text("task_id").equals(missed) && event.type().equals("output"));
            assertThat(stream.output("stdout")).doesNotContain("between-1");
        }
    }

    @Test
    void whatEndsWhileTheReaderIsAwayIsToldToItsEnd() throws Exception {
        String id;
        String last;
        try (EventStream stream = EventStream.open(SERVER, "/v1/events")) {
            id = http.start("echo first; until test -e away; do sleep 0.05; done; echo second; exit 3");
            last = stream.await(
                            "first output",
                            event -> event.text("task_id").equals(id)
                                    && event.type().equals("output"))
                    .id();
        }
        Files.writeString(SERVER.workspace().resolve("away"), "");
        http.awaitEnd(id);
        try (EventStream stream = EventStream.open(SERVER, "/v1/events", "Last-Event-ID", last)) {
            EventStream.Event end = stream.await(
                    "end", event -> event.ended() && event.text("task_id").equals(id));
            assertThat(end.text("status")).isEqualTo("failed");
            assertThat(stream.output("stdout")).isEqualTo("second\n");
        }
    }

    @Test
    void resumingTellsNothingFromBeforeTheFeedBeganAndNothingTwice() throws Exception {
        http.awaitEnd(http.start("echo before the feed"));
        String last = resumedAfter("told once", null);
        last = resumedAfter("told second", last);
        resumedAfter("told third", last);
    }

    /** Reads the feed until a new task's end, which is all that it tells. */
    private String resumedAfter(String word, @Nullable String last) throws Exception {
        String[] resume = last == null ? new String[0] : new String[] {"Last-Event-ID", last};
        try (EventStream stream = EventStream.open(SERVER, "/v1/events", resume)) {
            String id = http.start("echo " + word);
            EventStream.Event end = stream.await(
                    "end", event -> event.ended() && event.text("task_id").equals(id));
            assertThat(stream.output("stdout")).isEqualTo(word + "\n");
            return end.id();
        }
    }

    @Test
    void aClientThatLeavesIsNotWaitedFor() throws Exception {
        String id = http.start("echo once; sleep 60");
        long before = ServerUsage.watches(SERVER.pid());
        try (EventStream stream = open(id)) {
            stream.awaitType("output");
            assertThat(ServerUsage.watches(SERVER.pid())).isGreaterThan(before);
        }
        await("the kernel's watches")
                .atMost(Duration.ofSeconds(5))
                .until(() -> ServerUsage.watches(SERVER.pid()) == before);
        http.stop(id);
    }

    @Test
    void aTaskThatIsNotThereHasNoEvents() {
        http.get("/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/events", "Accept", "text/event-stream")
                .hasStatus(404);
    }

    @Test
    void theFeedOfAllTasksOutlivesTasksThatAreForgotten() throws Exception {
        try (EventStream all = EventStream.open(SERVER, "/v1/events");
                ExecutorService callers = Executors.newFixedThreadPool(4)) {
            List<Future<?>> working = IntStream.range(0, 100)
                    .<Future<?>>mapToObj(_ -> callers.submit(this::startAndForget))
                    .toList();
            for (Future<?> each : working) {
                each.get();
            }

            String last = http.start("echo last");
            all.await(
                    "end of " + last,
                    event -> event.ended() && event.text("task_id").equals(last));
        }
    }

    private void startAndForget() {
        String id = http.start("echo short");
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> http.delete("/v1/tasks/" + id).status() == 204);
    }
}
