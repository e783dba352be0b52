package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that agents call, over HTTP. */
class ToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private JsonNode call(String tool, Map<String, ?> input) {
        return http.post("/v1/tools/" + tool, input).hasStatus(200).json();
    }

    private JsonNode success(String tool, Map<String, ?> input) {
        JsonNode answer = call(tool, input);
        assertThat(answer.path("status").asText()).as(answer.toString()).isEqualTo("success");
        assertThat(answer.path("tool_name").asText()).isEqualTo(tool);
        assertThat(answer.path("error").isNull()).isTrue();
        assertThat(answer.path("summary_text").asText()).isNotBlank();
        return answer;
    }

    private JsonNode error(String kind, String tool, Map<String, ?> input) {
        JsonNode answer = call(tool, input);
        assertThat(answer.path("status").asText()).as(answer.toString()).isEqualTo("error");
        assertThat(answer.path("result").isNull()).isTrue();
        assertThat(answer.at("/error/kind").asText()).isEqualTo(kind);
        assertThat(answer.at("/error/recovery_hint").asText()).isNotBlank();
        assertThat(answer.path("text").asText()).startsWith("Command failed\n\n");
        return answer;
    }

    @Test
    void eachToolIsDescribed() {
        JsonNode listed = http.get("/v1/tools").hasStatus(200).json();

        assertThat(listed.path("profile").asText()).isEqualTo("holdfast");
        assertThat(listed.path("tools"))
                .extracting(tool -> tool.path("name").asText())
                .contains(
                        "ExecCommand",
                        "ExecCommandBatch",
                        "TaskList",
                        "TaskStatus",
                        "TaskOutput",
                        "TaskInput",
                        "TaskStop");
        for (JsonNode tool : listed.path("tools")) {
            assertThat(tool.path("description").asText()).isNotBlank();
            assertThat(tool.at("/input_schema/additionalProperties").asBoolean(true))
                    .isFalse();
            assertThat(tool.path("annotations").fieldNames())
                    .toIterable()
                    .containsExactlyInAnyOrder(
                            "destructive_hint", "read_only_hint", "idempotent_hint", "open_world_hint");
        }
        http.get("/v1/tools?profile=none").refused(400, "invalid_tool_input");
        http.get("/v1/tools?profil=codex").refused(400, "invalid_tool_input");
        http.post("/v1/tools/TaskList?profil=codex", Map.of()).refused(400, "invalid_tool_input");
    }

    @Test
    void aShortCommandAnswersWithItsReceipt() {
        JsonNode answer =
                success("ExecCommand", Map.of("cmd", "echo one; exit 3", "login", false, "yield_time_ms", 60_000));

        assertThat(answer.at("/result/disposition").asText()).isEqualTo("completed");
        assertThat(answer.at("/result/exit_status").asInt()).isEqualTo(3);
        assertThat(answer.path("text").asText()).isEqualTo("Process exited with code 3\n\nstdout:\none");
    }

    @Test
    void aTaskIsFollowedToItsEnd() {
        JsonNode started = success(
                "ExecCommand",
                Map.of("cmd", "read line; echo got $line", "login", false, "yield_time_ms", 0, "accepts_input", true));
        String id = started.at("/result/task_handle/task_id").asText();

        JsonNode waiting = success("TaskOutput", Map.of("task_id", id, "block", false));
        assertThat(waiting.at("/result/retrieval_status").asText()).isEqualTo("not_ready");
        assertThat(waiting.path("text").asText())
                .startsWith("Task output is not ready\nTask: " + id + "\nStatus: Running");
        JsonNode timedOut = success("TaskOutput", Map.of("task_id", id, "timeout_ms", 50));
        assertThat(timedOut.at("/result/retrieval_status").asText()).isEqualTo("timeout");
        assertThat(timedOut.path("text").asText()).startsWith("Task output wait timed out\n");

        JsonNode fed = success("TaskInput", Map.of("task_id", id, "input", "water\n", "wait_ms", 20_000));
        assertThat(fed.at("/result/accepted_input").asBoolean()).isTrue();
        assertThat(fed.at("/result/output").asText()).isEqualTo("got water\n");

        JsonNode ended = success("TaskOutput", Map.of("task_id", id));
        assertThat(ended.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(ended.at("/result/task/output_preview").asText()).isEqualTo("got water");
        assertThat(ended.at("/result/task/output_truncated").asBoolean(true)).isFalse();
        assertThat(ended.path("text").asText())
                .isEqualTo("Task output retrieved\nTask: " + id
                        + "\nStatus: Completed\nExit status: 0\nOutput:\ngot water");
        String next = ended.at("/result/task/next_cursor").asText();
        JsonNode rest = success("TaskOutput", Map.of("task_id", id, "cursor", next));
        assertThat(rest.at("/result/task/output_preview").isNull()).isTrue();
    }

    @Test
    void newOutputIsWaitedFor() {
        String id = http.start("read line; echo new; read line", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        String from = success("TaskOutput", Map.of("task_id", id, "block", false))
                .at("/result/task/next_cursor")
                .asText();
        http.input(id, "text", "go\n").hasStatus(200);

        JsonNode answer = success("TaskOutput", Map.of("task_id", id, "until", "new_output", "cursor", from));

        assertThat(answer.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(answer.at("/result/task/output_preview").asText()).isEqualTo("new\n");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    @Test
    void newOutputIsToldFromTheStartToWhoHasNoCursor() {
        String id = http.start("echo before; read line", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        JsonNode first = success("TaskOutput", Map.of("task_id", id, "until", "new_output"));

        assertThat(first.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(first.at("/result/task/output_preview").asText()).isEqualTo("before\n");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** Programs write a line in several parts, and lines in bursts: each would cost its reader a call. */
    @Test
    void whatComesRightBehindNewsIsWaitedFor() {
        String id = http.start("echo before; read line", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        long asked = System.nanoTime();

        success("TaskOutput", Map.of("task_id", id, "until", "new_output"));

        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    @Test
    void whatShowsNothingIsNoNewOutput() {
        String id = http.start("printf '\\033[?25l'; sleep 1; echo new; sleep 172");

        JsonNode answer = success("TaskOutput", Map.of("task_id", id, "until", "new_output"));

        assertThat(answer.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(answer.at("/result/task/output_preview").asText()).isEqualTo("new\n");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    @Test
    void ofAProgressBarLongerThanAnAnswerItsLastStateIsNewOutput() {
        String id = http.start(
                "for i in $(seq 3000); do printf '\\rprogress %05d of 3000' $i; done; read line",
                "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        JsonNode answer = success("TaskOutput", Map.of("task_id", id, "until", "new_output"));

        assertThat(answer.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(answer.at("/result/task/output_preview").asText()).isEqualTo("progress 03000 of 3000");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** What was seen of it before it had its input says that it waits. */
    @Test
    void whoWorksOnItsInputIsNotSaidToWaitForIt() {
        String id = http.start("read line; echo got; sleep 173", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        JsonNode fed = success("TaskInput", Map.of("task_id", id, "input", "go\n", "wait_ms", 200));

        assertThat(fed.path("text").asText()).contains("\nStatus: Running\n");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** Whoever answers it next has nothing to wait for, and all that was printed before. */
    @Test
    void aProgramThatReadsAgainIsNotWaitedFor() {
        for (String how : List.of("tty", "accepts_input")) {
            String id = http.start(
                    "while read line; do sleep 0.6; echo got $line; printf 'next? '; done", "login", false, how, true);
            http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

            long began = System.nanoTime();
            JsonNode fed = success("TaskInput", Map.of("task_id", id, "input", "go\n", "wait_ms", 30_000));

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
            assertThat(fed.at("/result/output").asText()).endsWith("got go\nnext? ");
            success("TaskStop", Map.of("task_id", id, "force", true));
        }
    }

    /** A shell that reads again with a job behind it: what that prints is waited for. */
    @Test
    void aProgramThatReadsAgainIsWaitedForWhileAnotherGoesOn() {
        String id = http.start("bash --norc", "login", false, "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        JsonNode fed =
                success("TaskInput", Map.of("task_id", id, "input", "(sleep 1; echo la''te) &\n", "wait_ms", 30_000));

        assertThat(fed.at("/result/output").asText()).contains("late");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** What draws it again is of no use to a model, and longer. */
    @Test
    void ofAProgramThatDrawsItsScreenIsTold() {
        String id = http.start(
                "printf '\\033[?1049h\\033[Hone'; read a; printf '\\033[2J\\033[Htwo\\033[3;1Hthree'; read a; "
                        + "printf '\\033[?1049l'; read a",
                "login",
                false,
                "tty",
                true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        String drawn = success("TaskInput", Map.of("task_id", id, "input", "\n", "wait_ms", 20_000))
                .path("text")
                .asText();
        assertThat(drawn).endsWith("\nOutput:\ntwo\n\nthree");
        String left = success("TaskInput", Map.of("task_id", id, "input", "\n", "wait_ms", 20_000))
                .path("text")
                .asText();
        assertThat(left).doesNotContain("two");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** A search waits as a reading does. */
    @Test
    void newOutputIsWaitedForBeforeItIsSearched() {
        String id = http.start("read line; echo new; read line", "accepts_input", true);

        JsonNode silent =
                success("TaskOutput", Map.of("task_id", id, "until", "new_output", "pattern", "new", "timeout_ms", 50));
        assertThat(silent.at("/result/retrieval_status").asText()).isEqualTo("timeout");
        http.input(id, "text", "go\n").hasStatus(200);
        JsonNode news =
                success("TaskOutput", Map.of("task_id", id, "until", "new_output", "cursor", "0.0", "pattern", "new"));
        assertThat(news.at("/result/retrieval_status").asText()).isEqualTo("success");
        assertThat(news.at("/result/task/search/matches")).hasSize(1);
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    @Test
    void aSearchShowsNoLineTwice() {
        String id = http.start("printf '%s\\n' a b c FAIL FAIL d FAIL e f g h FAIL i j k l m FAIL; echo FAIL >&2");
        http.awaitEnd(id);
        JsonNode answer = success("TaskOutput", Map.of("task_id", id, "pattern", "FAIL"));
        assertThat(answer.path("text").asText()).endsWith("""
                Output:
                b
                c
                4:FAIL
                5:FAIL
                d
                7:FAIL
                e
                f
                g
                h
                12:FAIL
                i
                j
                --
                l
                m
                18:FAIL
                --
                1:FAIL""");
    }

    /** What a watcher printed since the last look, and more matches than one answer holds. */
    @Test
    void aSearchGoesOnFromItsCursor() {
        String id = http.start("seq 30; seq 101 130 >&2; read line; echo 31", "accepts_input", true);
        http.awaitOutput(id, "130");
        List<String> told = new ArrayList<>();
        List<String> matches = new ArrayList<>();
        String cursor = "0.0";
        JsonNode answer;
        do {
            answer = success(
                    "TaskOutput",
                    Map.of(
                            "task_id",
                            id,
                            "block",
                            false,
                            "pattern",
                            "^[0-9]",
                            "cursor",
                            cursor,
                            "max_output_tokens",
                            20));
            Pattern.compile("(?m)^\\d+:(\\d+)$")
                    .matcher(answer.path("text").asText())
                    .results()
                    .forEach(line -> told.add(line.group(1)));
            JsonNode search = answer.at("/result/task/search");
            search.path("matches")
                    .forEach(match -> matches.add(match.path("text").asText()));
            assertThat(matches).isEqualTo(told);
            assertThat(search.path("more").asBoolean())
                    .isEqualTo(answer.at("/result/task/output_truncated").asBoolean());
            cursor = answer.at("/result/task/next_cursor").asText();
            assertThat(told).hasSizeLessThan(61);
        } while (answer.at("/result/task/output_truncated").asBoolean());
        assertThat(told)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.concat(IntStream.rangeClosed(1, 30), IntStream.rangeClosed(101, 130))
                                .mapToObj(Integer::toString)
                                .toList());

        http.input(id, "text", "go\n").hasStatus(200);
        answer = success("TaskOutput", Map.of("task_id", id, "pattern", "^[0-9]", "cursor", cursor));
        assertThat(answer.path("text").asText()).endsWith("Output:\n29\n30\n31:31");
    }

    /** Both doors. */
    @Test
    void keysAreForATerminal() {
        String id = http.start("read line", "accepts_input", true);

        error("not_a_terminal", "TaskInput", Map.of("task_id", id, "keys", List.of("enter")));
        http.input(id, "keys", List.of("enter")).refused(409, "not_a_terminal");

        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** A model pays for each frame of a progress bar that it is told. */
    @Test
    void whatALineShowedBeforeIsNotTold() {
        String id = http.start(
                "read line; for i in 1 50 100; do printf '\\r%s%%' $i; sleep 0.2; done; echo", "accepts_input", true);

        JsonNode fed = success("TaskInput", Map.of("task_id", id, "input", "\n", "wait_ms", 20_000));

        assertThat(fed.at("/result/output").asText()).isEqualTo("100%\n");
    }

    @Test
    void aTaskThatTakesNoInputIsNoError() {
        String id = http.start("sleep 71");

        JsonNode answer = success("TaskInput", Map.of("task_id", id, "input", "x", "wait_ms", 0));

        assertThat(answer.at("/result/accepted_input").asBoolean(true)).isFalse();
        String refused = answer.path("text").asText();
        assertThat(refused).contains("takes no input", "accepts_input or tty");
        for (Map<String, Object> other : List.<Map<String, Object>>of(
                Map.of("task_id", id, "keys", List.of("enter"), "wait_ms", 0),
                Map.of("task_id", id, "eof", true, "wait_ms", 0))) {
            assertThat(success("TaskInput", other).path("text").asText()).isEqualTo(refused);
        }
        JsonNode stopped = success("TaskStop", Map.of("task_id", id, "force", true));
        assertThat(stopped.at("/result/stop_requested").asBoolean()).isTrue();
        assertThat(stopped.path("text").asText()).isEqualTo("Task stopped\nStatus: Cancelled (stopped)");
        assertThat(success("TaskStop", Map.of("task_id", id))
                        .at("/result/stop_requested")
                        .asBoolean(true))
                .isFalse();
    }

    /** As REST says it. */
    @Test
    void aTaskWhoseEndOfInputWasSentTakesNoMore() {
        String id = http.start("cat; sleep 75", "accepts_input", true);
        success("TaskInput", Map.of("task_id", id, "eof", true, "wait_ms", 0));

        JsonNode late = success("TaskInput", Map.of("task_id", id, "input", "x", "wait_ms", 0));

        assertThat(late.at("/result/accepted_input").asBoolean(true)).isFalse();
        assertThat(late.path("text").asText())
                .startsWith("Input was not accepted: "
                        + http.input(id, "text", "x")
                                .refused(409, "input_not_accepted")
                                .text("/detail"))
                .contains("its end was sent before");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    /** JSON Schema has 5000.0 for an integer. */
    @Test
    void aWholeNumberMayBeWrittenWithAFraction() {
        McpClient mcp = McpClient.of(SERVER);
        for (Object written : List.of(5000.0, new java.math.BigDecimal("1e3"))) {
            success("ExecCommand", Map.of("cmd", "true", "yield_time_ms", written));
            assertThat(mcp.call("ExecCommand", Map.of("cmd", "true", "yield_time_ms", written))
                            .path("isError")
                            .asBoolean(true))
                    .isFalse();
        }
        error("invalid_tool_input", "ExecCommand", Map.of("cmd", "true", "yield_time_ms", 5.5));
    }

    /** Of the one stream whole lines, while it goes on; then those of the other. */
    @Test
    void aStreamEndsWithALineWhileItGoesOn() {
        String id = http.start("seq 1000 1999; echo err0 >&2");
        http.awaitEnd(id);

        JsonNode read =
                success("TaskOutput", Map.of("task_id", id, "cursor", "0.0", "block", false, "max_output_tokens", 13));

        assertThat(read.at("/result/task/output_preview").asText()).endsWith("1008\nerr0\n");
        assertThat(read.at("/result/task/next_cursor").asText()).isEqualTo("45.5");
    }

    /** Half a line that is longer than its page and a line of the other stream are two lines, to a reader. */
    @Test
    void aStreamBeginsOnALineOfItsOwn() {
        String id = http.start("seq -s . 1000 1999; echo err0 >&2");
        http.awaitEnd(id);

        JsonNode read =
                success("TaskOutput", Map.of("task_id", id, "cursor", "0.0", "block", false, "max_output_tokens", 13));

        assertThat(read.at("/result/task/output_preview").asText()).endsWith("1008.10\nerr0\n");
        assertThat(read.at("/result/task/next_cursor").asText()).isEqualTo("47.5");
        Answer page = http.get("/v1/tasks/" + id + "/output?max_bytes=52").hasStatus(200);
        assertThat(page.text("/text")).endsWith("1008.10\nerr0\n");
        assertThat(page.text("/next_cursor")).isEqualTo("47.5");
        assertThat(http.get("/v1/tasks/" + id + "/output?max_bytes=52&view=raw").text("/text"))
                .endsWith("1008.10err0\n");
    }

    @Test
    void whatHoldsNothingIsToldToNameSomething() {
        assertThat(error("invalid_tool_input", "Wait", Map.of("any", List.of()))
                        .at("/error/recovery_hint")
                        .asText())
                .isEqualTo("Name at least one.");
        assertThat(error("invalid_tool_input", "ExecCommandBatch", Map.of("items", List.of()))
                        .at("/error/recovery_hint")
                        .asText())
                .isEqualTo("Name at least one.");
    }

    /** A remedy names what the tool has. */
    @Test
    void remediesOfOtherDesignsNameWhatTheyHave() {
        ToolCalls classic = new ToolCalls(http, "classic");
        ToolCalls codex = new ToolCalls(http, "codex");
        ToolCalls claude = new ToolCalls(http, "claude");
        ToolCalls gemini = new ToolCalls(http, "gemini");
        for (JsonNode nowhere : List.of(
                classic.error("workdir_not_found", "shell.exec", "executable", "true", "cwd", "/nonsuch"),
                gemini.error("workdir_not_found", "run_shell_command", "command", "true", "dir_path", "/nonsuch"))) {
            assertThat(nowhere.at("/error/recovery_hint").asText())
                    .startsWith("Name a directory that exists")
                    .doesNotContain("`workdir`");
        }
        assertThat(classic.error("execution_failed", "shell.exec", "executable", "no-such-program")
                        .at("/error/recovery_hint")
                        .asText())
                .endsWith("for shell text call bash.");
        assertThat(codex.error("invalid_tool_input", "exec_command", "cmd", "true", "yield_time_ms", -1)
                        .at("/error/message")
                        .asText())
                .isEqualTo("`yield_time_ms` must be at least 0");
        String id = http.start("sleep 76");
        String gone = http.start("true");
        http.awaitEnd(gone);
        http.delete("/v1/tasks/" + gone);
        assertThat(claude.error("task_not_found", "TaskOutput", "task_id", gone)
                        .at("/error/details/forgotten_at")
                        .asText())
                .isNotEmpty();
        for (JsonNode unknown : List.of(
                claude.error("task_not_found", "TaskOutput", "task_id", "7ZZZZZZZ"),
                codex.error("task_not_found", "write_stdin", "session_id", 7),
                gemini.error("task_not_found", "read_background_output", "pid", 1))) {
            assertThat(unknown.at("/error/details/running"))
                    .extracting(task -> task.path("task_id").asText())
                    .contains(id);
        }
    }

    @Test
    void anIdMayBeWrittenAsModelsDo() {
        String id = http.start("sleep 72");
        String bare = id.substring("task_".length());
        String unique = bare.substring(0, 20);

        for (String written : List.of(id, bare, bare.toLowerCase(Locale.ROOT), id.toLowerCase(Locale.ROOT), unique)) {
            assertThat(success("TaskStatus", Map.of("task_id", written))
                            .at("/result/task_id")
                            .asText())
                    .as(written)
                    .isEqualTo(id);
        }
        error("invalid_tool_input", "TaskStatus", Map.of());
        error("task_not_found", "TaskStatus", Map.of("task_id", "7ZZZZZZZ"));
        error("task_not_found", "TaskStatus", Map.of("task_id", "../etc"));
        http.start("sleep 73");
        error("invalid_tool_input", "TaskStatus", Map.of("task_id", bare.substring(0, 4)));
        http.get("/v1/tasks/" + bare).refused(404, "task_not_found");
    }

    @Test
    void tasksAreFoundByLabelAndText() {
        String id = http.start("sleep 74 # found by text", "labels", Map.of("team", "tools"));

        JsonNode byLabel = success("TaskList", Map.of("label", List.of("team=tools")));
        assertThat(byLabel.at("/result/tasks/0/task_id").asText()).isEqualTo(id);
        assertThat(byLabel.path("text").asText()).startsWith(id + "  Running  ").endsWith("sleep 74 # found by text");
        assertThat(success("TaskList", Map.of("label", "team=tools", "q", "by text", "limit", "5"))
                        .at("/result/tasks"))
                .hasSize(1);
        error("invalid_tool_input", "TaskList", Map.of("status", "gone"));
        success("TaskStop", Map.of("task_id", id, "force", "true"));
    }

    @Test
    void quotedNumbersAndTruthValuesAreTaken() {
        JsonNode answer =
                success("ExecCommand", Map.of("cmd", "{\"a\": 1}", "login", "false", "yield_time_ms", "5000"));
        assertThat(answer.at("/result/command_diagnostics/cmd_preview").asText())
                .isEqualTo("{\"a\": 1}");

        for (String wrong : List.of("yes", "1.5", "", "5s", "99999999999999999999")) {
            error("invalid_tool_input", "ExecCommand", Map.of("cmd", "true", "yield_time_ms", wrong));
            error("invalid_tool_input", "ExecCommand", Map.of("cmd", "true", "login", wrong));
        }
        http.send("POST", "/v1/commands", "{\"cmd\": \"true\", \"yield_time_ms\": \"5\"}")
                .refused(400, "invalid_tool_input");
    }

    @Test
    void whatIsNotTheSchemaIsAnErrorOfTheTool() {
        JsonNode answer = error("invalid_tool_input", "ExecCommand", Map.of("command", "echo"));
        assertThat(answer.at("/error/recovery_hint").asText()).contains("Did you mean `cmd`?");
        JsonNode wait = error("invalid_tool_input", "Wait", Map.of("task_id", "x"));
        assertThat(wait.at("/error/recovery_hint").asText()).contains("Did you mean `any`?");
        error("invalid_tool_input", "ExecCommand", Map.of("cmd", 5));
        error("invalid_tool_input", "ExecCommandBatch", Map.of("items", List.of()));
        JsonNode deep = http.send("POST", "/v1/tools/ExecCommand", "{\"env\":" + "[".repeat(99) + "]".repeat(99) + "}")
                .hasStatus(200)
                .json();
        assertThat(deep.at("/error/kind").asText()).isEqualTo("invalid_tool_input");
    }

    /** Seed row 1: another design's names for what we have are told by name. */
    @ParameterizedTest
    @ValueSource(strings = {"command", "status", "continue_on_result"})
    void row1ExecCommandRefusesAFieldThatIsNoneByItsName(String field) {
        JsonNode answer = error("invalid_tool_input", "ExecCommand", Map.of("cmd", "true", field, "x"));
        assertThat(answer.at("/error/details/parse_error").asText()).contains("`" + field + "`");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "\"x\"", "{", "{} {}", "null", "{\"cmd\": \"\\ud800\""})
    void aBodyThatIsNoObjectIsRefused(String body) {
        http.send("POST", "/v1/tools/ExecCommand", body).refused(400, "invalid_tool_input");
    }

    @Test
    void anUnknownToolIsNotFound() {
        http.post("/v1/tools/ExecComand", Map.of("cmd", "true")).refused(404, "tool_not_found");
        http.post("/v1/tools/ExecCommand?profile=none", Map.of("cmd", "true")).refused(400, "invalid_tool_input");
    }

    @Test
    void aBatchAnswersForEach() {
        JsonNode answer = success(
                "ExecCommandBatch",
                Map.of("items", List.of(Map.of("cmd", "echo a"), Map.of("cmd", "exit 2")), "login", false));
        assertThat(answer.at("/result/completed_count").asInt()).isEqualTo(1);
        assertThat(answer.path("text").asText()).contains("[1/2] completed: echo a", "[2/2] failed: exit 2");
    }

    @Test
    void aScreenIsShownAsAPersonSeesIt() {
        String id = http.start("printf 'one\\rtwo\\n'; sleep 75", "tty", true, "rows", 5, "cols", 20);
        http.awaitOutput(id, "two");

        JsonNode answer = success("TaskScreen", Map.of("task_id", id));

        assertThat(answer.path("text").asText()).isEqualTo("two");
        assertThat(answer.at("/result/lines")).hasSize(5);
        success("TaskStop", Map.of("task_id", id, "force", true));
        String plain = http.start("sleep 76");
        error("not_a_terminal", "TaskScreen", Map.of("task_id", plain));
        success("TaskStop", Map.of("task_id", plain, "force", true));
    }

    @Test
    void aWaitTellsWhatCameTrue() {
        String id = http.start("read line; echo ready now; read line", "accepts_input", true);
        var conditions = List.of(
                Map.of("task_id", id, "until", "end"),
                Map.of("task_id", id, "until", "output_matches", "pattern", "ready"));
        JsonNode none = success("Wait", Map.of("any", conditions, "timeout_ms", "50"));
        assertThat(none.at("/result/timed_out").asBoolean()).isTrue();
        assertThat(none.path("text").asText()).startsWith("Nothing came true in time; wait again.\nStatus: Running");

        http.input(id, "text", "go\n").hasStatus(200);
        JsonNode came = success("Wait", Map.of("any", conditions));

        assertThat(came.at("/result/satisfied").toString()).isEqualTo("[1]");
        assertThat(came.path("text").asText())
                .startsWith("Came true: [1].\n[1] ready now\nNext cursor: 10.0\nStatus: Running");
        success("TaskStop", Map.of("task_id", id, "force", true));
        error("task_not_found", "Wait", Map.of("any", List.of(Map.of("task_id", "7ZZZZ", "until", "end"))));
        error("invalid_tool_input", "Wait", Map.of("any", List.of()));
    }

    @Test
    void theFirstErrorIsFoundWithItsSurroundings() {
        String id = http.start("seq 30; echo 'x.c:3: error: none'; seq 30; exit 1");

        JsonNode answer = success("TaskOutput", Map.of("task_id", id, "pattern", "error:"));

        assertThat(answer.at("/result/task/output_preview").asText()).isEqualTo("29\n30\n31:x.c:3: error: none\n1\n2");
        assertThat(answer.at("/result/task/search/matches")).hasSize(1);
        JsonNode none = success("TaskOutput", Map.of("task_id", id, "pattern", "^nothing"));
        assertThat(none.path("text").asText()).endsWith("Output:\n(no line matches)");
        error("invalid_tool_input", "TaskOutput", Map.of("task_id", id, "pattern", "("));
    }

    @Test
    void whatCannotBeReadIsRefusedBeforeTheEndIsWaitedFor() {
        String id = http.start("exec sleep 20");

        error("invalid_tool_input", "TaskOutput", Map.of("task_id", id, "cursor", "x"));
        error("cursor_expired", "TaskOutput", Map.of("task_id", id, "cursor", "9.0"));
        error("invalid_tool_input", "TaskOutput", Map.of("task_id", id, "pattern", "("));

        assertThat(http.get("/v1/tasks/" + id).text("/status")).isEqualTo("running");
        success("TaskStop", Map.of("task_id", id, "force", true));
    }

    @Test
    void theLogTellsOfEachCallWithoutItsSecrets() {
        http.post("/v1/tools/ExecCommand", Map.of("cmd", "PASSWORD=hunter2 true", "login", false))
                .hasStatus(200);
        assertThat(SERVER.log()).contains("tool=ExecCommand profile=holdfast task=- outcome=success duration_ms=");
        assertThat(SERVER.log()).doesNotContain("hunter2");
    }
}
