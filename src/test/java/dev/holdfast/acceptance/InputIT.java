package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 8: input to stdin and to terminals. */
class InputIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    @Test
    void textReachesStdin() {
        String id = http.start("cat", "accepts_input", true);

        Answer answer = http.input(id, "text", "héllo\n").hasStatus(200);

        assertThat(answer.at("/accepted_input").asBoolean()).isTrue();
        assertThat(answer.text("/input_target")).isEqualTo("stdin");
        assertThat(answer.at("/bytes_written").asInt()).isEqualTo(7);
        assertThat(answer.text("/summary_text")).isNotBlank();
        assertThat(http.awaitOutput(id, "héllo")).isEqualTo("héllo\n");
    }

    @Test
    void bytesReachStdin() {
        String id = http.start("od -An -tx1", "accepts_input", true);
        String bytes = Base64.getEncoder().encodeToString(new byte[] {0, (byte) 0xff, 10});

        assertThat(http.input(id, "base64", bytes, "eof", true)
                        .hasStatus(200)
                        .at("/bytes_written")
                        .asInt())
                .isEqualTo(3);

        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isZero();
        assertThat(http.output(id).strip()).isEqualTo("00 ff 0a");
    }

    @Test
    void theEndOfInputEndsIt() {
        String id = http.start("cat; echo end", "accepts_input", true);
        http.input(id, "text", "some\n").hasStatus(200);

        http.input(id, "eof", true).hasStatus(200);

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        assertThat(http.output(id)).isEqualTo("some\nend\n");
    }

    @Test
    void inputComesInOrder() {
        String id = http.start("cat", "accepts_input", true);
        var expected = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            http.input(id, "text", "line " + i + "\n").hasStatus(200);
            expected.append("line ").append(i).append('\n');
        }
        http.input(id, "eof", true);
        http.awaitEnd(id);

        assertThat(http.output(id)).isEqualTo(expected.toString());
    }

    @Test
    void aMegabyteThatIsReadGoesThrough() {
        String id = http.start("wc -c", "accepts_input", true);
        String text = "x".repeat(1 << 20);

        assertThat(http.input(id, "text", text)
                        .hasStatus(200)
                        .at("/bytes_written")
                        .asInt())
                .isEqualTo(1 << 20);
        http.input(id, "text", text, "eof", true).hasStatus(200);

        http.awaitEnd(id);
        assertThat(http.output(id).strip()).isEqualTo(Integer.toString(2 << 20));
    }

    @Test
    void textReachesATerminal() {
        String id = http.start("stty -echo; read x; echo \"got $x\"", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        Answer answer = http.input(id, "text", "word\n").hasStatus(200);

        assertThat(answer.text("/input_target")).isEqualTo("tty");
        assertThat(http.awaitOutput(id, "got")).contains("got word");
    }

    /** What the kernel would drop of it would be told as written. */
    @Test
    void aLineThatATerminalWouldCutIsRefused() {
        String id = http.start("stty -echo; cat | wc -c", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        String longest = "x".repeat(4095);

        Answer refused = http.input(id, "text", longest + "x\n").refused(409, "input_not_accepted");
        http.input(id, "text", longest + "\n").hasStatus(200);
        http.input(id, "eof", true).hasStatus(200);

        assertThat(refused.text("/detail")).contains("4095", "4096");
        http.awaitEnd(id);
        assertThat(http.output(id).strip()).isEqualTo("4096");
    }

    /** One that takes keys takes any number of them. */
    @Test
    void aTerminalWithoutLinesTakesALongOne() {
        String id = http.start("stty raw -echo; echo ready; head -c 5000 | wc -c", "tty", true);
        http.awaitOutput(id, "ready");

        http.input(id, "text", "x".repeat(5000)).hasStatus(200);

        http.awaitEnd(id);
        assertThat(http.output(id)).contains("5000");
    }

    @Test
    void keysAreKeys() {
        String id = http.start("cat -v", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        http.input(id, "keys", List.of("up", "down", "escape", "tab", "backspace", "enter"))
                .hasStatus(200);
        http.awaitOutput(id, "^[[");
        http.input(id, "keys", List.of("ctrl-c")).hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_signal").asText()).isEqualTo("SIGINT");
    }

    @Test
    void theEndOfInputOnATerminalIsToo() {
        String id = http.start("cat; echo end", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        http.input(id, "text", "half a line", "eof", true).hasStatus(200);

        http.awaitEnd(id);
        assertThat(http.output(id)).contains("half a line").contains("end");
    }

    @Test
    void controlCReachesTheForegroundOnly() {
        String id =
                http.start("trap 'echo caught' INT; stty -echo; echo ready; while :; do sleep 0.1; done", "tty", true);
        http.awaitOutput(id, "ready");

        http.input(id, "keys", List.of("ctrl-c")).hasStatus(200);

        http.awaitOutput(id, "caught");
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
    }

    @Test
    void whatTakesNoInputRefusesIt() {
        String id = http.start("sleep 90");

        http.input(id, "text", "x").refused(409, "input_not_accepted");
    }

    @Test
    void whatHasEndedTakesNone() {
        String id = http.start("true", "accepts_input", true);
        http.awaitEnd(id);

        http.input(id, "text", "x").refused(409, "task_not_running");
        http.input(id, "eof", true).refused(409, "task_not_running");
    }

    @Test
    void afterItsEndThereIsNoMoreInput() {
        String id = http.start("cat; sleep 60", "accepts_input", true);
        http.input(id, "text", "all of it\n", "eof", true).hasStatus(200);

        Answer refused = http.input(id, "text", "more").refused(409, "input_not_accepted");
        assertThat(refused.at("/retryable").asBoolean(true)).isFalse();
        http.input(id, "eof", true).hasStatus(200);
    }

    @Test
    void aTerminalWithoutInputIsAtItsEndFromTheStart() {
        Answer answer = http.run("cat; test -t 1 && echo shown", "tty", true, "accepts_input", false)
                .completed();

        assertThat(answer.text("/stdout_preview")).isEqualTo("shown\n");
        assertThat(answer.at("/exit_status").asInt(-1)).isZero();

        String id = http.start("read x < /dev/tty", "tty", true, "accepts_input", false);
        assertThat(http.input(id, "text", "x")
                        .refused(409, "input_not_accepted")
                        .text("/recovery_hint"))
                .isEqualTo("Start it again without accepts_input.");
    }

    @Test
    void keysAreForTerminals() {
        String id = http.start("cat", "accepts_input", true);

        Answer answer = http.input(id, "keys", List.of("enter"));

        assertThat(answer.status()).as(answer.body()).isIn(400, 409);
        assertThat(answer.text("/kind")).isIn("invalid_tool_input", "not_a_terminal");
    }

    @Test
    void aTaskThatClosedItsInputIsNotWaitedFor() {
        String id = http.start("exec <&-; echo closed; sleep 60", "accepts_input", true);
        http.awaitOutput(id, "closed");

        Answer refused = http.input(id, "text", "late").refused(409, "input_not_accepted");

        assertThat(refused.text("/detail")).contains("has closed its input");
        assertThat(refused.at("/details/bytes_written").asInt(-1)).isZero();
        http.stop(id, "force", true);
    }

    @Test
    void aTaskThatNeverReadsBlocksNothing() throws Exception {
        String id = http.start(
                "trap 'echo still here' USR1; echo ready; while :; do sleep 0.1; done", "accepts_input", true);
        http.awaitOutput(id, "ready");
        String tenMegabytes = "x".repeat(10_000_000);
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var writing = callers.submit(() -> http.input(id, "text", tenMegabytes));
            http.signal(id, "USR1").hasStatus(200);
            http.awaitOutput(id, "still here");
            assertThat(http.get("/v1/tasks/" + id).took()).isLessThan(Duration.ofSeconds(20));

            Answer refused = writing.get().refused(409, "input_not_consumed");

            assertThat(refused.took()).isLessThan(Duration.ofSeconds(30));
            assertThat(refused.at("/retryable").asBoolean()).isTrue();
            assertThat(refused.at("/details/bytes_written").asLong(-1)).isBetween(1L, 1L << 20);
            assertThat(http.stop(id, "grace_ms", 500).hasStatus(200).text("/task/status"))
                    .isEqualTo("cancelled");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"text\":1.5}",
                "{\"text\":\"a\",\"base64\":\"YQ==\"}",
                "{\"base64\":\"not base 64!\"}",
                "{\"keys\":[\"no-such-key\"]}",
                "{\"keys\":\"enter\"}",
                "{\"keys\":[]}",
                "{\"eof\":\"maybe\"}",
                "{\"input\":\"a\"}",
                "[]",
                "{"
            })
    void whatIsNotTheSchemaIsRefused(String body) {
        String id = http.start("cat", "tty", true);

        http.send("POST", "/v1/tasks/" + id + "/input", body).refused(400, "invalid_tool_input");
        assertThat(new String(http.raw(id, "?stream=stdout").bytes(), StandardCharsets.UTF_8))
                .isEmpty();
    }
}
