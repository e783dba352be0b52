package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How long a call over MCP waits, and what a server's end costs its clients. */
class McpLimitsIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_MCP_LONGEST_WAIT", "1s");

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
                .start("trap '" + cleanUp(status) + "exit " + status + "' TERM; touch up" + status
                        + "; while :; do sleep 0.1; done");
        awaitFile("up" + status);
        return id;
    }

    /** @param cleaned what it makes when it has cleaned up */
    private static String left(String cleaned) {
        return SERVER.calls()
                .run("sh -c 'trap \"" + cleanUp(cleaned) + "touch " + cleaned + "; exit\" TERM; touch up" + cleaned
                        + "; while :; do sleep 0.1; done' &\nuntil [ -e up" + cleaned + " ]; do sleep 0.05; done")
                .completed()
                .text("/task_id");
    }

    private static McpClient claude() {
        McpClient client = new McpClient(SERVER, "/mcp?profile=claude");
        client.begin();
        return client;
    }
}
