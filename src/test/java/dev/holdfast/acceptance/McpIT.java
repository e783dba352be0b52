package dev.holdfast.acceptance;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that agents call, over MCP. */
class McpIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void aSessionBegins() {
        McpClient client = new McpClient(SERVER, "/mcp");

        JsonNode begun = client.begin();

        assertThat(begun.path("protocolVersion").asText()).isEqualTo("2025-06-18");
        assertThat(begun.at("/serverInfo/name").asText()).isEqualTo("holdfast");
        assertThat(begun.at("/capabilities/tools").isObject()).isTrue();
        assertThat(client.post(client.request("ping", Map.of())).at("/result").isObject())
                .isTrue();
    }

    @Test
    void theToolsAreThoseOfRest() {
        JsonNode rest = http.get("/v1/tools").hasStatus(200).at("/tools");
        JsonNode listed = McpClient.of(SERVER).list();

        assertThat(listed).hasSameSizeAs(rest);
        for (int i = 0; i < listed.size(); i++) {
            JsonNode tool = listed.get(i);
            assertThat(tool.path("name").asText())
                    .isEqualTo(rest.get(i).path("name").asText().replace('.', '_'));
            assertThat(tool.path("description")).isEqualTo(rest.get(i).path("description"));
            assertThat(tool.path("inputSchema")).isEqualTo(rest.get(i).path("input_schema"));
            assertThat(tool.at("/annotations/readOnlyHint"))
                    .isEqualTo(rest.get(i).at("/annotations/read_only_hint"));
            assertThat(tool.at("/annotations/destructiveHint"))
                    .isEqualTo(rest.get(i).at("/annotations/destructive_hint"));
        }
    }

    @Test
    void aToolAnswersWithItsTextAndItsResult() {
        JsonNode result = McpClient.of(SERVER)
                .call("ExecCommand", Map.of("cmd", "echo one; exit 3", "login", false, "yield_time_ms", 60_000));

        assertThat(result.path("isError").asBoolean(true)).isFalse();
        assertThat(result.path("content")).hasSize(1);
        assertThat(result.at("/content/0/type").asText()).isEqualTo("text");
        assertThat(result.at("/content/0/text").asText()).isEqualTo("Process exited with code 3\n\nstdout:\none");
        assertThat(result.at("/_meta/holdfast~1result/exit_status").asInt()).isEqualTo(3);
        // Clients give it to the model in place of the text.
        assertThat(result.has("structuredContent")).isFalse();
    }

    @Test
    void whatIsLenientIsLenientHereToo() {
        McpClient client = McpClient.of(SERVER);
        String id = http.start("sleep 81");
        Map<String, Object> input = new HashMap<>(Map.of("cmd", "{\"a\": 1}", "login", "false"));
        Map<String, Object> env = new HashMap<>();
        env.put("UNSET", null);
        input.put("env", env);

        assertThat(client.call("ExecCommand", input)
                        .at("/_meta/holdfast~1result/exit_status")
                        .asInt())
                .isEqualTo(127);
        assertThat(client.call("TaskStatus", Map.of("task_id", id.substring("task_".length())))
                        .at("/_meta/holdfast~1result/task_id")
                        .asText())
                .isEqualTo(id);
    }

    @Test
    void whatIsNotTheSchemaIsAnErrorOfTheTool() {
        McpClient client = McpClient.of(SERVER);

        JsonNode unknown = client.call("ExecCommand", Map.of("command", "echo"));
        assertThat(unknown.path("isError").asBoolean()).isTrue();
        assertThat(unknown.at("/content/0/text").asText())
                .startsWith("Command failed\n\n")
                .contains("Did you mean `cmd`?");
        assertThat(unknown.at("/_meta/holdfast~1result/kind").asText()).isEqualTo("invalid_tool_input");
        Map<String, Object> none = new HashMap<>(Map.of("cmd", "true"));
        none.put("labels", null);
        List<Map<String, ?>> inputs = List.of(
                none,
                Map.of(),
                Map.of("cmd", 5),
                Map.of("cmd", "true", "yield_time_ms", "soon"),
                Map.of("cmd", "true", "env", Map.of("a", List.of(List.of(1)))));
        for (Map<String, ?> input : inputs) {
            JsonNode wrong = client.call("ExecCommand", input);
            assertThat(wrong.path("isError").asBoolean()).as(wrong.toString()).isTrue();
        }
        assertThat(client.call("TaskStatus", Map.of("task_id", "7ZZZZZZZ"))
                        .at("/_meta/holdfast~1result/kind")
                        .asText())
                .isEqualTo("task_not_found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"TaskList\",\"arguments\":null,\"_meta\":null}",
                "{\"name\":\"TaskList\",\"_meta\":{\"progressToken\":null}}"
            })
    void whatIsNullIsAsIfItWereNotThere(String params) {
        String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + params + "}";
        assertThat(McpClient.last(McpClient.of(SERVER).send(call))
                        .at("/result/content/0/text")
                        .asText())
                .isNotBlank();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ExecComand","arguments":{}}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ExecCommand","arguments":"x"}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ExecCommand","_meta":[]}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ExecCommand","_meta":{"progressToken":{}}}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/call"}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":{}}}
            -32602 | {"jsonrpc":"2.0","id":1,"method":"logging/setLevel"}
            -32601 | {"jsonrpc":"2.0","id":1,"method":"completion/complete"}
            -32601 | {"jsonrpc":"2.0","id":1,"method":"resources/read"}
            -32601 | {"jsonrpc":"2.0","id":1,"method":"tools/none"}
            -32600 | {"jsonrpc":"2.0","id":1}
            -32600 | {"jsonrpc":"1.0","id":1,"method":"ping"}
            -32600 | {"jsonrpc":"2.0","id":{},"method":"ping"}
            -32600 | {"jsonrpc":"2.0","id":null,"method":"ping"}
            -32600 | {"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}
            -32600 | [{"jsonrpc":"2.0","id":1,"method":"ping"}]
            -32700 | {"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}
            -32700 | {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1,"a":2}}
            -32600 | "ping"
            -32700 | {"jsonrpc":"2.0",
            -32700 | \u0000
            """)
    void aMessageThatIsNoneIsAnError(int code, String message) {
        JsonNode answer = McpClient.last(McpClient.of(SERVER).send(message));

        assertThat(answer.at("/error/code").asInt()).as(answer.toString()).isEqualTo(code);
        assertThat(answer.at("/error/message").asText()).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",\"params\":{}",
                ",\"params\":{\"protocolVersion\":5,\"clientInfo\":{\"name\":\"a\"}}",
                ",\"params\":{\"protocolVersion\":\"2025-06-18\",\"clientInfo\":\"a\"}",
                ",\"params\":{\"protocolVersion\":\"2025-06-18\",\"clientInfo\":{\"name\":\"a\"},\"capabilities\":[]}"
            })
    void aBeginningThatIsNoneIsAnError(String params) {
        Answer answer = new McpClient(SERVER, "/mcp")
                .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"" + params + "}");

        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(answer.header("Mcp-Session-Id")).isEmpty();
    }

    @Test
    void whatIsDeepOrLargeEndsNothing() {
        McpClient client = McpClient.of(SERVER);
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ExecCommand\",\"arguments\":";

        JsonNode nested = McpClient.last(client.send(call + "{\"env\":" + "[".repeat(99) + "]".repeat(99) + "}}}"));
        assertThat(nested.at("/result/_meta/holdfast~1result/kind").asText()).isEqualTo("invalid_tool_input");
        Answer deep = client.send(call + "{\"env\":" + "[".repeat(9999) + "]".repeat(9999) + "}}}");
        assertThat(deep.at("/error/code").asInt()).isEqualTo(-32700);
        client.send(call + "{\"cmd\":\"" + "x".repeat(33 << 20) + "\"}}}").refused(413, "payload_too_large");
        client.send("{}", "Content-Type", "text/xml").refused(415, "unsupported_media_type");
        assertThat(client.list()).isNotEmpty();
    }

    @Test
    void whatALibraryRefusesWithoutAWordIsNamed() {
        McpClient client = McpClient.of(SERVER);
        String list = Json.write(client.request("tools/list", Map.of()));
        for (String accept : List.of("application/json", "text/event-stream", "*/*")) {
            Answer answer = client.send(list, "Accept", accept).refused(400, "invalid_tool_input");
            assertThat(answer.text("/details/parse_error")).isEqualTo(answer.text("/detail"));
            assertThat(answer.text("/detail")).contains("`Accept`", "application/json", "text/event-stream");
        }
        Answer version = client.send(list, "Mcp-Protocol-Version", "1999-01-01").refused(400, "invalid_tool_input");
        assertThat(version.text("/details/parse_error")).contains("`Mcp-Protocol-Version`");
        assertThat(version.text("/recovery_hint")).contains("2025-06-18");
        client.send(list, "Mcp-Protocol-Version", "2025-06-18").hasStatus(200);
        Answer stream = http.get("/mcp", "Accept", "text/html").refused(405, "method_not_allowed");
        assertThat(stream.text("/detail")).contains("Mcp-Session-Id", "text/event-stream");
        assertThat(stream.header("Allow")).isEqualTo("POST, DELETE");
    }

    @Test
    void aMessageIsUtf8() {
        McpClient client = McpClient.of(SERVER);
        String ping = Json.write(client.request("ping", Map.of("é", 1)));
        for (var charset : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16BE, StandardCharsets.ISO_8859_1)) {
            var request = SERVER.request("/mcp")
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json, text/event-stream")
                    .header("Mcp-Session-Id", client.session())
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(ping.getBytes(charset)))
                    .build();
            Answer answer = SERVER.send(request).hasStatus(400);
            assertThat(answer.at("/error/code").asInt()).as(charset.name()).isEqualTo(-32700);
        }
    }

    /** As over REST: it is written as it was read, so that who reads it refuses what was never meant so. */
    @Test
    void theInputOfAToolIsReadAsItWasWritten() {
        McpClient client = McpClient.of(SERVER);
        String before = SERVER.newest();
        for (String input : List.of(
                "{\"cmd\":\"true\",\"cmd\":\"false\"}",
                "{\"cmd\":\"echo \\ud800\"}",
                "{\"cmd\":\"true\",\"env\":{\"A\":\"1\",\"A\":\"2\"}}")) {
            Answer rest = http.send("POST", "/v1/tools/ExecCommand", input);
            JsonNode answer =
                    McpClient.last(client.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":"
                            + "{\"name\":\"ExecCommand\", \"arguments\" : " + input + " }}"));

            assertThat(answer.at("/result/isError").asBoolean())
                    .as(answer.toString())
                    .isTrue();
            assertThat(answer.at("/result/content/0/text").asText()).isEqualTo(rest.text("/text"));
        }
        assertThat(SERVER.newest()).isEqualTo(before);
    }

    @Test
    void anUnknownToolIsToldWhichThereAre() {
        McpClient codex = new McpClient(SERVER, "/mcp?profile=codex");
        codex.begin();

        JsonNode answer = McpClient.last(codex.post(codex.call("ExecCommand", Map.of("cmd", "true"), Map.of())));

        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
        assertThat(answer.at("/error/message").asText())
                .contains("`ExecCommand` in the profile `codex`", "exec_command, write_stdin", "?profile=");
    }

    @Test
    void withoutASessionNothingIsCalled() {
        McpClient client = new McpClient(SERVER, "/mcp");
        String before = SERVER.newest();

        Answer early = client.post(client.call("ExecCommand", Map.of("cmd", "sleep 82"), Map.of()));

        assertThat(early.hasStatus(400).at("/error/message").asText()).contains("initialize");
        McpClient begun = McpClient.of(SERVER);
        Answer foreign = begun.send(Json.write(begun.request("tools/list", Map.of())), "Mcp-Session-Id", "none");
        foreign.refused(404, "not_found");
        assertThat(http.get("/v1/tasks?q=sleep%2082").at("/tasks")).isEmpty();
        assertThat(SERVER.newest()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void anEndedSessionIsGone() {
        McpClient client = McpClient.of(SERVER);
        McpClient second = new McpClient(SERVER, "/mcp").joining(client);
        assertThat(second.list()).isEqualTo(client.list());

        SERVER.send(SERVER.request("/mcp")
                        .header("Mcp-Session-Id", client.session())
                        .DELETE()
                        .build())
                .hasStatus(200);

        Answer gone = second.post(second.request("tools/list", Map.of())).refused(404, "not_found");
        assertThat(gone.text("/recovery_hint")).contains("initialize");
        assertThat(McpClient.of(SERVER).list()).isNotEmpty();
    }

    @Test
    void aProfileIsChosenByTheAddressAlone() {
        McpClient codex = new McpClient(SERVER, "/mcp?profile=codex");
        codex.begin();

        assertThat(codex.list()).extracting(tool -> tool.path("name").asText()).doesNotContain("ExecCommand");
        new McpClient(SERVER, "/mcp?profile=none").send("{}").refused(400, "invalid_tool_input");
        new McpClient(SERVER, "/mcp/codex").send("{}").refused(404, "not_found");
        http.get("/mcp/sse", "Accept", "text/event-stream").refused(404, "not_found");
        http.put("/mcp", Map.of()).refused(405, "method_not_allowed");
    }

    /** In these designs a missing command is no result, and a program ends with whoever called it. */
    @Test
    void theRulesOfOtherDesignsHold() {
        McpClient classic = new McpClient(SERVER, "/mcp?profile=classic");
        classic.begin();
        assertThat(classic.list())
                .extracting(tool -> tool.path("name").asText())
                .containsExactly("bash", "shell_exec");

        Map<String, Object> none = classic.call("bash", Map.of("timeout", 5), Map.of());
        assertThat(McpClient.last(classic.post(none)).at("/error/code").asInt()).isEqualTo(-32602);
        JsonNode one = classic.call("bash", Map.of("command", "echo one"));
        assertThat(one.at("/content/0/text").asText()).isEqualTo("one\n");
        assertThat(one.at("/structuredContent/stdout").asText()).isEqualTo("one\n");

        JsonNode late = classic.call("bash", Map.of("command", "sleep 84", "timeout", 0.2));
        assertThat(late.path("isError").asBoolean()).isTrue();
        assertThat(late.at("/content/0/text").asText()).isEqualTo("command timed out after 0.2s");

        Map<String, Object> call =
                classic.call("shell_exec", Map.of("executable", "sleep", "argv", List.of("85")), Map.of());
        String before = SERVER.newest();
        var answer = classic.later(call);
        String id = SERVER.awaitNewer(before);
        await().atMost(Calls.PATIENCE).until(() -> {
            classic.cancel(call);
            return answer.isDone();
        });
        http.awaitTask(id, task -> task.path("status").asText().equals("cancelled"));
    }

    @Test
    void theGateStandsBeforeIt() {
        McpClient client = McpClient.of(SERVER);
        String list = Json.write(client.request("tools/list", Map.of()));
        for (String origin : List.of("http://localhost.evil.example", "http://127.0.0.1.evil.example", "null")) {
            client.send(list, "Origin", origin).refused(403, "forbidden");
        }
        client.send(list, "Origin", "http://127.0.0.1:" + SERVER.port()).hasStatus(200);
        for (String path : List.of("/mcp", "/mcp?profile=codex", "/mcp/codex", "/mcp/sse", "/mcp/messages/1")) {
            var request = java.net.http.HttpRequest.newBuilder(SERVER.uri(path))
                    .header("Accept", "application/json, text/event-stream")
                    .header("Content-Type", "application/json")
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString(list))
                    .build();
            SERVER.send(request).refused(401, "unauthorized");
        }
    }

    @Test
    void aClientThatAsksIsToldOfProgress() throws Exception {
        McpClient client = McpClient.of(SERVER);
        String id = http.start("sleep 83");
        BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();

        client.stream(
                client.call("TaskOutput", Map.of("task_id", id, "timeout_ms", 600_000), Map.of("progressToken", "p1")),
                messages::add);
        JsonNode told = messages.poll(60, SECONDS);

        assertThat(told).isNotNull();
        assertThat(told.path("method").asText()).isEqualTo("notifications/progress");
        assertThat(told.at("/params/progressToken").asText()).isEqualTo("p1");
        http.stop(id, "force", true).hasStatus(200);
        JsonNode answer = await().atMost(Calls.PATIENCE)
                .until(() -> messages.poll(), message -> message != null && message.has("result"));
        assertThat(answer.at("/result/_meta/holdfast~1result/retrieval_status").asText())
                .isEqualTo("success");
    }

    @Test
    void aCancelledCallEndsItsWaitAndNotTheCommand() {
        McpClient client = McpClient.of(SERVER);
        Map<String, Object> call = client.call(
                "ExecCommand", Map.of("cmd", "sleep 84", "yield_time_ms", 600_000), Map.of("progressToken", 1));
        String before = SERVER.newest();
        var answer = client.later(call);
        String id = SERVER.awaitNewer(before);

        client.cancel(call);

        assertThat(answer).succeedsWithin(Calls.PATIENCE);
        http.awaitTask(id, task -> task.path("status").asText().equals("running"));
        Map<String, Object> wait =
                client.call("TaskOutput", Map.of("task_id", id, "timeout_ms", 600_000), Map.of("progressToken", 2));
        var output = client.later(wait);
        await().atMost(Calls.PATIENCE).until(() -> {
            client.cancel(wait);
            return output.isDone();
        });
        http.stop(id).hasStatus(200);
    }

    @Test
    void aClientThatHangsUpLeavesATask() throws Exception {
        McpClient client = McpClient.of(SERVER);
        Map<String, Object> call = client.call(
                "ExecCommand", Map.of("cmd", "sleep 85", "yield_time_ms", 600_000), Map.of("progressToken", 1));
        String before = SERVER.newest();
        try (var own = java.net.http.HttpClient.newHttpClient()) {
            var sent = own.sendAsync(
                    client.message(Json.write(call)), java.net.http.HttpResponse.BodyHandlers.discarding());
            SERVER.awaitNewer(before);
            sent.cancel(true);
            own.shutdownNow();
        }

        http.awaitTask(SERVER.newest(), task -> task.path("status").asText().equals("running"));
    }
}
