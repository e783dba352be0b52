package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tools that Codex gives its models. */
class CodexToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final String HEAD = "(?s)Chunk ID: [0-9a-f]{6}\nWall time: [0-9]+\\.[0-9]{4} seconds\n";
    private final ToolCalls tools = new ToolCalls(SERVER.calls(), "codex");

    private JsonNode exec(String cmd, Object... more) {
        return exec(cmd, Json.object(more));
    }

    private JsonNode exec(String cmd, Map<String, Object> more) {
        var input = Json.object("cmd", cmd, "login", false);
        input.putAll(more);
        return tools.http()
                .post("/v1/tools/exec_command?profile=codex", input)
                .hasStatus(200)
                .json();
    }

    /** One that prints in its window, and runs on; where it was held up, once more in a longer one. */
    private JsonNode printing(String last, String cmd, Object... more) {
        var input = Json.object(more);
        for (int window : List.of(4000, 8000, 16_000)) {
            input.put("yield_time_ms", window);
            JsonNode started = exec(cmd, input);
            if (started.at("/result/output").asText().endsWith(last)) {
                return started;
            }
            write(started.at("/result/session_id").asLong(), "\u0003");
        }
        input.put("yield_time_ms", 30_000);
        return exec(cmd, input);
    }

    private JsonNode write(long session, String chars, Object... more) {
        var input = Json.object("session_id", session, "chars", chars);
        input.putAll(Json.object(more));
        return tools.http()
                .post("/v1/tools/write_stdin?profile=codex", input)
                .hasStatus(200)
                .json();
    }

    @Test
    void aShortCommandAnswersWithItsExitCode() {
        JsonNode answer = exec("echo out; echo bad >&2; exit 3");

        assertThat(answer.path("text").asText())
                .matches(HEAD + "Process exited with code 3\nOriginal token count: 2\nOutput:\nout\nbad");
        assertThat(answer.at("/result/exit_code").asInt()).isEqualTo(3);
        assertThat(answer.at("/result/session_id").isNull()).isTrue();
    }

    /** As Codex itself has it: there nothing else asks for a key. */
    @Test
    void aTerminalOpensNoPager() {
        JsonNode answer = exec(
                "echo \"$TERM $PAGER $GIT_PAGER $GH_PAGER $NO_COLOR $LC_ALL<$COLORTERM>\"",
                "tty",
                true,
                "login",
                false);

        assertThat(answer.path("text").asText())
                .contains("Process exited with code 0", "\ndumb cat cat cat 1 C.UTF-8<>");
    }

    @Test
    void aLongerOneHasASessionThatIsToldOfOnceAndStaysAfterItsEnd() {
        JsonNode started = printing("first\n", "echo first; read a; echo \"got $a\"; exit 4", "tty", true);
        long session = started.at("/result/session_id").asLong();
        assertThat(started.path("text").asText())
                .matches(HEAD + "Process running with session ID " + session
                        + "\nOriginal token count: 2\nOutput:\nfirst\n");

        JsonNode ended = write(session, "water\n", "yield_time_ms", 30_000);
        assertThat(ended.path("text").asText())
                .matches(HEAD + "Process exited with code 4\nOriginal token count: \\d+\nOutput:\nwater\ngot water\n");
        assertThat(write(session, "more").path("text").asText())
                .matches(HEAD + "Process exited with code 4\nOriginal token count: 0\nOutput:\n");
    }

    @Test
    void aProgressBarIsToldAsItStands() {
        long session = exec(
                        "read a; for i in 1 50 100; do printf '\\033[1G\\033[0K%s%%' $i; sleep 0.2; done; echo; exit 4",
                        "tty", true, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();

        assertThat(write(session, "go\n", "yield_time_ms", 30_000).path("text").asText())
                .matches(HEAD + "Process exited with code 4\nOriginal token count: 2\nOutput:\ngo\n100%\n");
    }

    @Test
    void aProgressBarOfMoreThanOneReadIsToldAsItStands() {
        JsonNode ended = exec("awk 'BEGIN { while (i < 80000) printf \"\\rprogress %05d\", ++i; print \"\\nfin\" }'");

        assertThat(ended.at("/result/output").asText()).isEqualTo("progress 80000\nfin\n");
    }

    @Test
    void withoutATerminalItTakesAnInterruptAlone() {
        String cmd = "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.2; done";
        long session = exec(cmd, "yield_time_ms", 250).at("/result/session_id").asLong();
        String id = tools.http()
                .get("/v1/tasks?q=echo%20caught")
                .at("/tasks/0/task_id")
                .asText();
        tools.http().awaitOutput(id, "ready");

        JsonNode refused = write(session, "x");
        assertThat(refused.at("/error/kind").asText()).isEqualTo("input_not_accepted");
        assertThat(refused.path("text").asText()).startsWith("write_stdin failed: stdin is closed for this session");

        assertThat(write(session, "\u0003", "yield_time_ms", 30_000)
                        .path("text")
                        .asText())
                .matches(HEAD + "Process exited with code 5\n.*caught\n");
    }

    @Test
    void anUnknownSessionIsToldWhatRuns() {
        long session = exec("sleep 4331", "yield_time_ms", 2000)
                .at("/result/session_id")
                .asLong();

        JsonNode unknown = tools.error("task_not_found", "write_stdin", "session_id", 12345, "chars", "");
        assertThat(unknown.path("text").asText())
                .startsWith("write_stdin failed: Unknown process id 12345\nRunning: ")
                .contains(session + " (sleep 4331)");
        tools.error("task_not_found", "write_stdin", "session_id", (1L << 53) - 1);
        tools.error("invalid_tool_input", "write_stdin", "session_id", 1L << 53);
        tools.error("invalid_tool_input", "write_stdin", "chars", "x");
        tools.error("invalid_tool_input", "exec_command", "command", "x");
        tools.success("write_stdin", "session_id", Long.toString(session), "chars", "\u0003");
    }

    @Test
    void muchOutputIsCutInTheMiddle() {
        JsonNode started = printing("\n1000000\n", "seq 1000000; sleep 4332", "max_output_tokens", 100);

        assertThat(started.at("/result/output").asText())
                .startsWith(
                        "Warning: truncated output (original token count: 1722224)\nTotal output lines: 1000000\n\n1\n2\n")
                .containsPattern("…\\d+ tokens truncated…")
                .endsWith("\n999999\n1000000\n")
                .hasSizeLessThan(550);
        assertThat(started.at("/result/original_token_count").asLong()).isEqualTo(1_722_224);
        write(started.at("/result/session_id").asLong(), "\u0003");
    }

    @Test
    void oneThatHasEndedIsCutLikewise() {
        JsonNode ended = exec("seq 300000; echo bad >&2; exit 3", "yield_time_ms", 30_000, "max_output_tokens", 10);

        assertThat(ended.path("text").asText())
                .matches(HEAD + "Process exited with code 3\nOriginal token count: 497225\nOutput:\n"
                        + "Warning: truncated output \\(original token count: 497225\\)\nTotal output lines: 300001\n\n"
                        + "1\n2\n3\n4\n5\n6\n7\n8\n9\n10…497215 tokens truncated…8\n299999\n300000\nbad\n");
        assertThat(ended.at("/result/original_token_count").asLong()).isEqualTo(497_225);
    }

    /** Better twice than lost. */
    @Test
    void whatNobodyHeardIsToldOnceMore() throws Exception {
        long session = exec("i=0; while :; do echo \"line $((i += 1)).\"; sleep 0.1; done # 4333", "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        String id = tools.http().get("/v1/tasks?q=4333").at("/tasks/0/task_id").asText();
        String seen =
                write(session, "", "yield_time_ms", 5000).at("/result/output").asText();
        int last = Integer.parseInt(seen.substring(seen.lastIndexOf(' ') + 1, seen.lastIndexOf('.')));

        try (RawHttp gone = RawHttp.to(SERVER.port())) {
            gone.post(
                    SERVER,
                    "/v1/tools/write_stdin?profile=codex",
                    Json.write(Map.of("session_id", session, "yield_time_ms", 60_000)));
            tools.http().awaitOutput(id, "line " + (last + 10) + ".");
            gone.reset();
        }
        tools.http().awaitOutput(id, "line " + (last + 20) + ".");

        assertThat(write(session, "\u0003").at("/result/output").asText()).startsWith("line " + (last + 1) + ".\n");
    }

    @Test
    void aLineThatIsTooLongForATerminalIsToldWhatThisDesignHas() {
        long session = exec("read a; sleep 4334", "tty", true, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();

        JsonNode refused = write(session, "x".repeat(5000) + "\n");

        assertThat(refused.at("/error/kind").asText()).isEqualTo("input_not_accepted");
        assertThat(refused.path("text").asText()).contains("Send shorter lines").doesNotContain("accepts_input");
        write(session, "\u0003");
    }

    /** There what is optional may be null. */
    @Test
    void aNullIsNothing() {
        var input = Json.object("cmd", "echo on", "yield_time_ms", null, "max_output_tokens", null, "login", null);
        for (String field : List.of("workdir", "shell", "tty", "sandbox_permissions", "justification", "prefix_rule")) {
            input.put(field, null);
        }
        assertThat(exec("echo on", input).at("/result/output").asText()).isEqualTo("on");

        tools.error("invalid_tool_input", "exec_command", "cmd", null);
        assertThat(tools.error(
                                "task_not_found",
                                "write_stdin",
                                "session_id",
                                12_345,
                                "chars",
                                null,
                                "yield_time_ms",
                                null)
                        .path("text")
                        .asText())
                .contains("Unknown process id");
    }

    @Test
    void whatGoesWithItsApprovalsIsTaken() {
        assertThat(exec(
                                "true",
                                "sandbox_permissions",
                                "require_escalated",
                                "justification",
                                "why not",
                                "prefix_rule",
                                List.of("true"))
                        .at("/result/exit_code")
                        .asInt())
                .isZero();
    }

    /** Its numbers are numbers, and what is beyond its bounds is brought within them. */
    @Test
    void numbersAreTakenAsItTakesThem() {
        assertThat(exec("true", "max_output_tokens", 100_000, "yield_time_ms", 1000.0)
                        .at("/result/exit_code")
                        .asInt(-1))
                .isZero();
        tools.error("invalid_tool_input", "exec_command", "cmd", "true", "yield_time_ms", -1);
    }
}
