package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A client of MCP over streamable HTTP: one session, if it has begun one. */
final class McpClient {
    private final PackagedServer server;
    private final String path;
    private final AtomicInteger ids = new AtomicInteger();
    private String session = "";

    McpClient(PackagedServer server, String path) {
        this.server = server;
        this.path = path;
    }

    /** With its session begun. */
    static McpClient of(PackagedServer server) {
        McpClient client = new McpClient(server, "/mcp");
        client.begin();
        return client;
    }

    JsonNode begin() {
        return begin(Map.of());
    }

    /** @param capabilities of the client, as its first message tells them */
    JsonNode begin(Map<String, ?> capabilities) {
        Answer answer = post(request(
                "initialize",
                Map.of(
                        "protocolVersion",
                        "2025-06-18",
                        "capabilities",
                        capabilities,
                        "clientInfo",
                        Map.of("name", "test", "version", "1"))));
        session = answer.hasStatus(200).header("Mcp-Session-Id");
        assertThat(session).isNotEmpty();
        post(Map.of("jsonrpc", "2.0", "method", "notifications/initialized")).hasStatus(202);
        return last(answer).path("result");
    }

    String session() {
        return session;
    }

    /** Goes on with another's session. */
    McpClient joining(McpClient other) {
        session = other.session;
        return this;
    }

    Map<String, Object> request(String method, Map<String, ?> params) {
        return Map.of("jsonrpc", "2.0", "id", ids.incrementAndGet(), "method", method, "params", params);
    }

    Answer post(Object message) {
        return send(Json.write(message));
    }

    Answer send(String message, String... headers) {
        return server.send(message(message, headers));
    }

    HttpRequest message(String message, String... headers) {
        HttpRequest.Builder request = server.request(path)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(message));
        if (!session.isEmpty()) {
            request.header("Mcp-Session-Id", session);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request.build();
    }

    JsonNode list() {
        return last(post(request("tools/list", Map.of()))).at("/result/tools");
    }

    /** The result of a tool. */
    JsonNode call(String tool, Map<String, ?> input) {
        JsonNode answer = last(post(call(tool, input, Map.of())).hasStatus(200));
        assertThat(answer.has("result")).as(answer.toString()).isTrue();
        return answer.path("result");
    }

    Map<String, Object> call(String tool, Map<String, ?> input, Map<String, ?> meta) {
        return request("tools/call", Map.of("name", tool, "arguments", input, "_meta", meta));
    }

    CompletableFuture<Answer> later(Map<String, Object> message) {
        return CompletableFuture.supplyAsync(() -> post(message), Thread::startVirtualThread);
    }

    /** Sends a message and hands out what comes back as it comes, questions of the server among it. */
    void stream(Object message, Consumer<JsonNode> each) {
        var _ = server.client()
                .sendAsync(message(Json.write(message)), BodyHandlers.ofLines())
                .thenAccept(answer -> answer.body()
                        .filter(line -> line.startsWith("data: "))
                        .forEach(line -> each.accept(Json.read(line.substring("data: ".length())))));
    }

    void cancel(Map<String, Object> request) {
        post(Map.of(
                        "jsonrpc",
                        "2.0",
                        "method",
                        "notifications/cancelled",
                        "params",
                        Map.of("requestId", request.get("id"), "reason", "no longer wanted")))
                .hasStatus(202);
    }

    /** What an answer holds, whether it came whole or as events. */
    static List<JsonNode> messages(Answer answer) {
        return answer.header("Content-Type").startsWith("text/event-stream")
                ? answer.body()
                        .lines()
                        .filter(line -> line.startsWith("data: "))
                        .map(line -> Json.read(line.substring("data: ".length())))
                        .toList()
                : List.of(answer.json());
    }

    static JsonNode last(Answer answer) {
        return messages(answer).getLast();
    }
}
