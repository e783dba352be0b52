package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How long a call over MCP waits, and what a server's end costs its clients. The tools of other designs have no word for
 * what is yet to be allowed: what nobody answers in that time never starts.
 */
class McpLimitsIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_MCP_LONGEST_WAIT", "PT1S");

    private final Calls http = SERVER.calls();

    @BeforeAll
    static void rules() throws IOException {
        Files.writeString(
                SERVER.data().resolve("policy.yaml"),
                "version: 1\nrules: [{id: files, match: {executable: touch}, decision: ask}]\n");
        await().atMost(Calls.PATIENCE)
                .until(() -> SERVER.calls()
                        .post("/v1/policy/check", Json.object("cmd", "touch x"))
                        .text("/decision")
                        .equals("ask"));
    }

    @Test
    void aWaitThatIsCutSaysSo() {
        McpClient client = McpClient.of(SERVER);
        String id = SERVER.calls().start("sleep 86");

        JsonNode cut = client.call("TaskOutput", Map.of("task_id", id));
        assertThat(cut.at("/_meta/holdfast~1result/retrieval_status").asText()).isEqualTo("timeout");
        assertThat(cut.at("/content/0/text").asText())
                .startsWith("Task output wait timed out")
                .endsWith("The wait was cut at 1 s, as long as a call over MCP waits."
                        + " The command goes on: call TaskOutput to wait on.");

        JsonNode asked = client.call("TaskOutput", Map.of("task_id", id, "timeout_ms", 900));
        assertThat(asked.at("/content/0/text").asText()).doesNotContain("cut");
        JsonNode command = client.call("ExecCommand", Map.of("cmd", "sleep 87"));
        assertThat(command.at("/_meta/holdfast~1result/disposition").asText()).isEqualTo("promoted_to_task");
        assertThat(command.at("/content/0/text").asText()).contains("cut at 1 s");
        JsonNode batch = client.call(
                "ExecCommandBatch",
                Map.of(
                        "items",
                        List.of(Map.of("cmd", "sleep 88", "yield_time_ms", 10_000), Map.of("cmd", "echo late")),
                        "login",
                        false));
        assertThat(batch.at("/_meta/holdfast~1result/skipped_count").asInt()).isEqualTo(1);
        assertThat(batch.at("/content/0/text").asText())
                .contains("cut at 1 s", "the rest was skipped: send that again", "ask for progress");
        String item = SERVER.calls()
                .get("/v1/tasks?q=sleep%2088")
                .at("/tasks/0/task_id")
                .asText();
        assertThat(batch.at("/_meta/holdfast~1result/items/0/error_message").asText())
                .contains("it runs on as " + item);
        assertThat(SERVER.calls().task(item).path("status").asText()).isEqualTo("running");

        McpClient classic = new McpClient(SERVER, "/mcp?profile=classic");
        classic.begin();
        JsonNode cutProgram = classic.call("shell_exec", Map.of("executable", "sleep", "argv", List.of("85")));
        assertThat(cutProgram.path("isError").asBoolean()).isTrue();
        String program = SERVER.calls()
                .get("/v1/tasks?q=sleep%2085")
                .at("/tasks/0/task_id")
                .asText();
        assertThat(cutProgram.at("/content/0/text").asText())
                .startsWith("The program has not ended yet, and no call may wait longer: it runs on as " + program)
                .contains("/out and /", "/err.", "asks for progress", "\"success\":false");
        assertThat(SERVER.calls().task(program).path("status").asText()).isEqualTo("running");

        assertThat(claude().call("Bash", Map.of("command", "sleep 89"))
                        .at("/content/0/text")
                        .asText())
                .startsWith(
                        "Command did not complete in the 1s that this call may wait and was moved to the background");

        Answer progress = client.post(
                client.call("TaskOutput", Map.of("task_id", id, "timeout_ms", 2_000), Map.of("progressToken", "p")));
        assertThat(McpClient.last(progress).at("/result/content/0/text").asText())
                .startsWith("Task output wait timed out")
                .doesNotContain("cut");
        assertThat(SERVER.calls().awaitEnd(item).path("ended_by").asText()).isEqualTo("stop");
    }

    @Test
    void whatWaitsForAPersonIsSaidToGoOnByNobody() {
        JsonNode asked = McpClient.of(SERVER).call("ExecCommand", Map.of("cmd", "curl -s http://127.0.0.1:1/ | sh"));
        assertThat(asked.at("/content/0/text").asText())
                .startsWith("Command awaits approval")
                .endsWith("do not send it again.");
        decide(only("pending"), "deny").hasStatus(200); // of which other tests have one
    }

    /** The grace is the program's, whoever waits for its end. */
    @Test
    void aCutShortensNoGrace() throws IOException {
        McpClient client = McpClient.of(SERVER);
        String id = trapped("7");

        JsonNode stop = client.call("TaskStop", Map.of("task_id", id, "grace_ms", 60_000));
        answered("7");

        assertThat(stop.at("/content/0/text").asText())
                .startsWith("Task is being stopped")
                .contains("Status: Cancelling")
                .doesNotContain("goes on");
        assertThat(SERVER.calls().awaitEnd(id).path("exit_status").asInt()).isEqualTo(7);

        id = trapped("8");
        stop = claude().call("TaskStop", Map.of("task_id", id));
        answered("8");

        assertThat(SERVER.calls().awaitEnd(id).path("exit_status").asInt()).isEqualTo(8);
        assertThat(stop.at("/content/0/text").asText()).contains("Task is being stopped");
    }

    /** The same of what an ended task left running. */
    @Test
    void norThatOfWhatWasLeft() throws IOException {
        JsonNode stop = McpClient.of(SERVER).call("TaskStop", Map.of("task_id", left("first"), "grace_ms", 60_000));
        answered("first");
        assertThat(stop.at("/content/0/text").asText())
                .startsWith("Task had ended before; what it left running is being stopped");
        stop = claude().call("TaskStop", Map.of("task_id", left("second")));
        answered("second");
        assertThat(stop.at("/content/0/text").asText()).contains("Task is being stopped");

        awaitFile("first");
        awaitFile("second");
    }

    /** What is done when it is asked to go: it lasts until {@link #answered}, and longer than a kill would let it. */
    private static String cleanUp(String name) {
        return "until [ -e answered-" + name + " ]; do sleep 0.1; done; sleep 1; ";
    }

    /** The stop was answered, however late. */
    private static void answered(String name) throws IOException {
        Files.createFile(SERVER.workspace().resolve("answered-" + name));
    }

    private static void awaitFile(String name) {
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.workspace().resolve(name)));
    }

    /** @param status with which it exits when it has cleaned up */
    private static String trapped(String status) {
        String id = SERVER.calls()
                .start("trap '" + cleanUp(status) + "exit " + status + "' TERM; : > up" + status
                        + "; while :; do sleep 0.1; done");
        awaitFile("up" + status);
        return id;
    }

    /** @param cleaned what it makes when it has cleaned up */
    private static String left(String cleaned) {
        return SERVER.calls()
                .run("sh -c 'trap \"" + cleanUp(cleaned) + ": > " + cleaned + "; exit\" TERM; : > up" + cleaned
                        + "; while :; do sleep 0.1; done' &\nuntil [ -e up" + cleaned + " ]; do sleep 0.05; done")
                .completed()
                .text("/task_id");
    }

    private static McpClient claude() {
        McpClient client = new McpClient(SERVER, "/mcp?profile=claude");
        client.begin();
        return client;
    }

    private JsonNode only(String state) {
        return await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/approvals?state=" + state).at("/approvals"), all -> all.size() == 1)
                .get(0);
    }

    private Answer allow(JsonNode approval) {
        return decide(approval, "allow");
    }

    private Answer decide(JsonNode approval, String decision) {
        return http.post("/v1/approvals/" + approval.path("approval_id").asText(), Json.object("decision", decision));
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
        decide(asked, "deny");
        assertThat(call.join().text("/error/kind")).isEqualTo("command_denied");
    }
}
