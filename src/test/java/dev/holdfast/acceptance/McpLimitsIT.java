package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
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

        Answer progress = client.post(
                client.call("TaskOutput", Map.of("task_id", id, "timeout_ms", 2_000), Map.of("progressToken", "p")));
        assertThat(McpClient.last(progress).at("/result/content/0/text").asText())
                .startsWith("Task output wait timed out")
                .doesNotContain("cut");
        assertThat(SERVER.calls().awaitEnd(item).path("ended_by").asText()).isEqualTo("stop");
    }

    /** The grace is the program's, whoever waits for its end. */
    @Test
    void aCutShortensNoGrace() {
        McpClient client = McpClient.of(SERVER);
        String id = SERVER.calls().start("trap 'sleep 3; exit 7' TERM; touch trapped; while :; do sleep 0.1; done");
        await().until(() -> Files.exists(SERVER.workspace().resolve("trapped")));

        JsonNode stop = client.call("TaskStop", Map.of("task_id", id, "grace_ms", 60_000));

        assertThat(stop.at("/content/0/text").asText())
                .startsWith("Task is being stopped")
                .contains("Status: Cancelling")
                .doesNotContain("goes on");
        assertThat(SERVER.calls().awaitEnd(id).path("exit_status").asInt()).isEqualTo(7);
        JsonNode claude = claudeStops("trap 'sleep 3; exit 8' TERM; touch claude; while :; do sleep 0.1; done");
        assertThat(claude.at("/content/0/text").asText()).contains("Task is being stopped");
    }

    /** The same of what an ended task left running. */
    @Test
    void norThatOfWhatWasLeft() {
        JsonNode stop = McpClient.of(SERVER).call("TaskStop", Map.of("task_id", left("first"), "grace_ms", 60_000));
        assertThat(stop.at("/content/0/text").asText())
                .startsWith("Task had ended before; what it left running is being stopped");
        var claude = new McpClient(SERVER, "/mcp?profile=claude");
        claude.begin();
        stop = claude.call("TaskStop", Map.of("task_id", left("second")));
        assertThat(stop.at("/content/0/text").asText()).contains("Task is being stopped");

        for (String cleaned : List.of("first", "second")) {
            await().atMost(Calls.PATIENCE)
                    .until(() -> Files.exists(SERVER.workspace().resolve(cleaned)));
        }
    }

    /** @param cleaned what it makes three seconds after it was asked to go */
    private static String left(String cleaned) {
        return SERVER.calls()
                .run("sh -c 'trap \"sleep 3; touch " + cleaned + "; exit\" TERM; touch up" + cleaned
                        + "; while :; do sleep 0.1; done' &\nuntil [ -e up" + cleaned + " ]; do sleep 0.05; done")
                .completed()
                .text("/task_id");
    }

    private JsonNode claudeStops(String cmd) {
        McpClient client = new McpClient(SERVER, "/mcp?profile=claude");
        client.begin();
        String id = SERVER.calls().start(cmd);
        await().until(() -> Files.exists(SERVER.workspace().resolve("claude")));
        JsonNode stop = client.call("TaskStop", Map.of("task_id", id));
        assertThat(SERVER.calls().awaitEnd(id).path("exit_status").asInt()).isEqualTo(8);
        return stop;
    }
}
