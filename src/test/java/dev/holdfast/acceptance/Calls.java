package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The calls of the contract as a client makes them. */
public record Calls(PackagedServer server) {
    public static final Duration PATIENCE = Duration.ofMinutes(1);

    public Answer get(String path, String... headers) {
        var request = server.request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request.build());
    }

    public Answer delete(String path) {
        return server.send(server.request(path).DELETE().build());
    }

    public Answer post(String path, Object body, String... headers) {
        return send("POST", path, Json.write(body), headers);
    }

    public Answer put(String path, Object body) {
        return send("PUT", path, Json.write(body));
    }

    /** With a body as it is, JSON or not. */
    public Answer send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = server.request(path)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request.build());
    }

    /** Runs shell text without the login files, and with what else is named. */
    public Answer run(String cmd, Object... more) {
        return post("/v1/commands", command(cmd, more));
    }

    /** Runs a program. */
    public Answer run(List<String> argv) {
        return post("/v1/commands", Json.object("argv", argv, "yield_time_ms", PATIENCE.toMillis()));
    }

    /** The same, answered as the text that a model reads. */
    public String receipt(String cmd, Object... more) {
        Answer answer = post("/v1/commands", command(cmd, more), "Accept", "text/plain");
        assertThat(answer.header("Content-Type")).startsWith("text/plain");
        return answer.body();
    }

    /** Starts a server behind the command that ends when the port is open, or when the server could not start. */
    public static String leaving(int port) {
        return """
                python3 -m http.server %1$d --bind 127.0.0.1 > /dev/null & echo $!
                until (echo > /dev/tcp/127.0.0.1/%1$d) 2> /dev/null; do kill -0 $! || exit; sleep 0.2; done""".formatted(port);
    }

    /**
     * The window is the tests' patience: what ends in a moment may take longer than the usual ten seconds where the
     * machine is held up.
     */
    public static Map<String, Object> command(String cmd, Object... more) {
        Map<String, Object> body = Json.object("cmd", cmd, "login", false, "yield_time_ms", PATIENCE.toMillis());
        body.putAll(Json.object(more));
        return body;
    }

    /** A task from its first moment. */
    public String start(String cmd, Object... more) {
        Map<String, Object> body = command(cmd, "yield_time_ms", 0, "duplicate_policy", "start_new");
        body.putAll(Json.object(more));
        return post("/v1/commands", body).promoted();
    }

    public JsonNode task(String id) {
        return get("/v1/tasks/" + id).hasStatus(200).json();
    }

    public JsonNode awaitTask(String id, Predicate<JsonNode> condition) {
        return await("task " + id)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> task(id), condition);
    }

    public JsonNode awaitEnd(String id) {
        return awaitTask(id, task -> ended(task.path("status").asText()));
    }

    public static boolean ended(String status) {
        return switch (status) {
            case "queued", "running", "cancelling" -> false;
            case "completed", "failed", "cancelled", "interrupted" -> true;
            default -> throw new AssertionError("no status: " + status);
        };
    }

    /** The command's own process. */
    public long pid(String id) {
        return awaitTask(id, task -> task.at("/process/pid").isIntegralNumber())
                .at("/process/pid")
                .asLong();
    }

    /** The output as text once it holds {@code wanted}. */
    public String awaitOutput(String id, String wanted) {
        return await("output of " + id)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> output(id), text -> text.contains(wanted));
    }

    public String output(String id) {
        return get("/v1/tasks/" + id + "/output?max_bytes=1048576")
                .hasStatus(200)
                .text("/text");
    }

    /** Raw bytes of one stream; with {@code Range} and the like as headers. */
    public Answer raw(String id, String query, String... headers) {
        var request =
                server.request("/v1/tasks/" + id + "/output" + query).header("Accept", "application/octet-stream");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return server.send(request.build());
    }

    public Answer input(String id, Object... body) {
        return post("/v1/tasks/" + id + "/input", Json.object(body));
    }

    public Answer stop(String id, Object... body) {
        return post("/v1/tasks/" + id + "/stop", Json.object(body));
    }

    /** Ends all that runs. */
    public void stopAll() {
        get("/v1/tasks?limit=100")
                .at("/tasks")
                .forEach(task -> stop(task.path("task_id").asText(), "force", true));
    }

    /** Ends all that runs, and forgets all that ended. */
    public void empty() {
        stopAll();
        get("/v1/tasks?limit=100&status=all")
                .at("/tasks")
                .forEach(task -> delete("/v1/tasks/" + task.path("task_id").asText()));
    }

    public Answer signal(String id, String name) {
        return post("/v1/tasks/" + id + "/signal", Json.object("signal", name));
    }
}
