package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tools that Claude Code gives its models. */
class ClaudeToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final ToolCalls tools = new ToolCalls(SERVER.calls(), "claude");

    @Test
    void aShortCommandAnswersWithItsOutput() {
        assertThat(tools.text("Bash", "command", "echo; echo out; echo bad >&2", "description", "Say it"))
                .isEqualTo("out\nbad");
        assertThat(tools.text("Bash", "command", "true", "dangerouslyDisableSandbox", true))
                .isEqualTo("(Bash completed with no output)");
        assertThat(tools.error("execution_failed", "Bash", "command", "echo out; echo bad >&2; exit 3")
                        .path("text")
                        .asText())
                .isEqualTo("Exit code 3\nbad\nout");
    }

    @Test
    void whatIsCutIsReadInTheFileThatItNames() throws Exception {
        String cut = tools.text("Bash", "command", "seq 20000; echo bad >&2");
        Matcher named = Pattern.compile("\nOutput truncated. Full output saved to: (.*/out), .*/err$")
                .matcher(cut);
        assertThat(named.find()).as(cut).isTrue();
        assertThat(Path.of(named.group(1))).content().endsWith("\n19999\n20000\n");

        String id = tools.http().start("seq 20001");
        Path out = SERVER.taskFolder(id).resolve("out");
        assertThat(tools.text("TaskOutput", "task_id", id))
                .contains("<output>\n[Truncated. Full output: " + out + "]\n\n1\n2\n");
    }

    @Test
    void aSignalIsNamedBesideTheExitCode() {
        assertThat(tools.error("execution_failed", "Bash", "command", "kill -9 $$")
                        .path("text")
                        .asText())
                .isEqualTo("Exit code -1 (SIGKILL)");
    }

    @Test
    void inTheBackgroundItSaysItsId() throws Exception {
        JsonNode started = tools.success("Bash", "command", "echo on; sleep 4341", "run_in_background", true);
        String id = started.at("/result/background_task_id").asText();
        Path out = SERVER.taskFolder(id).resolve("out");
        assertThat(started.path("text").asText())
                .isEqualTo("Command running in background with ID: " + id + ". Output is being written to: " + out
                        + " and " + out.resolveSibling("err")
                        + ". No notice of its end comes: TaskOutput waits for it.");
        tools.http().awaitOutput(id, "on");
        assertThat(Files.readString(out)).isEqualTo("on\n");

        assertThat(tools.text("TaskOutput", "task_id", id, "block", false))
                .isEqualTo(
                        "<retrieval_status>not_ready</retrieval_status>\n\n<task_id>" + id
                                + "</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>running</status>\n\n<output>\non\n</output>");
        assertThat(tools.text("TaskOutput", "task_id", id, "timeout", 10))
                .startsWith("<retrieval_status>timeout</retrieval_status>\n\n");

        assertThat(tools.text("TaskStop", "task_id", id))
                .isEqualTo("{\"message\":\"Successfully stopped task: " + id
                        + " (echo on; sleep 4341)\",\"task_id\":\"" + id
                        + "\",\"task_type\":\"local_bash\",\"command\":\"echo on; sleep 4341\"}");
        assertThat(tools.error("task_not_running", "TaskStop", "shell_id", id)
                        .path("text")
                        .asText())
                .startsWith("<tool_use_error>Task " + id + " is not running (status: killed)</tool_use_error>");
        assertThat(tools.text("TaskOutput", "task_id", id))
                .startsWith("<retrieval_status>success</retrieval_status>")
                .contains("<status>killed</status>", "<output>\non\n</output>");
    }

    @Test
    void atItsTimeoutItGoesOnInTheBackground() throws Exception {
        JsonNode started = tools.success(
                "Bash", "command", "echo on; until test -e moved; do sleep 0.1; done; exit 6", "timeout", 5000);
        Files.createFile(SERVER.workspace().resolve("moved"));
        String id = started.at("/result/background_task_id").asText();
        assertThat(started.path("text").asText())
                .startsWith("on\nCommand did not complete within its 5s timeout and was moved to the background (ID: "
                        + id + "). Output is being written to: ");

        assertThat(tools.text("TaskOutput", "task_id", id, "timeout", 20_000))
                .isEqualTo("<retrieval_status>success</retrieval_status>\n\n<task_id>" + id
                        + "</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>failed</status>\n\n<exit_code>6</exit_code>"
                        + "\n\n<output>\non\n</output>");
    }

    @Test
    void aTimeoutIsToldAsItWasAskedFor() {
        assertThat(tools.text("Bash", "command", "sleep 4346", "timeout", 500))
                .startsWith("Command did not complete within its 500ms timeout and was moved to the background");
    }

    @Test
    void inTheBackgroundItsTimeoutEndsIt() {
        String id = tools.success("Bash", "command", "sleep 4343", "run_in_background", true, "timeout", 100)
                .at("/result/background_task_id")
                .asText();

        assertThat(tools.text("TaskOutput", "task_id", id, "timeout", 20_000))
                .contains("<status>failed</status>", "<error>Failed (timeout)</error>");
    }

    /** As the answer of {@code Bash} says; the same once more finds nothing to stop. */
    @Test
    void whatACommandLeftRunningIsStoppedByItsId() {
        JsonNode started = tools.success("Bash", "command", "sleep 4345 & echo $!");
        long left = Long.parseLong(started.at("/result/stdout").asText().strip());
        Matcher told = Pattern.compile("TaskStop of (task_\\S+) ends what is left")
                .matcher(started.path("text").asText());
        assertThat(told.find()).isTrue();
        String id = told.group(1);

        assertThat(tools.text("TaskStop", "task_id", id)).contains("Successfully stopped task: " + id + " (sleep 4345");

        Processes.awaitGone(left);
        assertThat(tools.error("task_not_running", "TaskStop", "task_id", id)
                        .path("text")
                        .asText())
                .contains("is not running (status: completed)");
    }

    @Test
    void anUnknownIdIsToldWhatRuns() {
        String id = tools.http().start("sleep 4344");

        assertThat(tools.error("task_not_found", "TaskOutput", "task_id", "b12345x")
                        .path("text")
                        .asText())
                .startsWith("<tool_use_error>No task found with ID: b12345x</tool_use_error>\nRunning: ")
                .contains(id + " (sleep 4344)");
        String gone = tools.http().start("true");
        tools.http().awaitEnd(gone);
        tools.http().delete("/v1/tasks/" + gone).hasStatus(204);
        assertThat(tools.error("task_not_found", "TaskOutput", "task_id", gone)
                        .path("text")
                        .asText())
                .contains("\n" + gone + " was forgotten, with its output. Running: ");
        tools.error("invalid_tool_input", "TaskStop");
        tools.error("invalid_tool_input", "Bash");
        tools.success("TaskStop", "task_id", id);
    }
}
