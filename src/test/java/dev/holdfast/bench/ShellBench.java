package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.acceptance.Calls;
import dev.holdfast.acceptance.EventStream;
import dev.holdfast.acceptance.Json;
import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.TerminalClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What Holdfast costs against a bare shell in the same run on the same machine: {@code ./mvnw -Pbench verify}. Each
 * figure is measured three times and its median printed; nothing is asserted but that the work was done.
 */
class ShellBench {
    private static final int ROUNDS = 3;
    private static final int TRIPS = 200;
    private static final int TASKS = 200;
    private static final long FLOOD_BYTES = 256L << 20;
    private static final String FLOOD = "yes 0123456789abcdef0123456789abcdef | head -c " + FLOOD_BYTES;
    private static final String CLOCK = "for i in $(seq 100); do date +%s%N; sleep 0.02; done";

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private final Calls http = SERVER.calls();
    private final Figures figures = new Figures();

    @Test
    void measure() throws Exception {
        try (var connection = new KeepAlive(SERVER)) {
            warmUp(connection);
            for (int round = 0; round < ROUNDS; round++) {
                roundTrips(connection);
                flood(connection);
                fromWriteToClient();
                echo();
                runningTasks(connection);
            }
        }
        System.out.println(System.lineSeparator() + figures.table());
    }

    private static Map<String, Object> command(String cmd, Object... more) {
        Map<String, Object> body = Json.object(
                "cmd", cmd, "shell", "bash", "login", false, "duplicate_policy", "start_new", "workdir", "/tmp");
        body.putAll(Json.object(more));
        return body;
    }

    private static void warmUp(KeepAlive connection) throws IOException {
        for (int i = 0; i < 2 * TRIPS; i++) {
            connection.post("/v1/commands", command("true"));
        }
    }

    private void roundTrips(KeepAlive connection) throws Exception {
        double[] bare = new double[TRIPS];
        double[] served = new double[TRIPS];
        for (int i = 0; i < TRIPS; i++) {
            long from = System.nanoTime();
            assertThat(bash("true").waitFor()).isZero();
            bare[i] = millisSince(from);
        }
        for (int i = 0; i < TRIPS; i++) {
            long from = System.nanoTime();
            connection.post("/v1/commands", command("true"));
            served[i] = millisSince(from);
        }
        figures.shell("round trip of `true`, ms p50", Figures.quantile(bare, 0.5));
        figures.server("round trip of `true`, ms p50", Figures.quantile(served, 0.5));
        figures.shell("round trip of `true`, ms p95", Figures.quantile(bare, 0.95));
        figures.server("round trip of `true`, ms p95", Figures.quantile(served, 0.95));
    }

    private void flood(KeepAlive connection) throws Exception {
        Path file = SERVER.data().resolveSibling("flood");
        long from = System.nanoTime();
        assertThat(bash(FLOOD + " > " + file).waitFor()).isZero();
        figures.shell("capture of 256 MiB, MiB/s", rate(from));
        Files.delete(file);
        from = System.nanoTime();
        String answer = connection.post("/v1/commands", command(FLOOD, "yield_time_ms", 600_000));
        figures.server("capture of 256 MiB, MiB/s", rate(from));
        assertThat(answer).contains("\"completed\"");
    }

    private static double rate(long from) {
        return FLOOD_BYTES / 1048576.0 / (millisSince(from) / 1000);
    }

    private void fromWriteToClient() throws Exception {
        double[] bare = delaysOfAPipe();
        String id = http.start(CLOCK);
        var delays = new ArrayList<Double>();
        try (var stream = EventStream.open(SERVER, "/v1/tasks/" + id + "/events", event -> {
            if (event.type().equals("output")) {
                delays.add(delayOf(event.text("text")));
            }
        })) {
            stream.awaitEnded();
        }
        double[] served =
                delays.stream().skip(1).mapToDouble(Double::doubleValue).toArray();
        for (double share : new double[] {0.5, 0.95}) {
            String figure = "write to client, ms p" + (int) (share * 100);
            figures.shell(figure, Figures.quantile(bare, share));
            figures.server(figure, Figures.quantile(served, share));
        }
    }

    private static double[] delaysOfAPipe() throws Exception {
        var delays = new ArrayList<Double>();
        try (var lines = bash(CLOCK).inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                delays.add(delayOf(line));
            }
        }
        return delays.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** From the time in the last line, nanoseconds since the epoch, to now. */
    private static double delayOf(String lines) {
        Instant now = Instant.now();
        String[] times = lines.strip().split("\n", -1);
        long written = Long.parseLong(times[times.length - 1]);
        return (now.getEpochSecond() * 1_000_000_000L + now.getNano() - written) / 1e6;
    }

    private void echo() {
        String id = http.start("stty -echo; echo ready; cat", "tty", true);
        double[] delays = new double[TRIPS];
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("ready");
            for (int i = 0; i < TRIPS; i++) {
                String word = "word" + i + ".";
                long from = System.nanoTime();
                terminal.type(word + "\n");
                terminal.spinUntil(word);
                delays[i] = millisSince(from);
            }
        }
        http.stop(id, "force", true);
        figures.server("terminal echo, ms p50", Figures.quantile(delays, 0.5));
        figures.server("terminal echo, ms p95", Figures.quantile(delays, 0.95));
    }

    private void runningTasks(KeepAlive connection) throws Exception {
        long before = status("VmRSS");
        long threads = status("Threads");
        var ids = new ArrayList<String>();
        long from = System.nanoTime();
        for (int i = 0; i < TASKS; i++) {
            String answer = connection.post("/v1/commands", command("exec sleep 600", "yield_time_ms", 0));
            ids.add(Json.read(answer).at("/task_handle/task_id").asText());
        }
        figures.server("a start, ms", millisSince(from) / TASKS);
        figures.shell("a start, ms", bareStart());
        figures.server("server memory a running task, KiB", (status("VmRSS") - before) / (double) TASKS);
        figures.server("threads more with 200 running tasks", status("Threads") - (double) threads);
        figures.server("CPU with 200 running tasks, % of a core", idlePercent());
        for (String id : ids) {
            http.stop(id, "force", true);
        }
    }

    private static double bareStart() throws IOException {
        var started = new ArrayList<Process>();
        long from = System.nanoTime();
        for (int i = 0; i < TASKS; i++) {
            started.add(bash("exec sleep 600"));
        }
        double each = millisSince(from) / TASKS;
        started.forEach(Process::destroyForcibly);
        return each;
    }

    private static double idlePercent() {
        Duration watched = Duration.ofSeconds(5);
        await().pollDelay(watched).atMost(watched.multipliedBy(2)).until(() -> true);
        Duration before = cpuTime();
        long from = System.nanoTime();
        await().pollDelay(watched).atMost(watched.multipliedBy(2)).until(() -> true);
        return cpuTime().minus(before).toNanos() * 100.0 / (System.nanoTime() - from);
    }

    private static Duration cpuTime() {
        Optional<Duration> time = SERVER.server().info().totalCpuDuration();
        return time.orElseThrow(() -> new IllegalStateException("the server is gone"));
    }

    private static long status(String key) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc", Long.toString(SERVER.pid()), "status"));
        Matcher matcher = Pattern.compile(key + ":\\s+(\\d+).*").matcher(String.join("\n", lines));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static Process bash(String cmd) throws IOException {
        return new ProcessBuilder("bash", "-c", cmd)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
    }

    private static double millisSince(long from) {
        return (System.nanoTime() - from) / 1e6;
    }
}
