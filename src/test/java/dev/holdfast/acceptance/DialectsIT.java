package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tool {@code bash} of an agent library, and that of a gateway. */
class DialectsIT {
    @RegisterExtension
    static final PackagedServer LIBRARY = new PackagedServer()
            .with("HOLDFAST_TOOLS_BASH_DIALECT", "labelled")
            .with("HOLDFAST_TOOLS_BASH_ENV", "KEPT,UNSET")
            .with("KEPT", "it is")
            .with("DROPPED", "it is not");

    @RegisterExtension
    static final PackagedServer GATEWAY = new PackagedServer().with("HOLDFAST_TOOLS_BASH_DIALECT", "sections");

    private static final int CUT = 256 * 1024;
    private final ToolCalls labelled = new ToolCalls(LIBRARY.calls(), "classic");
    private final ToolCalls sections = new ToolCalls(GATEWAY.calls(), "classic");

    @Test
    void labelledNamesTheExitCodeAndTheStreams() {
        assertThat(labelled.text("bash", "command", "echo out")).isEqualTo("Exit code: 0\nout");
        assertThat(labelled.text("bash", "command", ":")).isEqualTo("Exit code: 0");
        JsonNode answer = labelled.success("bash", "command", "echo out; echo bad >&2; exit 3");
        assertThat(answer.path("text").asText()).isEqualTo("Exit code: 3\nSTDOUT:\nout\nSTDERR:\nbad");
        assertThat(answer.at("/result/exit_code").asInt()).isEqualTo(3);
        assertThat(answer.at("/result/success").asBoolean(true)).isFalse();
        assertThat(labelled.text("bash", "command", "kill -9 $$")).isEqualTo("Exit code: -1");
    }

    @Test
    void labelledBlocksWhatItsListDenies() {
        for (String denied : new String[] {"rm -rf /", "mkfs", "dd if=", ":(){"}) {
            JsonNode answer = labelled.error("command_denied", "bash", "command", "echo '" + denied + "'");
            assertThat(answer.path("text").asText())
                    .isEqualTo("Command blocked by safety policy: contains '" + denied + "'");
        }
    }

    /** Denied, or not answered in time. */
    @Test
    void labelledTellsWhatNobodyConfirmed() {
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
    void labelledGivesTheNamedVariablesAndPathHomeAndPwd() {
        String names = "env | sed 's/=.*//' | grep -v '^_$\\|^SHLVL$\\|^HOLDFAST_TASK$' | sort | tr '\\n' ' '";
        for (String session : new String[] {"", "kept"}) {
            assertThat(labelled.text("bash", "command", names, "session", session))
                    .isEqualTo("Exit code: 0\nHOME KEPT PATH PWD ");
            assertThat(labelled.text("bash", "command", "echo \"$KEPT\"; cd /usr", "session", session))
                    .isEqualTo("Exit code: 0\nit is");
        }
        assertThat(labelled.text("bash", "command", "pwd", "session", "kept")).isEqualTo("Exit code: 0\n/usr");
    }

    @Test
    void labelledCutsEachStreamAtACharacter() {
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

    @Test
    void labelledTellsACancelledCommandFromOneThatFailed() throws Exception {
        String before = LIBRARY.newest();
        var waiting = java.util.concurrent.CompletableFuture.supplyAsync(
                () -> labelled.call("bash", "command", "sleep 4325"));
        String id = LIBRARY.awaitNewer(before);
        labelled.http().stop(id, "force", true).hasStatus(200);

        assertThat(waiting.get().at("/error/kind").asText()).isEqualTo("cancelled");
    }

    @Test
    void sectionsNamesEachStreamThatIsThere() {
        JsonNode answer = sections.success("bash", "command", "echo out; echo bad >&2; exit 3");
        assertThat(answer.path("text").asText()).isEqualTo("stdout:\nout\nstderr:\nbad\nexit code: 3");
        assertThat(answer.path("result").toString())
                .isEqualTo("{\"exitCode\":3,\"stdout\":\"out\\n\",\"stderr\":\"bad\\n\"}");
        assertThat(sections.text("bash", "command", ":")).isEqualTo("exit code: 0");
    }

    @Test
    void sectionsTimesOutAfterFiveSecondsWithNothing() {
        JsonNode answer = sections.error("execution_failed", "bash", "command", "echo some; sleep 4326");

        assertThat(answer.path("text").asText()).isEqualTo("Command timed out after 5 seconds");
        assertThat(answer.path("result").toString()).isEqualTo("{\"exitCode\":-1,\"stdout\":\"\",\"stderr\":\"\"}");
        sections.error("invalid_tool_input", "bash", "command", "true", "timeout", 0);
    }

    @Test
    void sectionsTakesNoSudo() {
        for (String command : new String[] {"sudo true", "true && sudo -n true", "true |\n sudo cat"}) {
            sections.error("command_denied", "bash", "command", command);
        }
        assertThat(sections.text("bash", "command", "echo no sudo")).startsWith("stdout:\nno sudo\n");
    }
}
