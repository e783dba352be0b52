package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 9: what tasks that exist refuse, and what a full house does. */
class TaskErrorsIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_LIMITS_RUNNING", "3");

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    @Test
    void aFullHouseRefusesAndKillsNothing() {
        List<String> running = List.of(http.start("sleep 91"), http.start("sleep 92"), http.start("sleep 93"));

        Answer answer = http.run("touch refused").refused(429, "capacity_exhausted");

        assertThat(answer.header("Retry-After")).matches("\\d+");
        assertThat(answer.at("/retryable").asBoolean()).isTrue();
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
        running.forEach(id -> assertThat(http.task(id).path("status").asText()).isEqualTo("running"));
        http.stop(running.getFirst(), "force", true);
        http.run("echo room again").completed();
    }

    @Test
    void aCommandThatRunsAlreadyIsAnsweredInAFullHouseToo() {
        String id = http.run("sleep 94", "yield_time_ms", 0).promoted();
        http.start("sleep 95");
        http.start("sleep 96");

        assertThat(http.run("sleep 94").alreadyRunning()).isEqualTo(id);
    }

    @Test
    void aTaskWithoutATerminalHasNoSize() {
        String id = http.start("sleep 97");

        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 10, "cols", 10))
                .refused(409, "not_a_terminal");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"signal\":\"NOPE\"}",
                "{\"signal\":9}",
                "{\"signal\":\"STKFLT\"}",
                "{\"signal\":\"TERM\",\"x\":1}",
                "x"
            })
    void aSignalThatIsNotOnTheListIsRefused(String body) {
        String id = http.start("sleep 98");

        http.send("POST", "/v1/tasks/" + id + "/signal", body).refused(400, "invalid_tool_input");
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
    }

    @Test
    void aRefusalCanBeReadAsText() {
        String id = http.start("sleep 99");

        String text = http.post("/v1/tasks/" + id + "/input", Map.of("text", "x"), "Accept", "text/plain")
                .body();

        assertThat(text).startsWith("Command failed\n");
        assertThat(text.strip().lines().count()).isGreaterThanOrEqualTo(3);
    }
}
