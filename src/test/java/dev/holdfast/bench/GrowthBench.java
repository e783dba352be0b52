package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.PackagedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a call and a start of the server cost with 1,000, 12,000 and 100,000 ended tasks on record, and 20 that run: three
 * servers, asked in turn; medians, printed, nothing asserted but that the work was done.
 */
class GrowthBench {
    private static final int[] SIZES = {1000, 12_000, 100_000};
    private static final int STARTS = 3;
    private static final int ROUNDS = 3;
    private static final int CALLS = 40;
    private static final int RUNNING = 20;
    private static final Duration SLEEP = Duration.ofSeconds(1);

    @RegisterExtension
    static final PackagedServer FEW = server();

    @RegisterExtension
    static final PackagedServer MORE = server();

    @RegisterExtension
    static final PackagedServer MANY = server();

    private final Figures figures;
    private final Map<String, PackagedServer> servers = new LinkedHashMap<>();
    private final Map<String, EndedTasks> ended = new LinkedHashMap<>();

    GrowthBench() {
        List<PackagedServer> all = List.of(FEW, MORE, MANY);
        for (int i = 0; i < SIZES.length; i++) {
            String size = String.format(Locale.ROOT, "%,d", SIZES[i]);
            servers.put(size, all.get(i));
            ended.put(size, new EndedTasks(all.get(i)));
        }
        figures = new Figures(List.copyOf(servers.keySet()));
    }

    private static PackagedServer server() {
        return new PackagedServer().with("HOLDFAST_RETENTION_COUNT", "1000000");
    }

    /** One call, to be timed. */
    private interface Call {
        String run(KeepAlive connection) throws IOException;
    }

    @Test
    void measure() throws Exception {
        int number = 0;
        for (EndedTasks tasks : ended.values()) {
            tasks.make(SIZES[number++]);
        }
        starts();
        for (PackagedServer server : servers.values()) {
            for (int i = 0; i < RUNNING; i++) {
                server.calls().start("exec sleep 3600");
            }
            awaitQuiet(server);
        }
        calls();
        System.out.println(System.lineSeparator() + figures.table());
    }

    private void starts() throws Exception {
        for (int round = 0; round < STARTS; round++) {
            for (var server : servers.entrySet()) {
                server.getValue().terminate();
                double size = Files.size(server.getValue().data().resolve("holdfast.mv.db"));
                int tasks = SIZES[List.copyOf(servers.keySet()).indexOf(server.getKey())];
                figures.add("the database after a clean end, KB a row", server.getKey(), size / 1000 / tasks);
                long from = System.nanoTime();
                server.getValue().start();
                figures.add("ready, s", server.getKey(), millisSince(from) / 1000);
            }
        }
    }

    private void calls() throws Exception {
        Map<String, KeepAlive> connections = new LinkedHashMap<>();
        for (var server : servers.entrySet()) {
            connections.put(server.getKey(), new KeepAlive(server.getValue()));
        }
        for (int round = 0; round <= ROUNDS; round++) {
            for (var connection : connections.entrySet()) {
                for (var call : calls(ended.get(connection.getKey())).entrySet()) {
                    double median = median(call.getValue(), connection.getValue());
                    if (round > 0) { // the first one warms it up
                        figures.add(call.getKey(), connection.getKey(), median);
                    }
                }
            }
        }
        for (KeepAlive connection : connections.values()) {
            connection.close();
        }
    }

    private static Map<String, Call> calls(EndedTasks tasks) {
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("list of active, ms", http -> http.get("/v1/tasks"));
        calls.put("list of ended, ms", http -> http.get("/v1/tasks?status=ended"));
        calls.put(
                "those with a label that a tenth have, ms",
                http -> http.get("/v1/tasks?status=all&label=" + EndedTasks.COMMON));
        calls.put("the one with a label, ms", http -> http.get("/v1/tasks?status=all&label=" + EndedTasks.label(123)));
        calls.put("status of an ended one, ms", http -> http.get("/v1/tasks/" + tasks.one()));
        calls.put("`q` that no command has, ms", http -> http.get("/v1/tasks?status=all&q=npm%20run%20Dev"));
        calls.put("round trip of `true`, ms", http -> http.post("/v1/commands", Calls.command("true")));
        calls.put(
                "start of a task, ms",
                http -> http.post(
                        "/v1/commands", Calls.command("true", "yield_time_ms", 0, "duplicate_policy", "start_new")));
        return calls;
    }

    private static double median(Call call, KeepAlive connection) throws IOException {
        double[] times = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long from = System.nanoTime();
            String answer = call.run(connection);
            times[i] = millisSince(from);
            assertThat(answer).startsWith("{");
        }
        return Figures.quantile(times, 0.5);
    }

    /** Its first look at what is to be forgotten, five seconds after its start, is over. */
    private static void awaitQuiet(PackagedServer server) {
        List<Duration> used = new ArrayList<>();
        await().atMost(Duration.ofMinutes(2))
                .pollDelay(SLEEP.multipliedBy(8))
                .pollInterval(SLEEP)
                .until(() -> {
                    used.add(server.server().info().totalCpuDuration().orElseThrow());
                    int last = used.size() - 1;
                    return last > 0 && used.get(last).minus(used.get(last - 1)).toMillis() < 50;
                });
    }

    private static double millisSince(long from) {
        return (System.nanoTime() - from) / 1e6;
    }
}
