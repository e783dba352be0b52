package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2: several commands, one after the other. */
class BatchIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void runsOneAfterTheOther() {
        Answer answer = batch("items", items("echo one > order; echo 1", "cat order; echo two >> order", "cat order"));

        answer.hasStatus(200);
        assertThat(answer.at("/item_count").asInt()).isEqualTo(3);
        assertThat(answer.at("/completed_count").asInt()).isEqualTo(3);
        assertThat(answer.at("/failed_count").asInt(-1)).isZero();
        assertThat(answer.at("/skipped_count").asInt(-1)).isZero();
        assertThat(answer.at("/stop_on_error").asBoolean(true)).isFalse();
        assertThat(answer.text("/summary_text")).isNotBlank();
        JsonNode last = answer.at("/items/2");
        assertThat(last.path("index").asInt()).isEqualTo(2);
        assertThat(last.path("cmd").asText()).isEqualTo("cat order");
        assertThat(last.path("status").asText()).isEqualTo("completed");
        assertThat(last.path("duration_ms").isIntegralNumber()).isTrue();
        assertThat(last.path("error_kind").isNull() || last.path("error_kind").isMissingNode())
                .isTrue();
        assertThat(last.at("/result/stdout_preview").asText().strip()).isEqualTo("one\ntwo");
        assertThat(last.at("/result/exit_status").asInt(-1)).isZero();
    }

    @Test
    void goesOnAfterAFailure() {
        Answer answer = batch("items", items("exit 5", "echo after"));

        assertThat(answer.text("/items/0/status")).isEqualTo("failed");
        assertThat(answer.at("/items/0/result/exit_status").asInt()).isEqualTo(5);
        assertThat(answer.text("/items/1/status")).isEqualTo("completed");
        assertThat(answer.at("/failed_count").asInt()).isEqualTo(1);
        assertThat(answer.at("/completed_count").asInt()).isEqualTo(1);
    }

    @Test
    void stopsAtAFailureWhenAskedTo() {
        Answer answer = batch("items", items("true", "exit 5", "echo never > never", "true"), "stop_on_error", true);

        assertThat(answer.at("/items").findValuesAsText("status"))
                .startsWith("completed", "failed", "skipped", "skipped");
        assertThat(answer.at("/skipped_count").asInt()).isEqualTo(2);
        assertThat(answer.at("/stop_on_error").asBoolean()).isTrue();
        assertThat(SERVER.workspace().resolve("never")).doesNotExist();
    }

    @Test
    void anItemThatCannotStartFails() {
        Answer answer = batch(
                "items", List.of(Map.of("cmd", "true", "workdir", "nowhere"), Map.of("cmd", "true")), "login", false);

        assertThat(answer.text("/items/0/status")).isEqualTo("failed");
        assertThat(answer.text("/items/0/error_kind")).isEqualTo("workdir_not_found");
        assertThat(answer.text("/items/0/error_message")).contains("nowhere");
        assertThat(answer.text("/items/1/status")).isEqualTo("completed");
    }

    @Test
    void anItemPastItsWindowIsStopped() {
        Answer answer = batch(
                "items",
                List.of(Map.of("cmd", "echo printed; echo $$ > slow; exec sleep 60"), Map.of("cmd", "true")),
                "login",
                false,
                "yield_time_ms",
                2500);

        assertThat(answer.hasStatus(200).text("/items/0/status")).isEqualTo("failed");
        assertThat(answer.body()).contains("printed");
        assertThat(answer.text("/items/0/error_message")).isNotBlank();
        assertThat(answer.text("/items/1/status")).isEqualTo("completed");
        assertThat(Processes.alive(written("slow"))).isFalse();
        assertThat(http.get("/v1/tasks").at("/tasks").size()).isZero();
    }

    @Test
    void anItemWhoseConditionHeldSaysSo() {
        Answer answer = batch(
                "items",
                List.of(
                        Map.of("cmd", "echo ready; sleep 60", "yield_when", Map.of("output_matches", "ready")),
                        Map.of("cmd", "sleep 60", "timeout_ms", 200)));

        assertThat(answer.at("/items/0/status").asText()).isEqualTo("failed");
        assertThat(answer.text("/items/0/error_message")).contains("yield_when.output_matches");
        assertThat(answer.text("/items/1/error_message")).contains("timeout");
    }

    @Test
    void defaultsHoldUnlessAnItemHasItsOwn() throws IOException {
        Files.createDirectories(SERVER.workspace().resolve("here"));
        Answer answer = batch(
                "items",
                List.of(
                        Map.of("cmd", "pwd; echo $0"),
                        Map.of("cmd", "pwd; echo $0", "workdir", "/", "shell", "bash"),
                        Map.of("argv", List.of("seq", "1", "1000"))),
                "workdir",
                "here",
                "shell",
                "sh",
                "login",
                false,
                "max_output_tokens",
                20);

        assertThat(answer.text("/items/0/result/stdout_preview"))
                .contains("/here")
                .doesNotContain("bash");
        assertThat(answer.text("/items/1/result/stdout_preview"))
                .startsWith("/\n")
                .contains("bash");
        assertThat(answer.at("/items/2/result/truncated").asBoolean()).isTrue();
        assertThat(answer.at("/items/2/result/command_diagnostics/effective_max_output_tokens")
                        .asInt())
                .isEqualTo(20);
    }

    @Test
    void twelveItemsAreTheMost() {
        assertThat(batch("items", Collections.nCopies(12, Map.of("cmd", "true", "login", false)))
                        .hasStatus(200)
                        .at("/completed_count")
                        .asInt())
                .isEqualTo(12);
        batch("items", Collections.nCopies(13, Map.of("cmd", "true"))).refused(400, "invalid_tool_input");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"items\":[]}",
                "{\"items\":{}}",
                "{\"items\":[{\"cmd\":\"touch refused\",\"tty\":true}]}",
                "{\"items\":[{\"cmd\":\"touch refused\",\"accepts_input\":true}]}",
                "{\"items\":[{\"cmd\":\"touch refused\",\"duplicate_policy\":\"start_new\"}]}",
                "{\"items\":[{\"cmd\":\"touch refused\"},{\"cmd\":\" \"}]}",
                "{\"items\":[{\"cmd\":\"touch refused\"},{\"command\":\"true\"}]}",
                "{\"items\":[{\"cmd\":\"touch refused\"}],\"stop_on_error\":1.5}",
                "{\"items\":[{\"cmd\":\"touch refused\"}],\"yield_time_ms\":600001}",
                "{\"items\":[{\"cmd\":\"touch refused\"}],\"tty\":true}",
                "{\"items\":[{\"cmd\":\"touch refused\"}],\"env\":{}}"
            })
    void whatIsNotTheSchemaStartsNothing(String body) {
        http.send("POST", "/v1/commands/batch", body).refused(400, "invalid_tool_input");

        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    @Test
    void aKeyIsRefusedRatherThanIgnored() {
        Object body = Json.object("items", items("touch refused"));
        Answer answer =
                http.post("/v1/commands/batch", body, "Idempotency-Key", "once").refused(400, "invalid_tool_input");

        assertThat(answer.text("/detail")).contains("Idempotency-Key");
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    private Answer batch(Object... body) {
        return http.post("/v1/commands/batch", Json.object(body));
    }

    private static List<Map<String, Object>> items(String... commands) {
        return java.util.Arrays.stream(commands)
                .map(cmd -> Json.object("cmd", cmd, "login", false))
                .toList();
    }

    private static long written(String file) {
        try {
            return Long.parseLong(
                    Files.readString(SERVER.workspace().resolve(file)).strip());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
