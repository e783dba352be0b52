package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.HoldfastConfig;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CommandsAppTest {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

    @Inject
    HoldfastConfig config;

    @TestHTTPResource
    @SuppressWarnings("NullAway.Init")
    URI base;

    private Caller caller;

    @BeforeEach
    void calls() {
        caller = new Caller(base, config);
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    @Test
    void whatEndsInItsWindowIsCompleted() {
        HttpResponse<String> response = caller.post(
                "/v1/commands", "{\"cmd\":\"echo out; echo err >&2; exit 3\",\"shell\":\"sh\",\"login\":false}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Location")).isEmpty();
        JsonNode answer = Caller.json(response);
        assertThat(names(answer))
                .containsExactly(
                        "disposition",
                        "exit_status",
                        "exit_signal",
                        "ended_by",
                        "stdout_preview",
                        "stderr_preview",
                        "truncated",
                        "artifacts",
                        "duration_ms",
                        "summary_text",
                        "command_diagnostics");
        assertThat(answer.path("disposition").asText()).isEqualTo("completed");
        assertThat(answer.path("exit_status").asInt()).isEqualTo(3);
        assertThat(answer.path("exit_signal").isNull()).isTrue();
        assertThat(answer.path("stdout_preview").asText()).isEqualTo("out\n");
        assertThat(answer.path("stderr_preview").asText()).isEqualTo("err\n");
        assertThat(names(answer.path("command_diagnostics")))
                .containsExactly(
                        "cmd_preview",
                        "cmd_char_count",
                        "cmd_estimated_tokens",
                        "contains_heredoc",
                        "contains_inline_script",
                        "exceeds_soft_threshold",
                        "effective_max_output_tokens",
                        "output_char_budget");
    }

    @Test
    void theReceiptIsForThoseWhoReadText() {
        HttpResponse<String> response = caller.post(
                "/v1/commands",
                "{\"cmd\":\"echo out; exit 3\",\"shell\":\"sh\",\"login\":false}",
                "Accept",
                "text/plain");

        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
        assertThat(response.body()).isEqualTo("Process exited with code 3\n\nstdout:\nout");
    }

    @Test
    void whatGoesOnIsATask() {
        HttpResponse<String> response = caller.post(
                "/v1/commands", "{\"argv\":[\"sleep\",\"61\"],\"yield_time_ms\":0,\"labels\":{\"of\":\"going-on\"}}");

        assertThat(response.statusCode()).isEqualTo(202);
        JsonNode answer = Caller.json(response);
        String id = answer.at("/task_handle/task_id").asText();
        assertThat(response.headers().firstValue("Location")).contains("/v1/tasks/" + id);
        assertThat(names(answer))
                .containsExactly(
                        "disposition",
                        "task_handle",
                        "initial_output_preview",
                        "initial_output_truncated",
                        "promoted_because",
                        "summary_text",
                        "command_diagnostics");
        assertThat(answer.path("promoted_because").asText()).isEqualTo("yield_time");

        HttpResponse<String> again = caller.post("/v1/commands", "{\"argv\":[\"sleep\",\"61\"]}");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.headers().firstValue("Location")).contains("/v1/tasks/" + id);
        assertThat(names(Caller.json(again)))
                .containsExactly(
                        "disposition",
                        "task_handle",
                        "command",
                        "summary",
                        "instructions",
                        "summary_text",
                        "command_diagnostics");

        JsonNode listed = Caller.json(caller.get("/v1/tasks?label=of=going-on"));
        assertThat(names(listed)).containsExactly("tasks", "total_active", "next_cursor");
        assertThat(listed.at("/tasks/0/task_id").asText()).isEqualTo(id);
        assertThat(caller.call("DELETE", "/v1/tasks/" + id, "").statusCode()).isEqualTo(409);

        JsonNode stopped = Caller.json(caller.post("/v1/tasks/" + id + "/stop", ""));
        assertThat(names(stopped))
                .containsExactly(
                        "task",
                        "stop_requested",
                        "force_stop_requested",
                        "survivors",
                        "ended_leftovers",
                        "summary_text");
        assertThat(stopped.at("/task/status").asText()).isEqualTo("cancelled");
        assertThat(stopped.path("survivors")).isEmpty();
        assertThat(caller.call("DELETE", "/v1/tasks/" + id, "").statusCode()).isEqualTo(204);
        assertThat(caller.get("/v1/tasks/" + id).statusCode()).isEqualTo(404);
    }

    @Test
    void aTaskHasEveryFieldOfTheContract() {
        String id = caller.task("sleep 62", "\"env\":{\"B\":\"secret-value\",\"A\":null}");
        HttpResponse<String> response = caller.get("/v1/tasks/" + id);
        JsonNode task = Caller.json(response);

        assertThat(names(task))
                .containsExactly(
                        "task_id",
                        "task_kind",
                        "status",
                        "summary",
                        "created_at",
                        "started_at",
                        "promoted_at",
                        "updated_at",
                        "ended_at",
                        "command",
                        "exit_status",
                        "exit_signal",
                        "ended_by",
                        "details",
                        "output",
                        "process",
                        "waiting",
                        "ports",
                        "observed_at",
                        "labels",
                        "processes");
        assertThat(names(task.path("command")))
                .containsExactly(
                        "cmd",
                        "argv",
                        "cmd_digest",
                        "workdir",
                        "shell",
                        "login",
                        "tty",
                        "accepts_input",
                        "input_target",
                        "env_keys",
                        "promoted_from_exec_command");
        assertThat(names(task.path("output")))
                .containsExactly("stdout_bytes", "stderr_bytes", "omitted_bytes", "last_output_at");
        assertThat(task.path("created_at").asText()).matches(TIME);
        assertThat(task.path("ended_at").isNull()).isTrue();
        assertThat(task.at("/command/env_keys").toString()).isEqualTo("[\"A\",\"B\"]");
        assertThat(task.at("/command/cmd_digest").asText()).matches("[0-9a-f]{64}");
        assertThat(response.body()).doesNotContain("secret-value");
        caller.post("/v1/tasks/" + id + "/stop", "{\"force\":true}");
    }

    @Test
    void oneKeyIsOneCommand() {
        String key = UUID.randomUUID().toString();
        String body = "{\"cmd\":\"echo $$\",\"shell\":\"sh\",\"login\":false}";
        String first = caller.post("/v1/commands", body, "Idempotency-Key", key).body();

        assertThat(caller.post("/v1/commands", body, "Idempotency-Key", key).body())
                .isEqualTo(first);
        HttpResponse<String> other = caller.post("/v1/commands", "{\"cmd\":\"true\"}", "Idempotency-Key", key);
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(Caller.json(other).path("kind").asText()).isEqualTo("idempotency_key_reused");
        assertThat(caller.post("/v1/commands", body, "Idempotency-Key", "k".repeat(256))
                        .statusCode())
                .isEqualTo(400);
        assertThat(caller.post("/v1/commands", body, "Idempotency-Key", key, "Idempotency-Key", "another")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void aBatchAnswersForEveryItem() {
        HttpResponse<String> response = caller.post(
                "/v1/commands/batch",
                "{\"shell\":\"sh\",\"login\":false,\"stop_on_error\":true,"
                        + "\"items\":[{\"cmd\":\"echo 1\"},{\"cmd\":\"exit 4\"},{\"argv\":[\"true\"]}]}");

        JsonNode answer = Caller.json(response);
        assertThat(names(answer))
                .containsExactly(
                        "item_count",
                        "completed_count",
                        "failed_count",
                        "skipped_count",
                        "stop_on_error",
                        "items",
                        "summary_text");
        assertThat(answer.path("items").findValuesAsText("status")).containsExactly("completed", "failed", "skipped");
        assertThat(names(answer.at("/items/0")))
                .containsExactly("index", "cmd", "status", "result", "error_kind", "error_message", "duration_ms");
        assertThat(answer.at("/items/1/result/exit_status").asInt()).isEqualTo(4);
        assertThat(answer.at("/items/2/result").isNull()).isTrue();
    }

    @Test
    void inputIsWrittenAndEnded() {
        String id = caller.task("cat", "\"accepts_input\":true");
        JsonNode taken = Caller.json(caller.post("/v1/tasks/" + id + "/input", "{\"text\":\"héllo\\n\"}"));
        assertThat(names(taken)).containsExactly("accepted_input", "input_target", "bytes_written", "summary_text");
        assertThat(taken.path("bytes_written").asInt()).isEqualTo(7);
        HttpResponse<String> keys = caller.post("/v1/tasks/" + id + "/input", "{\"keys\":[\"enter\"]}");
        assertThat(keys.statusCode()).isEqualTo(409);
        assertThat(Caller.json(keys).path("kind").asText()).isEqualTo("not_a_terminal");
        caller.post("/v1/tasks/" + id + "/input", "{\"base64\":\"AP8=\",\"eof\":true}");

        assertThat(caller.ended(id).path("status").asText()).isEqualTo("completed");
        assertThat(caller.get("/v1/tasks/" + id + "/output").body()).contains("héllo");
    }

    @Test
    void aSignalReachesTheGroup() {
        String id = caller.task("trap 'echo got; exit 7' USR1; echo ready; while :; do sleep 0.2; done", "");
        caller.get("/v1/tasks/" + id + "/output?wait_ms=10000");

        JsonNode task = Caller.json(caller.post("/v1/tasks/" + id + "/signal", "{\"signal\":\"USR1\"}"));
        assertThat(task.path("task_id").asText()).isEqualTo(id);
        assertThat(caller.ended(id).path("exit_status").asInt()).isEqualTo(7);
        HttpResponse<String> late = caller.post("/v1/tasks/" + id + "/signal", "{\"signal\":\"USR1\"}");
        assertThat(Caller.json(late).path("kind").asText()).isEqualTo("task_not_running");
    }
}
