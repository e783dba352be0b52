package dev.holdfast.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Answer;
import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.kernel.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAccumulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A command that prints far more than is kept: what it costs of disk and of the server's memory while it prints, and
 * what can be read of it right afterwards. How much: the system property {@code holdfast.flood.gib}, 1 without it.
 */
class FloodIT {
    private static final long MIB = 1L << 20;
    /**
     * Alone on two processors a flood of 750 MB a second takes 190 to 250 MB. Beside other tests, which take what they
     * like of the machine, the governor may come late, and it was 391: a flood goes on meanwhile.
     */
    private static final long MOST_DISK = 600_000_000;

    private static final long KEPT = 64 * MIB;
    /** Without a pause the looks would take a processor from what they look at. */
    private static final Duration LOOKS = Duration.ofMillis(5);

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final String LINE = "0123456789abcde\n";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("JAVA_TOOL_OPTIONS", "-Xmx160m");

    private final Calls http = SERVER.calls();
    private final long bytes = Long.getLong("holdfast.flood.gib", 1) << 30;

    @Test
    void costsLittleAndIsWholeAtBothEnds() throws Exception {
        long memory = resident();
        String id = http.start("yes 0123456789abcde | head -c " + bytes, "timeout_ms", LIMIT.toMillis());
        Path out = SERVER.taskFolder(id).resolve("out");
        CompletableFuture<JsonNode> end = CompletableFuture.supplyAsync(() -> awaitEnd(id));
        long began = System.nanoTime();
        var mostDisk = new LongAccumulator(Math::max, 0);
        var mostMemory = new LongAccumulator(Math::max, 0);
        await().atMost(LIMIT).pollInterval(LOOKS).until(() -> {
            mostDisk.accumulate(Stat.allocatedBytes(out));
            mostMemory.accumulate(resident());
            return end.isDone();
        });
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        System.out.printf(
                "flood of %d MiB in %d s: at most %d MiB on disk, %d afterwards; server memory %d to %d MiB%n",
                bytes / MIB,
                seconds,
                mostDisk.get() / MIB,
                Stat.allocatedBytes(out) / MIB,
                memory / MIB,
                mostMemory.get() / MIB);

        assertThat(end.join().path("exit_status").asInt()).isZero();
        assertThat(mostDisk.get()).isLessThanOrEqualTo(MOST_DISK);
        assertThat(mostMemory.get() - memory).isLessThan(200 * MIB);
        assertWholeAtBothEnds(id, end.join());
    }

    private JsonNode awaitEnd(String id) {
        while (true) {
            http.get("/v1/tasks/" + id + "/output?cursor=-1&wait_ms=200").hasStatus(200);
            JsonNode task = http.task(id);
            if (Calls.ended(task.path("status").asText())) {
                return task;
            }
        }
    }

    private void assertWholeAtBothEnds(String id, JsonNode ended) {
        assertThat(ended.at("/output/stdout_bytes").asLong()).isEqualTo(bytes);
        long omitted = omitted(ended);
        assertThat(bytes - omitted).isBetween(KEPT - 4096, KEPT);

        Answer head = page(id, "0");
        assertThat(head.text("/text")).isEqualTo(LINE.repeat(64));
        Answer over = page(id, Long.toString(KEPT / 4 + 4096));
        JsonNode gap = over.at("/omitted/0");
        assertThat(gap.path("to").asLong() - gap.path("from").asLong() + 4096).isEqualTo(omitted);
        assertThat(over.text("/text")).startsWith(LINE).doesNotContain("\0");
        assertThat(Long.parseLong(over.text("/next_cursor")))
                .isEqualTo(gap.path("to").asLong() + 1024);
        Answer tail = page(id, "-1024");
        assertThat(tail.text("/text")).isEqualTo(LINE.repeat(64));
        assertThat(tail.at("/end").asBoolean()).isTrue();
        assertThat(Long.parseLong(tail.text("/next_cursor"))).isEqualTo(bytes);
    }

    private static long omitted(JsonNode task) {
        return task.at("/output/omitted_bytes").asLong();
    }

    private Answer page(String id, String cursor) {
        return http.get("/v1/tasks/" + id + "/output?stream=stdout&view=raw&max_bytes=1024&cursor=" + cursor)
                .hasStatus(200);
    }

    private static long resident() throws IOException {
        Path status = Path.of("/proc", Long.toString(SERVER.pid()), "status");
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow();
    }
}
