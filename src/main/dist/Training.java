import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Run while packaging: gives the distribution its AOT cache. The JVM writes down what a server loads and links in a
 * short life on a data folder that is deleted afterwards: a start, what callers do first and most, a stop. Without a
 * cache the distribution works too, so that trouble here is told and fails no build; {@code DistributionIT} misses the
 * cache then.
 */
void main(String... args) throws Exception {
    Path distribution = Path.of(args[0]).toAbsolutePath();
    Path cache = distribution.resolve("lib/holdfast.aot");
    Path data = Files.createTempDirectory("holdfast-training-");
    Process server = null;
    try {
        int port = freePort();
        server = start(distribution, cache, data, port);
        var caller = new Caller(server, data, port);
        caller.awaitReady();
        Process client = startClient(distribution, data, port);
        caller.live();
        if (client.waitFor() != 0) {
            System.err.println("The command has no AOT cache and starts slowly:");
            System.err.println(Files.readString(data.resolve("client.log")));
        }
        server.destroy();
        boolean ended = server.waitFor(2, TimeUnit.MINUTES); // it makes the cache before it ends
        if (!ended || !Files.exists(cache)) {
            throw new IOException("the JVM made none");
        }
    } catch (Exception trouble) {
        System.err.println("The distribution has no AOT cache and starts slowly: " + trouble);
        System.err.println(Files.readString(data.resolve("log")));
    } finally {
        if (server != null) {
            server.destroyForcibly();
        }
        try (var files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }
}

/** The command has a cache of its own, made of what {@code run} needs: it is asked most, and needs most of all. */
static Process startClient(Path distribution, Path data, int port) throws IOException {
    var builder = new ProcessBuilder(distribution.resolve("bin/holdfast").toString(), "run", "echo")
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("client.log").toFile());
    prepare(builder.environment(), data, port);
    builder.environment().put("HOLDFAST_CLIENT_CACHE", distribution.resolve("lib/client.aot").toString());
    return builder.start();
}

/** By the distribution's own script, whose flags the cache must have been made with. */
static Process start(Path distribution, Path cache, Path data, int port) throws IOException {
    var builder = new ProcessBuilder(
                    distribution.resolve("bin/holdfast").toString(), "serve", "-XX:AOTCacheOutput=" + cache)
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("log").toFile());
    prepare(builder.environment(), data, port);
    return builder.start();
}

static void prepare(Map<String, String> environment, Path data, int port) {
    environment.keySet().removeIf(name -> name.matches("(HOLDFAST|QUARKUS)_.*|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HOLDFAST_DATA_DIR", data.resolve("data").toString());
    environment.put("HOLDFAST_WORKSPACE", data.toString());
    environment.put("HOLDFAST_SHUTDOWN", "stop");
    environment.put("HOLDFAST_KEEPER_IDLE", "1s");
    environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
}

static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
        return socket.getLocalPort();
    }
}

record Caller(Process server, Path data, int port, HttpClient client) {
    static final Pattern TASK = Pattern.compile("task_[0-9A-Z]{26}");

    Caller(Process server, Path data, int port) {
        this(server, data, port, HttpClient.newHttpClient());
    }

    void live() throws Exception {
        for (int i = 0; i < 3; i++) {
            post("/v1/commands", "{\"cmd\": \"echo out; echo err >&2; exit 3\"}");
            text("{\"cmd\": \"true\", \"login\": false}");
        }
        post("/v1/commands", "{\"cmd\": \"exit 3\", \"unknown\": 1}");
        post("/v1/commands", "{\"cmd\": \"seq 100000\", \"max_output_tokens\": 100}");
        String task = task(text("{\"cmd\": \"echo started; exec cat\", \"accepts_input\": true, \"yield_time_ms\": 20}"));
        post("/v1/commands", "{\"cmd\": \"echo started; exec cat\", \"accepts_input\": true}");
        String terminal = task(text("{\"cmd\": \"exec sh\", \"tty\": true, \"yield_time_ms\": 20}"));
        for (String id : List.of(task, terminal)) {
            post("/v1/tasks/" + id + "/input", "{\"text\": \"echo more\\n\"}");
            for (int i = 0; i < 3; i++) {
                get("/v1/tasks/" + id);
                get("/v1/tasks/" + id + "/output?cursor=0&wait_ms=100");
                get("/v1/tasks?limit=50");
            }
        }
        get("/v1/tasks/" + task + "/output?stream=stdout");
        try (var events = events(task)) {
            events.read();
            post("/v1/tasks/" + task + "/stop", "{}");
            events.readAllBytes();
        }
        // At a stop a shell at its prompt would be waited for as long as a stop may take.
        post("/v1/tasks/" + terminal + "/input", "{\"text\": \"exit\\n\"}");
        mcp();
        get("/v1/tasks/task_0");
        get("/q/metrics");
        // What is loaded once the first windows, looks and sweeps are over.
        post("/v1/commands", "{\"cmd\": \"sleep 1\", \"login\": false}");
        send(request("/v1/tasks/" + task).DELETE());
    }

    /** As an agent's client begins. */
    void mcp() throws Exception {
        var begun = mcp("", "\"id\": 1, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \"2025-06-18\","
                + " \"capabilities\": {}, \"clientInfo\": {\"name\": \"training\", \"version\": \"1\"}}");
        String session = begun.headers().firstValue("Mcp-Session-Id").orElseThrow();
        mcp(session, "\"method\": \"notifications/initialized\"");
        mcp(session, "\"id\": 2, \"method\": \"tools/list\"");
        mcp(session, "\"id\": 3, \"method\": \"tools/call\", \"params\": {\"name\": \"ExecCommand\", \"arguments\":"
                + " {\"cmd\": \"true\", \"login\": false}}");
    }

    HttpResponse<String> mcp(String session, String message) throws Exception {
        var request = request("/mcp").header("Accept", "application/json, text/event-stream");
        if (!session.isEmpty()) {
            request.header("Mcp-Session-Id", session);
        }
        var body = BodyPublishers.ofString("{\"jsonrpc\": \"2.0\", " + message + "}");
        return client.send(request.POST(body).build(), BodyHandlers.ofString());
    }

    void awaitReady() throws Exception {
        long limit = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!ready()) {
            if (!server.isAlive() || System.nanoTime() > limit) {
                throw new IOException("the server did not start");
            }
            Thread.sleep(20);
        }
    }

    boolean ready() throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(uri("/q/health/ready")).build();
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException nobodyListens) {
            return false;
        }
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    HttpRequest.Builder request(String path) throws IOException {
        String token = Files.readString(data.resolve("data/token")).strip();
        return HttpRequest.newBuilder(uri(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json");
    }

    String send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString()).body();
    }

    String get(String path) throws Exception {
        return send(request(path));
    }

    String post(String path, String body) throws Exception {
        return send(request(path).POST(BodyPublishers.ofString(body)));
    }

    String text(String body) throws Exception {
        return send(request("/v1/commands").header("Accept", "text/plain").POST(BodyPublishers.ofString(body)));
    }

    InputStream events(String task) throws Exception {
        var request = request("/v1/tasks/" + task + "/events");
        return client.send(request.build(), BodyHandlers.ofInputStream()).body();
    }

    static String task(String text) {
        return TASK.matcher(text).results().findFirst().orElseThrow().group();
    }
}
