package dev.holdfast.acceptance;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session of MCP is of the token that began it: to any other it is not there. */
class McpSessionsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @BeforeAll
    static void tokens() throws IOException {
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens:\n" + token("alice", "of-alice") + token("bob", "of-bob"));
        await().atMost(Calls.PATIENCE)
                .until(() ->
                        new Calls(SERVER.calledWith("of-bob")).get("/v1/tasks").status() == 200);
    }

    private static String token(String name, String token) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return "  - {name: " + name + ", sha256: " + HexFormat.of().formatHex(hash) + ", role: agent}\n";
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Not even by who is no agent, and in no profile. */
    @ParameterizedTest
    @ValueSource(strings = {"/mcp", "/mcp?profile=codex"})
    void anothersSessionIsAsIfItWereNotThere(String path) {
        PackagedServer alice = SERVER.calledWith("of-alice");
        McpClient hers = new McpClient(alice, path);
        hers.begin();
        for (PackagedServer other : List.of(SERVER.calledWith("of-bob"), SERVER)) {
            McpClient joined = new McpClient(other, path).joining(hers);

            Answer unknown = joined.send(Json.write(joined.request("tools/list", Map.of())), "Mcp-Session-Id", "none");
            for (Map<String, Object> message : List.of(
                    joined.request("tools/list", Map.of()),
                    joined.request("ping", Map.of()),
                    Map.<String, Object>of("jsonrpc", "2.0", "method", "notifications/initialized"))) {
                assertThat(joined.post(message).refused(404, "not_found").body())
                        .isEqualTo(unknown.body());
            }
            other.send(other.request(path)
                            .header("Mcp-Session-Id", hers.session())
                            .header("Accept", "text/event-stream")
                            .GET()
                            .build())
                    .refused(404, "not_found");
            other.send(other.request(path)
                            .header("Mcp-Session-Id", hers.session())
                            .DELETE()
                            .build())
                    .refused(404, "not_found");
        }
        assertThat(hers.list()).isNotEmpty();
        assertThat(new McpClient(alice, path).joining(hers).list()).isEqualTo(hers.list());
    }

    @Test
    void whatTheOperatorIsAskedNobodyElseAnswers() throws Exception {
        McpClient operators = new McpClient(SERVER, "/mcp");
        BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        JsonNode question = question(operators, messages, 9);

        McpClient alices = new McpClient(SERVER.calledWith("of-alice"), "/mcp").joining(operators);
        alices.post(answer(question, "accept", Map.of("decision", "allow once")))
                .refused(404, "not_found");
        McpClient.of(SERVER.calledWith("of-alice"))
                .post(answer(question, "accept", Map.of("decision", "allow once")))
                .hasStatus(202);

        isOpenUntilDeclined(question, operators, messages);
    }

    /** The next server numbers its questions anew: what a former one was answered allows nothing. */
    @Test
    void inAFormersSessionNobodyAnswers() throws Exception {
        McpClient operators = new McpClient(SERVER, "/mcp");
        BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        JsonNode question = question(operators, messages, 7);
        String formers = Base64.getUrlEncoder()
                .encodeToString(UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
        Map<String, ?> allows = answer(question, "accept", Map.of("decision", "allow once"));

        operators.send(Json.write(allows), "Mcp-Session-Id", formers).hasStatus(202);

        isOpenUntilDeclined(question, operators, messages);
    }

    /** Neither a denial nor a failure: the question stays open. */
    @Test
    void whatWasNotOfferedDecidesNothing() throws Exception {
        McpClient operators = new McpClient(SERVER, "/mcp");
        BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        JsonNode question = question(operators, messages, 8);

        operators.post(answer(question, "accept", Map.of())).hasStatus(202);
        operators.post(answer(question, "accept", Map.of("decision", 5))).hasStatus(202);
        operators
                .post(answer(question, "agree", Map.of("decision", "allow once")))
                .hasStatus(202);
        operators
                .post(answer(question, "accept", Map.of("decision", "Allow once")))
                .hasStatus(202);
        await("it is told").atMost(Calls.PATIENCE).until(() -> SERVER.log().contains("comes to nothing"));

        JsonNode open = SERVER.calls().get("/v1/approvals?state=pending").at("/approvals/0");
        Object allow = Map.of("decision", "allow");
        SERVER.calls()
                .post("/v1/approvals/" + open.path("approval_id").asText(), allow)
                .hasStatus(200);
        JsonNode ran = messages.poll(60, SECONDS);
        assertThat(ran).isNotNull();
        assertThat(ran.at("/result/isError").asBoolean(true)).isFalse();
        assertThat(SERVER.log()).doesNotContain("Exception");
    }

    private static JsonNode question(McpClient operators, BlockingQueue<JsonNode> messages, int port) throws Exception {
        operators.begin(Map.of("elicitation", Map.of()));
        String asks = "false && curl -s http://127.0.0.1:" + port + "/ | sh";
        operators.stream(
                operators.call("ExecCommand", Map.of("cmd", asks, "yield_time_ms", 50_000), Map.of()), messages::add);
        JsonNode question = messages.poll(60, SECONDS);
        assertThat(question).isNotNull();
        return question;
    }

    private static void isOpenUntilDeclined(JsonNode question, McpClient operators, BlockingQueue<JsonNode> messages)
            throws Exception {
        assertThat(SERVER.calls().get("/v1/approvals?state=pending").at("/approvals"))
                .hasSize(1);
        operators.post(answer(question, "decline", Map.of())).hasStatus(202);
        JsonNode refused = messages.poll(60, SECONDS);
        assertThat(refused).isNotNull();
        assertThat(refused.at("/result/isError").asBoolean()).isTrue();
    }

    private static Map<String, ?> answer(JsonNode question, String action, Map<String, ?> content) {
        return Map.of(
                "jsonrpc",
                "2.0",
                "id",
                question.path("id").asInt(-1),
                "result",
                Map.of("action", action, "content", content));
    }
}
