package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 5 and 6: tasks, listed and alone, signalled, resized, forgotten. */
class TasksIT {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void aTaskHasEveryFieldOfTheContract() throws Exception {
        String cmd = "echo out; echo err >&2; sleep 60";
        Answer started = http.run(
                cmd, "yield_time_ms", 300, "env", Json.object("B", "2", "A", null), "labels", Map.of("k", "v"));
        String id = started.promoted();

        JsonNode task =
                http.awaitTask(id, seen -> seen.at("/output/stderr_bytes").asInt() > 0);

        assertThat(task.path("task_id").asText()).isEqualTo(id);
        assertThat(task.path("task_kind").asText()).isEqualTo("command_task");
        assertThat(task.path("status").asText()).isEqualTo("running");
        assertThat(task.path("summary").asText()).isNotBlank();
        for (String time : List.of("created_at", "started_at", "promoted_at", "updated_at")) {
            assertThat(task.path(time).asText()).as(time).matches(TIME);
        }
        assertThat(task.get("ended_at").isNull()).isTrue();
        assertThat(task.get("exit_status").isNull()).isTrue();
        assertThat(task.get("exit_signal").isNull()).isTrue();
        assertThat(task.get("ended_by").isNull()).isTrue();
        assertThat(task.path("details").toString()).isEqualTo("{}");
        JsonNode command = task.path("command");
        assertThat(command.path("cmd").asText()).isEqualTo(cmd);
        assertThat(command.path("argv").isNull() || command.path("argv").isMissingNode())
                .isTrue();
        assertThat(command.path("cmd_digest").asText()).isEqualTo(sha256(cmd));
        assertThat(command.path("workdir").asText())
                .isEqualTo(SERVER.workspace().toString());
        assertThat(command.path("shell").asText()).endsWith("/bash");
        assertThat(command.path("login").asBoolean(true)).isFalse();
        assertThat(command.path("tty").asBoolean(true)).isFalse();
        assertThat(command.path("accepts_input").asBoolean(true)).isFalse();
        assertThat(command.get("input_target").isNull()).isTrue();
        assertThat(command.path("env_keys").toString()).isEqualTo("[\"A\",\"B\"]");
        assertThat(command.path("promoted_from_exec_command").isBoolean()).isTrue();
        assertThat(task.at("/output/stdout_bytes").asLong()).isEqualTo(4);
        assertThat(task.at("/output/stderr_bytes").asLong()).isEqualTo(4);
        assertThat(task.at("/output/omitted_bytes").asLong(-1)).isZero();
        assertThat(task.at("/output/last_output_at").asText()).matches(TIME);
        assertThat(Processes.commandLine(task.at("/process/pid").asLong()))
                .get()
                .asString()
                .contains("sleep 60");
        assertThat(task.at("/process/started_at").asText()).matches(TIME);
        assertThat(task.path("ports").toString()).isEqualTo("[]");
        assertThat(task.path("labels").toString()).isEqualTo("{\"k\":\"v\"}");
        assertThat(task.has("waiting")).isTrue();
        assertThat(task.path("observed_at").asText()).matches(TIME);
        http.stop(id, "force", true);
    }

    @Test
    void anEndedTaskHasNoProcess() {
        JsonNode task = http.awaitEnd(http.start("exit 9"));

        assertThat(task.get("process").isNull()).isTrue();
        assertThat(task.get("waiting").isNull()).isTrue();
        assertThat(task.path("ports").size()).isZero();
        assertThat(task.path("ended_at").asText()).matches(TIME);
        assertThat(Instant.parse(task.path("ended_at").asText()))
                .isAfterOrEqualTo(Instant.parse(task.path("started_at").asText()));
    }

    @Test
    void inputTargetNamesWhereInputGoes() {
        String stdin = http.start("cat", "accepts_input", true);
        String terminal = http.start("cat", "tty", true);

        assertThat(http.task(stdin).at("/command/input_target").asText()).isEqualTo("stdin");
        assertThat(http.task(terminal).at("/command/input_target").asText()).isEqualTo("tty");
        assertThat(http.task(terminal).at("/command/accepts_input").asBoolean()).isTrue();
        http.stop(stdin, "force", true);
        http.stop(terminal, "force", true);
    }

    @Test
    void waitingTellsWhatItDoes() {
        String reads = http.start("cat", "accepts_input", true);
        String busy = http.start("while :; do :; done");

        http.awaitTask(reads, task -> task.path("waiting").asText().equals("input"));
        http.awaitTask(busy, task -> task.path("waiting").asText().equals("busy"));
        String idle = http.start("sleep 60");
        http.awaitTask(idle, task -> task.path("waiting").asText().equals("idle"));
        List.of(reads, busy, idle).forEach(id -> http.stop(id, "force", true));
    }

    @Test
    void aListIsNewestFirstAndHasPages() {
        var made = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            made.addFirst(http.start("sleep 7" + i, "labels", Map.of("page", "yes")));
        }

        Answer first = http.get("/v1/tasks?label=page%3Dyes&limit=2");
        Answer second = http.get("/v1/tasks?label=page%3Dyes&limit=2&cursor=" + first.text("/next_cursor"));
        Answer third = http.get("/v1/tasks?label=page%3Dyes&limit=2&cursor=" + second.text("/next_cursor"));

        var seen = new ArrayList<String>();
        List.of(first, second, third)
                .forEach(page -> seen.addAll(page.at("/tasks").findValuesAsText("task_id")));
        assertThat(seen).isEqualTo(made);
        assertThat(third.at("/next_cursor").isNull()).isTrue();
        assertThat(first.at("/total_active").asInt()).isGreaterThanOrEqualTo(5);
        made.forEach(id -> http.stop(id, "force", true));
    }

    @Test
    void aListIsFiltered() {
        String running = http.start("sleep 80 # Needle%", "labels", Map.of("a", "1", "b", "2"));
        String failed = http.start("exit 3 # needle%", "labels", Map.of("a", "1"));
        http.awaitEnd(failed);

        assertThat(ids("")).contains(running).doesNotContain(failed);
        assertThat(ids("?status=active")).contains(running).doesNotContain(failed);
        assertThat(ids("?status=ended")).contains(failed).doesNotContain(running);
        assertThat(ids("?status=all")).contains(running, failed);
        assertThat(ids("?status=running")).contains(running).doesNotContain(failed);
        assertThat(ids("?status=failed")).contains(failed).doesNotContain(running);
        assertThat(ids("?status=completed")).doesNotContain(failed, running);
        assertThat(ids("?status=all&label=a%3D1")).containsExactly(failed, running);
        assertThat(ids("?status=all&label=a%3D1&label=b%3D2")).containsExactly(running);
        assertThat(ids("?status=all&label=a%3D2")).isEmpty();
        assertThat(ids("?status=all&q=needle%25")).containsExactly(failed, running);
        assertThat(ids("?status=all&q=e%25x")).isEmpty();
        http.stop(running, "force", true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?limit=0",
                "?limit=101",
                "?limit=x",
                "?status=nothing",
                "?label=noequals",
                "?cursor=%21%21",
                "?colour=red"
            })
    void aListWithABadParameterIsRefused(String query) {
        http.get("/v1/tasks" + query).refused(400, "invalid_tool_input");
    }

    @Test
    void aSignalReachesTheWholeGroup() {
        String id = http.start(
                "trap 'echo parent' USR1; sh -c \"trap 'echo child' USR1; echo ready; while :; do sleep 0.1; done\" & "
                        + "while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");

        http.signal(id, "USR1").hasStatus(200);

        assertThat(http.awaitOutput(id, "child")).contains("child");
        assertThat(http.awaitOutput(id, "parent")).contains("parent");
        http.stop(id, "force", true);
    }

    @Test
    void aSignalCanStopAndContinue() {
        String id = http.start("exec sleep 81");
        long pid = http.pid(id);

        http.signal(id, "STOP").hasStatus(200);
        org.awaitility.Awaitility.await().until(() -> Processes.state(pid).orElse('?') == 'T');
        http.signal(id, "CONT").hasStatus(200);
        org.awaitility.Awaitility.await().until(() -> Processes.state(pid).orElse('?') == 'S');
        http.signal(id, "TERM").hasStatus(200);

        JsonNode task = http.awaitEnd(id);
        assertThat(task.path("status").asText()).isEqualTo("failed");
        assertThat(task.path("exit_signal").asText()).isEqualTo("SIGTERM");
        http.signal(id, "TERM").refused(409, "task_not_running");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "KILL"})
    void everyDeadlySignalIsTold(String signal) {
        String id = http.start("exec sleep 82");
        long pid = http.pid(id);
        org.awaitility.Awaitility.await("what ignores QUIT is bash")
                .until(() -> Processes.commandLine(pid).orElse("").equals("sleep 82"));

        http.signal(id, signal).hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_signal").asText()).isEqualTo("SIG" + signal);
    }

    @Test
    void aTerminalIsResized() {
        String id = http.start("trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done", "tty", true);
        http.awaitOutput(id, "ready");

        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 33, "cols", 99))
                .hasStatus(200);

        http.awaitOutput(id, "33 99");
        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 0, "cols", 99))
                .refused(400, "invalid_tool_input");
        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 3, "cols", 1001))
                .refused(400, "invalid_tool_input");
        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 3)).refused(400, "invalid_tool_input");
        http.stop(id, "force", true);
        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 33, "cols", 99))
                .refused(409, "task_not_running");
    }

    @Test
    void anEndedTaskIsForgotten() {
        String id = http.start("echo over");
        http.awaitEnd(id);

        assertThat(http.delete("/v1/tasks/" + id).status()).isIn(200, 204);

        http.get("/v1/tasks/" + id).refused(404, "task_not_found");
        http.get("/v1/tasks/" + id + "/output").refused(404, "task_not_found");
        assertThat(SERVER.taskFolder(id)).doesNotExist();
    }

    @Test
    void aRunningTaskIsNotForgotten() {
        String id = http.start("sleep 83");

        assertThat(http.delete("/v1/tasks/" + id).hasStatus(409).text("/kind")).isNotBlank();

        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        http.stop(id, "force", true);
    }

    @Test
    void anArgvIsShownAsOne() {
        Map<String, Object> body = Json.object("argv", List.of("sleep", "84"), "yield_time_ms", 0);
        String id = http.post("/v1/commands", body).promoted();

        JsonNode command = http.task(id).path("command");

        assertThat(command.path("argv").toString()).isEqualTo("[\"sleep\",\"84\"]");
        assertThat(command.path("cmd").isNull() || command.path("cmd").isMissingNode())
                .isTrue();
        http.stop(id, "force", true);
    }

    @Test
    void idsSortByTime() {
        String first = http.post("/v1/commands", command("sleep 85", "yield_time_ms", 0))
                .promoted();
        String second = http.post("/v1/commands", command("sleep 86", "yield_time_ms", 0))
                .promoted();

        assertThat(second).isGreaterThan(first);
        http.stop(first, "force", true);
        http.stop(second, "force", true);
    }

    private List<String> ids(String query) {
        return http.get("/v1/tasks" + query).hasStatus(200).at("/tasks").findValuesAsText("task_id");
    }

    private static String sha256(String text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }
}
