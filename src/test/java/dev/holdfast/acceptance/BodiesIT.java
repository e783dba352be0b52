package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 9: many large requests at once. */
class BodiesIT {
    private static final int MIB = 1 << 20;
    /** What a caller has who is refused. */
    private static final Duration FOR_THE_REST = Duration.ofSeconds(10);

    /** The largest body that there may be, nearly. */
    private static final String LARGE = input(31 * MIB);

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();
    private String task = "";

    /** It takes what a pipe holds, and no more. */
    @BeforeEach
    void startOneThatDoesNotRead() {
        task = http.start("sleep 600", "accepts_input", true);
        http.pid(task);
    }

    @Test
    void theyAreTakenOrToldToComeAgainWhileSmallOnesPass() {
        String text = input(20 * MIB);
        List<CompletableFuture<Optional<Answer>>> large = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> sendInTime(task, text), Thread::startVirtualThread))
                .limit(16)
                .toList();
        var small = new ArrayList<Answer>();
        while (!large.stream().allMatch(CompletableFuture::isDone)) {
            assertThat(http.get("/q/health/ready").status()).isEqualTo(200);
            small.add(http.run("echo small"));
        }

        assertThat(small)
                .isNotEmpty()
                .allSatisfy(answer ->
                        assertThat(answer.completed().text("/stdout_preview")).isEqualTo("small\n"));
        var answers = large.stream()
                .map(CompletableFuture::join)
                .flatMap(Optional::stream)
                .toList();
        assertThat(answers).extracting(Answer::status).contains(409).containsOnly(409, 429);
        assertThat(answers).filteredOn(answer -> answer.status() == 429).allSatisfy(BodiesIT::isToldToComeAgain);
        aLargeOneIsTakenAgain();
    }

    /** Of many at once, a machine that is held up may send one after the other. */
    @Test
    void whoFindsNoRoomIsToldToComeAgain() throws Exception {
        String text = input(20 * MIB);
        var halves = new ArrayList<RawHttp>();
        try {
            await().atMost(Calls.PATIENCE).untilAsserted(() -> {
                halves.add(begun(20 * MIB, 30 * MIB));
                isToldToComeAgain(send(task, text));
            });
        } finally {
            for (RawHttp half : halves) {
                half.reset();
            }
        }
        aLargeOneIsTakenAgain();
    }

    private static void isToldToComeAgain(Answer answer) {
        answer.refused(429, "capacity_exhausted");
        assertThat(answer.header("Retry-After")).isNotBlank();
        assertThat(answer.at("/retryable").asBoolean()).isTrue();
    }

    @Test
    void whoHangsUpHoldsNothing() throws Exception {
        for (boolean whole : List.of(false, true)) {
            var clients = new ArrayList<RawHttp>();
            for (int i = 0; i < 6; i++) {
                clients.add(begun(9 * MIB, whole ? 9 * MIB : 18 * MIB));
            }
            for (RawHttp client : clients) {
                client.reset();
            }
            aLargeOneIsTakenAgain();
        }
    }

    /** So many bytes of a request are sent. */
    private RawHttp begun(int sent, int announced) throws IOException {
        RawHttp client = RawHttp.to(SERVER.port());
        client.send(String.join(
                        "\r\n",
                        "POST /v1/tasks/" + task + "/input HTTP/1.1",
                        "Host: 127.0.0.1:" + SERVER.port(),
                        "Authorization: Bearer " + SERVER.token())
                + "\r\nContent-Length: " + announced + "\r\n\r\n");
        client.flood(sent);
        return client;
    }

    private static String input(int bytes) {
        return "{\"text\":\"" + "x".repeat(bytes) + "\"}";
    }

    private Answer send(String id, String input) {
        return http.send("POST", "/v1/tasks/" + id + "/input", input);
    }

    /** Nothing where it was refused, and held up: who cannot send the rest in time then is reset. */
    private Optional<Answer> sendInTime(String id, String input) {
        long began = System.nanoTime();
        try {
            return Optional.of(send(id, input));
        } catch (AssertionError reset) {
            if (System.nanoTime() - began < FOR_THE_REST.toNanos()) {
                throw reset;
            }
            return Optional.empty();
        }
    }

    /** By a task that answers at once: it has ended. */
    private void aLargeOneIsTakenAgain() {
        String ended = http.awaitEnd(http.start("true")).path("task_id").asText();
        await().atMost(Calls.PATIENCE).untilAsserted(() -> send(ended, LARGE).refused(409, "task_not_running"));
    }
}
