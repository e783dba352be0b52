package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tool {@code bash} of an agent library, and that of a gateway. */
class DialectsIT {
    @RegisterExtension
    static final PackagedServer LIBRARY = new PackagedServer()
            .with("HOLDFAST_TOOLS_BASH_DIALECT", "labelled")
            .with("HOLDFAST_MCP_LONGEST_WAIT", "3s")
            .with("HOLDFAST_TOOLS_BASH_ENV", "KEPT,UNSET")
            .with("KEPT", "it is")
            .with("DROPPED", "it is not");

    @RegisterExtension
    static final PackagedServer GATEWAY = new PackagedServer().with("HOLDFAST_TOOLS_BASH_DIALECT", "sections");

    private static final int CUT = 256 * 1024;
    private final ToolCalls labelled = new ToolCalls(LIBRARY.calls(), "classic");
    private final ToolCalls sections = new ToolCalls(GATEWAY.calls(), "classic");

    @Test
    void row3LabelledNamesTheExitCodeAndTheStreams() {
        assertThat(labelled.text("bash", "command", "echo out")).isEqualTo("Exit code: 0\nout");
        assertThat(labelled.text("bash", "command", ":")).isEqualTo("Exit code: 0");
        JsonNode answer = labelled.success("bash", "command", "echo out; echo bad >&2; exit 3");
        assertThat(answer.path("text").asText()).isEqualTo("Exit code: 3\nSTDOUT:\nout\nSTDERR:\nbad");
        assertThat(answer.at("/result/exit_code").asInt()).isEqualTo(3);
        assertThat(answer.at("/result/success").asBoolean(true)).isFalse();
        assertThat(labelled.text("bash", "command", "kill -9 $$")).isEqualTo("Exit code: -1");
        assertThat(labelled.success("bash", "command", "echo bad >&2")
                        .path("text")
                        .asText())
                .isEqualTo("Exit code: 0\nSTDOUT:\n\nSTDERR:\nbad");
        assertThat(labelled.success("bash", "command", ":")
                        .at("/result/success")
                        .asBoolean())
                .isTrue();
    }

    /** A client without progress gives up after a minute. */
    @Test
    void row3LabelledInventsNoExitCodeForWhatGoesOn() {
        McpClient client = new McpClient(LIBRARY, "/mcp?profile=classic");
        client.begin();

        JsonNode running = client.call("bash", Map.of("command", "echo begun; sleep 43"));

        assertThat(running.at("/structuredContent/exit_code").isNull()).isTrue();
        assertThat(running.at("/structuredContent/success").isNull()).isTrue();
        assertThat(running.at("/content/0/text").asText())
                .matches(
                        "(?s)begun\n\\(not ended yet: it runs on as task_\\w+ until its time-out; its output is being"
                                + " written to /\\S+/out and /\\S+/err\\)\n\nThe wait was cut at 3 s, as long as a call over MCP waits."
                                + " The command goes on. Read on in the file that it writes to \\(where a wall hides it from"
                                + " commands, with a file tool of your own\\); the same call again would start it once more\\.");
        Matcher file = Pattern.compile("written to (/\\S+) and")
                .matcher(running.at("/content/0/text").asText());
        assertThat(file.find()).isTrue();
        assertThat(labelled.text("bash", "command", "cat " + file.group(1))).isEqualTo("Exit code: 0\nbegun");
    }

    @Test
    void row3LabelledTellsWhatNobodyAnsweredAsWhatNobodyConfirmed() {
        McpClient client = new McpClient(LIBRARY, "/mcp?profile=classic");
        client.begin();

        JsonNode unanswered = client.call("bash", Map.of("command", "true && curl -s http://127.0.0.1:9/ | sh"));

        assertThat(unanswered.at("/content/0/text").asText()).isEqualTo("Command was not confirmed by the user.");
    }

    @Test
    void row3LabelledBlocksWhatItsListDenies() {
        for (String denied : new String[] {"rm -rf /", "mkfs", "dd if=", ":(){"}) {
            JsonNode answer = labelled.error("command_denied", "bash", "command", "echo '" + denied + "'");
            assertThat(answer.path("text").asText())
                    .isEqualTo("Command blocked by safety policy: contains '" + denied + "'");
            assertThat(told(LIBRARY)).contains("deny bash: " + denied + " echo '" + denied + "'");
        }
    }

    /** The decisions in the journal. */
    private static List<String> told(PackagedServer server) {
        return server.calls()
                .get("/v1/audit?limit=1000")
                .at("/entries")
                .valueStream()
                .filter(entry -> entry.path("action").asText().equals("decision"))
                .map(entry -> entry.path("decision").asText() + " "
                        + entry.path("rule").asText() + " "
                        + entry.path("cmd_preview").asText())
                .toList();
    }

    @Test
    void row3LabelledTellsWhatNobodyConfirmed() {
        String asks = "false && curl -s http://127.0.0.1:9/ | sh";
        var waiting = java.util.concurrent.CompletableFuture.supplyAsync(
                () -> labelled.error("command_denied", "bash", "command", asks));
        await().atMost(Calls.PATIENCE)
                .until(() ->
                        labelled.http().get("/v1/approvals").at("/approvals").size() == 1);
        String id = labelled.http().get("/v1/approvals").text("/approvals/0/approval_id");
        labelled.http().post("/v1/approvals/" + id, Json.object("decision", "deny"));

        assertThat(waiting.join().path("text").asText()).isEqualTo("Command was not confirmed by the user.");
    }

    @Test
    void row3LabelledGivesTheNamedVariablesAndPathHomeAndPwd() {
        String names = "env | sed 's/=.*//' | grep -v '^_$\\|^SHLVL$\\|^HOLDFAST_TASK$' | sort | tr '\\n' ' '";
        for (String session : new String[] {"", "kept"}) {
            assertThat(labelled.text("bash", "command", names, "session", session))
                    .isEqualTo("Exit code: 0\nHOME KEPT PATH PWD ");
            assertThat(labelled.text("bash", "command", "echo \"$KEPT\"; cd /usr", "session", session))
                    .isEqualTo("Exit code: 0\nit is");
        }
        assertThat(labelled.text("bash", "command", "pwd", "session", "kept")).isEqualTo("Exit code: 0\n/usr");
    }

    /** All such calls share one shell, whosever they are: nobody moves another's. */
    @Test
    void row3LabelledWithoutASessionStartsInTheWorkspaceWhateverWasWritten() throws Exception {
        String here = "Exit code: 0\n" + LIBRARY.workspace();
        assertThat(labelled.text("bash", "command", "pwd")).isEqualTo(here);
        assertThat(labelled.text("bash", "command", "pwd", "session", "torn")).isEqualTo(here);
        List<Path> shells = Folders.children(LIBRARY.data().resolve("shells")).stream()
                .filter(Files::isDirectory)
                .toList();
        for (Path shell : shells) {
            Files.writeString(shell.resolve("cwd"), "/usr\n");
        }
        assertThat(labelled.text("bash", "command", "pwd")).isEqualTo(here);
        assertThat(labelled.text("bash", "command", "pwd", "session", "torn")).isEqualTo("Exit code: 0\n/usr");
        for (Path shell : shells) {
            Files.delete(shell.resolve("cwd"));
        }
        assertThat(labelled.text("bash", "command", "pwd", "session", "torn")).isEqualTo(here);
    }

    @Test
    void row3LabelledCutsEachStreamAtACharacter() {
        String text = labelled.text(
                "bash",
                "command",
                "head -c 3000000 /dev/zero | tr '\\0' x; printf e >&2; yes é | head -n 200000 | tr -d '\\n' >&2");

        String[] parts = text.split("\n", -1);
        assertThat(parts[0]).isEqualTo("Exit code: 0");
        assertThat(parts[1]).isEqualTo("STDOUT:");
        assertThat(parts[2]).isEqualTo("x".repeat(CUT));
        assertThat(parts[3]).isEqualTo("... (output truncated)");
        assertThat(parts[4]).isEqualTo("STDERR:");
        assertThat(parts[5]).isEqualTo("e" + "é".repeat(CUT / 2 - 1));
        assertThat(parts[6]).isEqualTo("... (output truncated)");
        assertThat(parts).hasSize(7);
    }

    /** However much follows, of both: what is shown is the beginning, without a line of ours in it. */
    @Test
    void row3LabelledShowsTheBeginningOfEachOfTwoLongStreams() {
        String text = labelled.text("bash", "command", "seq -w 400000; seq -w 500000 900000 >&2");

        String out = text.substring(text.indexOf("STDOUT:\n") + 8, text.indexOf("\nSTDERR:\n"));
        String err = text.substring(text.indexOf("\nSTDERR:\n") + 9);
        assertThat(out).isEqualTo(beginning(1) + "\n... (output truncated)");
        assertThat(err).isEqualTo(beginning(500_000) + "\n... (output truncated)");
    }

    private static String beginning(int first) {
        return IntStream.range(first, first + CUT)
                .mapToObj(line -> String.format(Locale.ROOT, "%06d%n", line))
                .limit(CUT / 7 + 1)
                .collect(Collectors.joining())
                .substring(0, CUT);
    }

    @Test
    void row3LabelledTellsACancelledCommandFromOneThatFailed() throws Exception {
        String before = LIBRARY.newest();
        var waiting = java.util.concurrent.CompletableFuture.supplyAsync(
                () -> labelled.call("bash", "command", "sleep 4325"));
        String id = LIBRARY.awaitNewer(before);
        labelled.http().stop(id, "force", true).hasStatus(200);

        assertThat(waiting.get().at("/error/kind").asText()).isEqualTo("cancelled");
    }

    @Test
    void row4SectionsNamesEachStreamThatIsThere() {
        JsonNode answer = sections.success("bash", "command", "echo out; echo bad >&2; exit 3");
        assertThat(answer.path("text").asText()).isEqualTo("stdout:\nout\nstderr:\nbad\nexit code: 3");
        assertThat(answer.path("result").toString())
                .isEqualTo("{\"exitCode\":3,\"stdout\":\"out\\n\",\"stderr\":\"bad\\n\"}");
        assertThat(sections.text("bash", "command", ":")).isEqualTo("exit code: 0");
        assertThat(sections.text("bash", "command", "echo bad >&2")).isEqualTo("stderr:\nbad\nexit code: 0");
        assertThat(sections.text("bash", "command", "kill -9 $$")).isEqualTo("exit code: -1");
        McpClient client = new McpClient(GATEWAY, "/mcp?profile=classic");
        client.begin();
        assertThat(client.call("bash", Map.of("command", "echo out; exit 3"))
                        .path("structuredContent")
                        .toString())
                .isEqualTo("{\"exitCode\":3,\"stdout\":\"out\\n\",\"stderr\":\"\"}");
    }

    @Test
    void row4SectionsTimesOutAfterFiveSecondsWithNothing() {
        JsonNode answer = sections.error("execution_failed", "bash", "command", "echo some; sleep 4326");

        assertThat(answer.path("text").asText()).isEqualTo("Command timed out after 5 seconds");
        assertThat(answer.path("result").toString()).isEqualTo("{\"exitCode\":-1,\"stdout\":\"\",\"stderr\":\"\"}");
        sections.error("invalid_tool_input", "bash", "command", "true", "timeout", 0);
    }

    @Test
    void row4SectionsTakesNoSudo() {
        for (String command : new String[] {"sudo true", "true && sudo -n true", "true |\n sudo cat"}) {
            assertThat(sections.error("command_denied", "bash", "command", command)
                            .path("text")
                            .asText())
                    .isEqualTo("Command not allowed: no sudo");
        }
        assertThat(told(GATEWAY)).contains("deny bash: no sudo sudo true");
        assertThat(sections.text("bash", "command", "echo no sudo")).startsWith("stdout:\nno sudo\n");
    }
}
