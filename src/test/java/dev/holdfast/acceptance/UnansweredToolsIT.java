package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools of other designs have no word for what is yet to be allowed: what nobody answers in time never starts. */
class UnansweredToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_MCP_LONGEST_WAIT", "PT1S");

    private final Calls http = SERVER.calls();

    @BeforeEach
    void rules() throws IOException {
        Files.writeString(
                SERVER.data().resolve("policy.yaml"),
                "version: 1\nrules: [{id: files, match: {executable: touch}, decision: ask}]\n");
        await().atMost(Calls.PATIENCE)
                .until(() -> http.post("/v1/policy/check", Json.object("cmd", "touch x"))
                        .text("/decision")
                        .equals("ask"));
    }

    private JsonNode only(String state) {
        return await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/approvals?state=" + state).at("/approvals"), all -> all.size() == 1)
                .get(0);
    }

    private Answer allow(JsonNode approval) {
        return http.post("/v1/approvals/" + approval.path("approval_id").asText(), Json.object("decision", "allow"));
    }

    private static Map<String, ?> input(String tool, String field, String file) {
        return switch (tool) {
            case "shell_exec" -> Map.of("executable", "touch", "argv", List.of(file));
            case "Bash" -> Map.of(field, "touch " + file, "timeout", 1);
            default -> Map.of(field, "touch " + file);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "classic, bash, command",
        "classic, shell_exec, executable",
        "codex, exec_command, cmd",
        "claude, Bash, command",
        "gemini, run_shell_command, command"
    })
    void whatNobodyAllowsInTimeNeverStarts(String profile, String tool, String field) {
        McpClient client = new McpClient(SERVER, "/mcp?profile=" + profile);
        client.begin();
        String file = "unanswered-" + tool;

        JsonNode answer = client.call(tool, input(tool, field, file));

        assertThat(answer.path("isError").asBoolean()).isTrue();
        assertThat(answer.at("/content/0/text").asText())
                .contains("Nobody allowed `touch " + file + "`", "not started", "the wait for an answer was cut at 1 s")
                .doesNotContain("goes on");
        JsonNode asked = http.get("/v1/approvals?state=all").at("/approvals/0");
        assertThat(asked.path("state").asText()).isEqualTo("expired");
        allow(asked).refused(409, "approval_decided");
        assertThat(SERVER.workspace().resolve(file)).doesNotExist();
    }

    /** A person is no slower for a command that may take a millisecond only. */
    @Test
    void thePersonHasMoreTimeThanTheCommand() {
        CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> http.post(
                "/v1/tools/Bash?profile=claude", Map.of("command", "touch allowed; sleep 600", "timeout", 1)));

        allow(only("pending")).hasStatus(200);

        assertThat(answer.join().text("/status")).isEqualTo("success");
        String task = answer.join().text("/result/background_task_id");
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.workspace().resolve("allowed")));
        http.stop(task, "force", true);
    }

    @Test
    void whoHangsUpIsToldNothingAndNothingStarts() throws Exception {
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            caller.post(SERVER, "/v1/tools/bash", Json.write(Map.of("command", "touch hung")));
            only("pending");
        }

        await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/approvals").at("/approvals").isEmpty());
        assertThat(SERVER.workspace().resolve("hung")).doesNotExist();
    }

    /**
     * Where the answer carries the approval, the question stays open; the same command of a tool is asked for by
     * itself.
     */
    @Test
    void whoIsToldOfTheApprovalFindsItOpen() {
        String id = http.run("touch open", "yield_time_ms", 0).hasStatus(202).text("/approval_id");
        McpClient client = new McpClient(SERVER, "/mcp?profile=claude");
        client.begin();

        client.call("Bash", Map.of("command", "touch open"));

        JsonNode open = http.get("/v1/approvals/" + id).json();
        assertThat(open.path("state").asText()).isEqualTo("pending");
        http.awaitEnd(allow(open).hasStatus(200).text("/task_id"));
        assertThat(SERVER.workspace().resolve("open")).exists();
    }

    /** Seed row 5: the program with its arguments, where it runs, and of the environment the keys alone. */
    @Test
    void row5ShellExecIsAskedForWithoutValuesOfItsEnvironment() {
        var call = CompletableFuture.supplyAsync(() -> http.post(
                "/v1/tools/shell_exec",
                Map.of(
                        "executable",
                        "touch",
                        "argv",
                        List.of("a file"),
                        "cwd",
                        "/usr",
                        "env",
                        Map.of("KEY_OF_ENV", "value-of-env"))));

        JsonNode asked = only("pending");

        assertThat(asked.path("cmd_preview").asText()).startsWith("touch ").contains("a file");
        assertThat(asked.path("workdir").asText()).isEqualTo("/usr");
        assertThat(asked.path("rule").asText()).isEqualTo("files");
        assertThat(asked.toString()).doesNotContain("value-of-env");
        http.post("/v1/approvals/" + asked.path("approval_id").asText(), Json.object("decision", "deny"));
        assertThat(call.join().text("/error/kind")).isEqualTo("command_denied");
    }
}
