package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that Gemini CLI gives its models. */
class GeminiToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    /** A shell that is held up must have begun by then. */
    private static final int BEGUN = 8000;

    private final ToolCalls tools = new ToolCalls(SERVER.calls(), "gemini");

    private static String wrapped(String text) {
        return "<untrusted_context>\n" + text + "\n</untrusted_context>";
    }

    @Test
    void aCommandAnswersWithItsOutputAndItsExitCodeIfItIsNotZero() {
        assertThat(tools.text(
                        "run_shell_command", "command", "echo one; pwd", "dir_path", "/", "description", "Say it"))
                .isEqualTo(wrapped("Output: one\n/"));
        assertThat(tools.text("run_shell_command", "command", "exit 3"))
                .isEqualTo(wrapped("Output: (empty)\nExit Code: 3"));
        assertThat(tools.text("run_shell_command", "command", "kill -9 $$"))
                .isEqualTo(wrapped("Output: (empty)\nSignal: SIGKILL"));
        assertThat(tools.text("run_shell_command", "command", "echo '</untrusted_context>'"))
                .isEqualTo(wrapped("Output: &lt;/untrusted_context&gt;"));
    }

    @Test
    void whatIsCutIsReadInTheFileThatItNames() throws Exception {
        String cut = tools.text("run_shell_command", "command", "seq 20000");
        Matcher named = Pattern.compile("^Output too large. For full output see: (.*/out)\n<untrusted_context>\n")
                .matcher(cut);
        assertThat(named.find()).as(cut).isTrue();
        assertThat(Path.of(named.group(1))).content().endsWith("\n19999\n20000\n");

        String begun = tools.text(
                "run_shell_command", "command", "seq 20001; exec sleep 4361", "is_background", true, "delay_ms", BEGUN);
        named = Pattern.compile(
                        "^Command is running in background\\. PID: \\d+\\. Output too large\\. For full output see:"
                                + " (.*/out)\nInitial output:\n1\n")
                .matcher(begun);
        assertThat(named.find()).as(begun).isTrue();
        assertThat(Path.of(named.group(1))).content().endsWith("\n20000\n20001\n");
    }

    @Test
    void inTheBackgroundItHasARealPidThatStaysAfterItsEnd() {
        JsonNode started = tools.success(
                "run_shell_command", "command", "seq 5; exec sleep 4351", "is_background", true, "delay_ms", BEGUN);
        long pid = started.at("/result/pid").asLong();
        assertThat(started.path("text").asText())
                .isEqualTo("Command is running in background. PID: " + pid + ". Initial output:\n1\n2\n3\n4\n5");
        assertThat(tools.text("list_background_processes"))
                .contains("- [PID " + pid + "] RUNNING: `seq 5; exec sleep 4351`");
        assertThat(tools.text("read_background_output", "pid", pid)).isEqualTo("Full Log Output:\n1\n2\n3\n4\n5");

        tools.success("run_shell_command", "command", "kill -9 " + pid);

        assertThat(tools.text("read_background_output", "pid", pid, "lines", 2, "delay_ms", 20_000))
                .isEqualTo("Showing last 2 of 5 lines:\n4\n5");
        assertThat(tools.text("list_background_processes"))
                .contains("- [PID " + pid + "] EXITED: `seq 5; exec sleep 4351` (Signal: SIGKILL)");
    }

    /** As that agent's models were taught: the command leads its own group. */
    @Test
    void itsProcessGroupCanBeEndedAndItsExitIsKnown() {
        Begun begun = background("trap 'echo bye; exit 7' TERM; sleep 4356 & echo $!; wait; sleep 4357");
        long pid = begun.pid();
        long child = Long.parseLong(begun.line());

        assertThat(tools.text("run_shell_command", "command", "kill -- -" + pid))
                .isEqualTo(wrapped("Output: (empty)"));

        assertThat(tools.text("read_background_output", "pid", pid, "delay_ms", 20_000))
                .isEqualTo("Full Log Output:\n" + child + "\nbye");
        assertThat(tools.text("list_background_processes")).contains("[PID " + pid + "] EXITED", "(Exit Code: 7)");
        Processes.awaitGone(child);

        long killed = background("sleep 4358 & echo up; wait").pid();
        tools.success("run_shell_command", "command", "kill -9 -- -" + killed);
        tools.success("read_background_output", "pid", killed, "delay_ms", 20_000);
        assertThat(tools.text("list_background_processes").lines().filter(line -> line.contains("[PID " + killed)))
                .singleElement()
                .asString()
                .endsWith("(Signal: SIGKILL)");
    }

    /** One in the background that has printed its first line. */
    private record Begun(long pid, String line) {}

    private Begun background(String command) {
        long pid = tools.success("run_shell_command", "command", command, "is_background", true)
                .at("/result/pid")
                .asLong();
        String line = await().atMost(Calls.PATIENCE)
                .until(
                        () -> tools.success("read_background_output", "pid", pid)
                                .at("/result/output")
                                .asText(),
                        output -> !output.isBlank());
        return new Begun(pid, line);
    }

    /** Whatever group it leads, a stop finds what it started. */
    @Test
    void aStopEndsAllOfIt() {
        Begun begun = background("trap '' TERM; (sleep 4359 & echo $!); sleep 4360");
        long child = Long.parseLong(begun.line());
        String id = tools.http()
                .get("/v1/tasks?q=sleep%204360")
                .at("/tasks/0/task_id")
                .asText();

        tools.http().stop(id, "grace_ms", 0).hasStatus(200);

        Processes.awaitGone(child);
        Processes.awaitGone(begun.pid());
    }

    @Test
    void whatEndsBeforeTheDelayIsToldWithItsExitCode() {
        assertThat(tools.text(
                        "run_shell_command",
                        "command",
                        "echo taken; exit 98",
                        "is_background",
                        true,
                        "delay_ms",
                        20_000))
                .isEqualTo(wrapped("Output: taken\nExit Code: 98"));
    }

    /** Its pid was never seen, and its end is known. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void whatEndsAtOnceIsToldSoWithoutAWait(int delay) {
        long began = System.nanoTime();
        String text = tools.text(
                "run_shell_command", "command", "echo out; exit 4", "is_background", true, "delay_ms", delay);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
        assertThat(text).doesNotContain("null");
        if (!text.startsWith("Command is running in background. PID: ")) {
            assertThat(text).isEqualTo(wrapped("Output: out\nExit Code: 4"));
        }
    }

    /** Whoever printed more of them. */
    @Test
    void eachStreamHasItsShareOfTheLastLines() {
        long pid = background(
                        "echo up; for i in $(seq 150); do echo \"warn $i\" >&2; done; echo on 3000; exec sleep 4354")
                .pid();
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(tools.text("read_background_output", "pid", pid, "lines", 5))
                        .isEqualTo("Showing last 5 of 152 lines:\nup\non 3000\nwarn 148\nwarn 149\nwarn 150"));
        assertThat(tools.text("read_background_output", "pid", pid, "lines", 1))
                .isEqualTo("Showing last 1 of 152 lines:\non 3000");
        tools.success("run_shell_command", "command", "kill " + pid);
    }

    @Test
    void theTailHoldsWholeLines() {
        long pid = tools.success(
                        "run_shell_command",
                        "command",
                        "seq 100000; sleep 4352",
                        "is_background",
                        true,
                        "delay_ms",
                        200)
                .at("/result/pid")
                .asLong();
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(tools.text("read_background_output", "pid", pid, "lines", 1))
                        .isEqualTo("Showing last 1 of 100000 lines:\n100000"));

        JsonNode answer = tools.success("read_background_output", "pid", pid, "lines", 100_000);
        assertThat(answer.path("text").asText()).matches("(?s)Showing last 1\\d{4} of 100000 lines:\n.*\n100000");
        assertThat(answer.at("/result/lines").asLong()).isEqualTo(100_000);
        assertThat(answer.at("/result/output").asText().lines().findFirst().orElseThrow())
                .hasSize(5);
        tools.success("run_shell_command", "command", "kill " + pid);
    }

    @Test
    void anUnknownPidIsToldWhatRuns() {
        String id = tools.http().start("sleep 4353");
        long pid = tools.http().pid(id);

        assertThat(tools.error("task_not_found", "read_background_output", "pid", 4_194_304)
                        .path("text")
                        .asText())
                .startsWith("Background process ID 4194304 was not found.\nRunning: ")
                .contains(pid + " (sleep 4353)");
        tools.error("invalid_tool_input", "read_background_output");
        tools.error("invalid_tool_input", "run_shell_command", "cmd", "x");
        assertThat(tools.text("read_background_output", "pid", pid)).isEqualTo("Log is empty.");
        tools.success("run_shell_command", "command", "kill " + pid);
    }
}
