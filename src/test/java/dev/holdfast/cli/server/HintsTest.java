package dev.holdfast.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** What to do is said in words of the command. */
class HintsTest {
    private static final String ID = "task_01J00000000000000000000000";

    private static String hint(String kind, String hint) throws Exception {
        return Hints.of(new Refused(new ObjectMapper()
                .readTree("{\"kind\": \"%s\", \"recovery_hint\": \"%s\", \"detail\": \"%s runs.\"}"
                        .formatted(kind, hint, ID))));
    }

    @Test
    void callsBecomeCommands() throws Exception {
        assertThat(hint("task_running", "Stop it first with POST /v1/tasks/" + ID + "/stop."))
                .isEqualTo("Stop it first: holdfast stop " + ID);
        assertThat(hint("new_kind", "Ask GET /v1/things.")).isEmpty();
        assertThat(hint("invalid_tool_input", "Take another name, or DELETE /v1/tokens/ci."))
                .isEqualTo("Take another name, or holdfast token rm ci.");
        assertThat(hint("workdir_not_found", "Name one from the workspace.")).contains("-w");
        assertThat(hint("unauthorized", "Send `Authorization: Bearer <token>`."))
                .contains("--token or HOLDFAST_TOKEN");
        assertThat(hint("command_spawn_failed", "Give its path; for shell text use cmd instead of argv."))
                .isEqualTo("Give its path; for shell text write it as one word, in quotes.");
        assertThat(hint("invalid_tool_input", "It is RE2's; escape \\\\ once more inside JSON."))
                .isEqualTo("It is RE2's.");
        assertThat(hint("invalid_tool_input", "As 2026-03-01T12:00:00Z; the + of an offset is written %2B in a URL."))
                .isEqualTo("As 2026-03-01T12:00:00Z.");
        assertThat(hint("storage_full", "Free disk space.")).contains("holdfast rm");
        assertThat(hint("storage_full", "Raise it (ulimit -f unlimited)."))
                .isEqualTo("Raise it (ulimit -f unlimited).");
        assertThat(hint("command_denied", "Name a narrower target.")).isEqualTo("Name a narrower target.");
    }

    @Test
    void aLineThatIsTooLongIsNoMissingInput() throws Exception {
        var tooLong = new ObjectMapper()
                .readTree("{\"kind\": \"input_not_accepted\", \"details\": {\"longest_line_bytes\": 4095}}");
        assertThat(Hints.of(new Refused(tooLong)))
                .isEqualTo("Send shorter lines, or start it with holdfast run -i: that takes lines of any length.");
        assertThat(hint("input_not_accepted", "Start it with `tty` or `accepts_input`."))
                .isEqualTo("What is to be typed into is started with holdfast run -i or -t.");
    }
}
