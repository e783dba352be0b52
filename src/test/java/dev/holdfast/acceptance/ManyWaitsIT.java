package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many who wait at once cost no thread each, and an answer comes soon after the fact. */
class ManyWaitsIT {
    private static final int WAITERS = 2000;
    private static final int AT_ONCE = 200;
    private static final int THREADS_MORE = 50;
    private static final int TIMES = 10;
    private static final int PASSES = 3;
    /** Ten times what it may take on a machine of one's own. */
    private static final Duration SOON = Duration.ofMillis(200);

    private static final Duration SOON_FOR_INPUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private static CompletableFuture<Answer> wait(HttpClient client, Object condition) {
        HttpRequest request = SERVER.request("/v1/wait")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(
                        Json.write(Json.object("any", List.of(condition), "timeout_ms", 120_000))))
                .build();
        long from = System.nanoTime();
        CompletableFuture<HttpResponse<byte[]>> response = client.sendAsync(request, BodyHandlers.ofByteArray());
        return response.thenApply(answer -> Answer.of(answer, Duration.ofNanos(System.nanoTime() - from)));
    }

    private static Map<String, ?> until(String task, int i) {
        return switch (i % 4) {
            case 0 -> Json.object("task_id", task, "until", "end");
            case 1 -> Json.object("task_id", task, "until", "output_matches", "pattern", "^over");
            case 2 -> Json.object("task_id", task, "until", "port_open", "port", 1);
            default -> Json.object("task_id", task, "until", "idle", "idle_ms", 600_000);
        };
    }

    private static long threads() {
        return ServerUsage.threads(SERVER.pid()).size();
    }

    /** Established, as proc_net(5) has them. */
    private static long connections() throws IOException {
        String port = ":%04X".formatted(SERVER.port());
        long count = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            count += Files.readAllLines(Path.of(table)).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(words -> words[1].endsWith(port) && words[3].equals("01"))
                    .count();
        }
        return count;
    }

    @Test
    void twoThousandAtOnce() throws Exception {
        String task = http.start("cat > /dev/null; echo over", "accepts_input", true);
        http.task(task);
        long threads = threads();
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build(); // without connections that it could use again
        for (int i = 0; i < WAITERS; i++) {
            answers.add(wait(client, until(task, i)));
            if (answers.size() % AT_ONCE == 0) { // what the kernel has to try again comes a minute later
                await().atMost(Calls.PATIENCE).until(() -> connections() >= answers.size());
            }
        }
        http.task(task); // answered after them
        long waiting = threads();
        assertThat(readsDuringPasses(task))
                .as("of files and sockets, all together")
                .isLessThan(WAITERS);
        theAnswerComesSoonAfterTheFact("end", "date +%s%N # beside them all");
        List<CompletableFuture<Instant>> arrived = answers.stream()
                .map(answer -> answer.thenApply(_ -> Instant.now()))
                .toList();
        http.input(task, "eof", true).hasStatus(200);

        Instant ended = Instant.parse(http.awaitEnd(task).path("ended_at").asText());
        Duration[] took = new Duration[WAITERS];
        for (int i = 0; i < WAITERS; i++) {
            Answer answer = answers.get(i).get(60, TimeUnit.SECONDS).hasStatus(200);
            assertThat(answer.at(i % 4 < 2 ? "/satisfied/0" : "/impossible/0").asInt(-1))
                    .as(answer.body())
                    .isZero();
            took[i] = Duration.between(ended, arrived.get(i).get());
        }
        Arrays.sort(took);
        long after = threads();
        System.out.printf(
                "Threads before %d, with %d who wait %d, after %d; from one end to all answers: median %s, p95 %s, longest %s%n",
                threads, WAITERS, waiting, after, took[WAITERS / 2], took[WAITERS * 95 / 100], took[WAITERS - 1]);
        assertThat(waiting - threads).isLessThan(THREADS_MORE);
        assertThat(after - threads).isLessThan(THREADS_MORE);
    }

    /** While the running tasks are looked at some times more: of /proc, of the database, of whatever else. */
    private long readsDuringPasses(String task) {
        long before = ServerUsage.reads(SERVER.pid());
        Set<String> passes = new HashSet<>();
        await().atMost(Calls.PATIENCE).until(() -> {
            passes.add(http.task(task).path("observed_at").asText());
            return passes.size() > PASSES;
        });
        return ServerUsage.reads(SERVER.pid()) - before;
    }

    /** The task prints the time at which it makes the fact. */
    @ParameterizedTest
    @CsvSource({"end, date +%s%N", "output_matches, date +%s%N; sleep 60", "needs_input, date +%s%N; read y"})
    void theAnswerComesSoonAfterTheFact(String until, String fact) throws Exception {
        Duration[] took = new Duration[TIMES];
        for (int i = 0; i < TIMES; i++) {
            String task = http.start("read x; sleep 0.2; " + fact + " # " + i, "accepts_input", true);
            var condition = Json.object("task_id", task, "until", until);
            if (until.equals("output_matches")) {
                condition.put("pattern", "^\\d{19}$");
            }
            if (until.equals("needs_input")) {
                http.input(task, "text", "x\n").hasStatus(200);
            }
            CompletableFuture<Instant> answered = wait(SERVER.client(), condition)
                    .thenApply(answer -> {
                        assertThat(answer.hasStatus(200).at("/satisfied/0").asInt(-1))
                                .isZero();
                        return Instant.now();
                    });
            if (!until.equals("needs_input")) {
                http.input(task, "text", "x\n").hasStatus(200);
            }
            Instant at = answered.get(60, TimeUnit.SECONDS);
            long nanos = Long.parseLong(http.awaitOutput(task, "\n").strip());
            took[i] = Duration.between(Instant.ofEpochSecond(0, nanos), at);
            http.stop(task, "force", true);
        }
        Arrays.sort(took);
        System.out.printf(
                "From %s to the answer: median %s, p95 %s, longest %s%n",
                until, took[TIMES / 2], took[TIMES * 95 / 100], took[TIMES - 1]);
        assertThat(took[TIMES / 5])
                .as("beside other tests the better ones count")
                .isLessThan(until.equals("needs_input") ? SOON_FOR_INPUT : SOON);
    }
}
