package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 9: what is refused, with what words, and that nothing is started, written or leaked by it. */
class ErrorsIT {
    private static final String NO_TASK = "task_01ARZ3NDEKTSV4RRFFQ69G5FAV";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();
    private Set<Path> folders = Set.of();
    private String newest = "";

    @BeforeEach
    void remember() {
        folders = SERVER.taskFolders();
        newest = newest();
    }

    private String newest() {
        return http.get("/v1/tasks?status=all&limit=1").at("/tasks/0/task_id").asText();
    }

    private void assertNothingHappened() {
        assertThat(folders).containsAll(SERVER.taskFolders());
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
        assertThat(newest()).isEqualTo(newest);
    }

    private static Arguments row(String field, @Nullable Object... body) {
        return Arguments.of(field, Json.object(body));
    }

    static Stream<Arguments> notTheSchema() {
        String touch = "touch refused";
        return Stream.of(
                row("command", "command", touch),
                row("colour", "cmd", touch, "colour", "red"),
                row("status", "cmd", touch, "status", "x"),
                row("continue_on_result", "cmd", touch, "continue_on_result", true),
                row("argv", "cmd", touch, "argv", List.of("touch", "refused")),
                row("cmd", "workdir", "/"),
                row("cmd", "cmd", ""),
                row("cmd", "cmd", " \n\t "),
                row("cmd", "cmd", null),
                row("cmd", "cmd", touch + " #" + "x".repeat(101 * 1024)),
                row("cmd", "cmd", touch + "\u0000"),
                row("cmd", "cmd", List.of(touch)),
                row("cmd", "cmd", Map.of("a", touch)),
                row("argv", "argv", List.of()),
                row("argv", "argv", List.of("")),
                row("argv", "argv", List.of("touch", "refused\u0000")),
                row("argv", "argv", touch),
                row("shell", "argv", List.of("touch", "refused"), "shell", "sh"),
                row("login", "argv", List.of("touch", "refused"), "login", false),
                row("workdir", "cmd", touch, "workdir", "a\u0000b"),
                row("workdir", "cmd", touch, "workdir", 5.5),
                row("shell", "cmd", touch, "shell", ""),
                row("login", "cmd", touch, "login", 1.5),
                row("tty", "cmd", touch, "tty", List.of()),
                row("yield_time_ms", "cmd", touch, "yield_time_ms", -1),
                row("yield_time_ms", "cmd", touch, "yield_time_ms", 600_001),
                row("yield_time_ms", "cmd", touch, "yield_time_ms", 1.5),
                row("yield_time_ms", "cmd", touch, "yield_time_ms", 1e18),
                row("yield_time_ms", "cmd", touch, "yield_time_ms", "soon"),
                row("max_output_tokens", "cmd", touch, "max_output_tokens", 0),
                row("max_output_tokens", "cmd", touch, "max_output_tokens", 64_001),
                row("rows", "cmd", touch, "rows", 10),
                row("cols", "cmd", touch, "cols", 10),
                row("rows", "cmd", touch, "tty", true, "rows", 0),
                row("cols", "cmd", touch, "tty", true, "cols", 1001),
                row("duplicate_policy", "cmd", touch, "duplicate_policy", "sometimes"),
                row("yield_when", "cmd", touch, "yield_when", "now"),
                row("output_matches", "cmd", touch, "yield_when", Map.of("output_matches", "(")),
                row("output_matches", "cmd", touch, "yield_when", Map.of("output_matches", 5.5)),
                row("port_open", "cmd", touch, "yield_when", Map.of("port_open", 0)),
                row("port_open", "cmd", touch, "yield_when", Map.of("port_open", 70_000)),
                row("idle_ms", "cmd", touch, "yield_when", Map.of("idle_ms", -1)),
                row("needs_input", "cmd", touch, "yield_when", Map.of("needs_input", "perhaps")),
                row("moon", "cmd", touch, "yield_when", Map.of("moon", "full")),
                row("timeout_ms", "cmd", touch, "timeout_ms", -5),
                row("timeout_ms", "cmd", touch, "timeout_ms", 0),
                row("idle_timeout_ms", "cmd", touch, "idle_timeout_ms", 0),
                row("env", "cmd", touch, "env", List.of()),
                row("env", "cmd", touch, "env", Map.of("A", 5.5)),
                row("env", "cmd", touch, "env", Map.of("A=B", "x")),
                row("env", "cmd", touch, "env", Map.of("", "x")),
                row("env", "cmd", touch, "env", Map.of("A", "x\u0000y")),
                row("on_exit", "cmd", touch, "on_exit", "explode"),
                row("labels", "cmd", touch, "labels", Map.of("a", List.of())),
                row("labels", "cmd", touch, "labels", seventeen()));
    }

    private static Map<String, Object> seventeen() {
        Map<String, Object> labels = Json.object();
        for (int i = 0; i < 17; i++) {
            labels.put("label" + i, "x");
        }
        return labels;
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("notTheSchema")
    void whatIsNotTheSchemaIsRefusedAndNamed(String field, Map<String, Object> body) {
        Answer answer = http.post("/v1/commands", body).refused(400, "invalid_tool_input");

        assertThat(answer.text("/details/parse_error")).contains(field);
        assertThat(answer.at("/retryable").asBoolean(true)).isFalse();
        assertNothingHappened();
    }

    @Test
    void aCommandThatIsTooLongIsToldWhatToDo() {
        String cmd = "touch refused #" + "x".repeat(101 * 1024);

        assertThat(http.run(cmd).refused(400, "invalid_tool_input").text("/recovery_hint"))
                .contains("file");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "[]",
                "\"touch refused\"",
                "{\"cmd\":\"touch refused\"",
                "{\"cmd\":\"touch refused\"} x",
                "{'cmd':'touch refused'}",
                "{\"cmd\":\"touch refused\",}",
                "{\"cmd\":\"true\",\"cmd\":\"touch refused\"}",
                "{\"cmd\":\"touch refused\",\"yield_time_ms\":NaN}"
            })
    void brokenJsonIsRefused(String body) {
        http.send("POST", "/v1/commands", body).refused(400, "invalid_tool_input");
        assertNothingHappened();
    }

    @Test
    void jsonThatIsNestedTooDeeplyIsRefused() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);

        http.send("POST", "/v1/commands", "{\"cmd\":\"touch refused\",\"labels\":" + deep + "}")
                .refused(400, "invalid_tool_input");
        assertNothingHappened();
    }

    @Test
    void aDirectoryThatIsNotThereIsRefused() throws Exception {
        Files.writeString(SERVER.workspace().resolve("a-file"), "");

        assertThat(http.run("touch refused", "workdir", "nowhere")
                        .refused(422, "workdir_not_found")
                        .text("/detail"))
                .contains("nowhere");
        http.run("touch refused", "workdir", "a-file").refused(422, "workdir_not_found");
        http.run("touch refused", "workdir", "/nowhere/at/all").refused(422, "workdir_not_found");
        assertNothingHappened();
    }

    @Test
    void aShellThatIsNotThereIsRefused() throws Exception {
        Path text = Files.writeString(SERVER.workspace().resolve("no-shell"), "text");
        http.run("touch refused", "shell", "no-such-shell").refused(422, "command_spawn_failed");
        http.run("touch refused", "shell", "/bin/no-such-shell").refused(422, "command_spawn_failed");
        http.run("touch refused", "shell", text.toString()).refused(422, "command_spawn_failed");
        assertNothingHappened();
    }

    @Test
    void aBodyOfAnotherTypeIsRefused() throws Exception {
        for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")) {
            try (RawHttp client = RawHttp.to(SERVER.port())) {
                client.send(Json.write(command("touch refused")), head("POST", "/v1/commands", type));
                assertThat(client.status()).as(type).isIn(400, 415);
            }
        }
        assertNothingHappened();
    }

    @Test
    void aBodyOfFiftyMegabytesIsRefused() throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send(String.join("\r\n", head("POST", "/v1/commands", "application/json"))
                    + "\r\nContent-Length: 50000000\r\n\r\n");
            client.flood(50_000_000);
            assertThat(client.status()).isIn(413, 0);
        }
        http.send("POST", "/v1/commands", "{\"cmd\":\"touch refused\",\"colour\":\"" + "x".repeat(33 << 20) + "\"}")
                .refused(413, "payload_too_large");
        assertNothingHappened();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-id",
                NO_TASK,
                "task_%2e%2e%2f%2e%2e",
                "task_01ARZ3NDEKTSV4RRFFQ69G5FA%00",
                "..%2f..%2fetc%2fpasswd"
            })
    void aTaskThatIsNotThereIsNotFound(String id) {
        for (String path : List.of("", "/output", "/events")) {
            assertThat(http.get("/v1/tasks/" + id + path).status()).as(path).isIn(400, 404);
        }
        assertThat(http.input(id, "text", "x").status()).isIn(400, 404);
        assertThat(http.stop(id).status()).isIn(400, 404);
        assertThat(http.signal(id, "TERM").status()).isIn(400, 404);
        assertThat(http.delete("/v1/tasks/" + id).status()).isIn(400, 404);
    }

    @Test
    void aTaskIdThatIsNoneIsNotFound() {
        for (String id : List.of("no-id", NO_TASK)) {
            http.get("/v1/tasks/" + id).refused(404, "task_not_found");
            http.get("/v1/tasks/" + id + "/output").refused(404, "task_not_found");
            http.stop(id).refused(404, "task_not_found");
            http.input(id, "text", "x").refused(404, "task_not_found");
            http.signal(id, "TERM").refused(404, "task_not_found");
            http.delete("/v1/tasks/" + id).refused(404, "task_not_found");
            http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 1, "cols", 1))
                    .refused(404, "task_not_found");
        }
    }

    @Test
    void anAddressThatIsNotThereIsAProblemToo() {
        Answer answer = http.get("/v1/nothing").hasStatus(404);

        assertThat(answer.body()).doesNotContain("Exception").doesNotContain("at dev.");
        assertThat(http.delete("/v1/commands").status()).isEqualTo(405);
    }

    private static String[] head(String method, String path, String type) {
        return new String[] {
            method + " " + path + " HTTP/1.1",
            "Host: 127.0.0.1:" + SERVER.port(),
            "Authorization: Bearer " + SERVER.token(),
            "Content-Type: " + type
        };
    }
}
