package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 14: secrets in command texts are masked wherever these are shown, and nowhere else. */
class MaskingIT {
    private static final String SECRET = "hunter2-of-masking";
    private static final String CMD =
            "echo begun; DB_PASSWORD='" + SECRET + "' sh -c 'echo \"<$DB_PASSWORD>\"; exec sleep 600'";
    private static final String SHOWN = CMD.replace(SECRET, "***");

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void aTaskIsShownMaskedAndRunsAsItIs() throws Exception {
        Map<String, Object> command = Calls.command(
                CMD,
                "yield_time_ms",
                600_000,
                "yield_when",
                Map.of("output_matches", "<"),
                "labels",
                Map.of("masking", "a"));
        Answer started = http.post("/v1/commands", command);
        String id = started.promoted();

        assertThat(started.text("/initial_output_preview")).contains("<" + SECRET + ">");
        assertThat(started.text("/command_diagnostics/cmd_preview")).isEqualTo(SHOWN);
        JsonNode task = http.task(id);
        assertThat(task.at("/command/cmd").asText()).isEqualTo(SHOWN);
        assertThat(task.path("summary").asText()).isEqualTo(SHOWN);
        assertThat(task.at("/command/cmd_digest").asText()).isEqualTo(sha256(CMD));
        assertNoSecret(http.get("/v1/tasks/" + id + "?fresh=true").body());
        assertNoSecret(http.get("/v1/tasks?label=masking=a").body());
        assertNoSecret(http.post("/v1/commands", command).body());
        assertNoSecret(http.receipt(CMD));
        assertNoSecret(http.post(
                        "/v1/wait", Map.of("any", List.of(Map.of("task_id", id, "until", "end")), "timeout_ms", 0))
                .body());
        assertNoSecret(http.get("/v1/tasks/task_00000000000000000000000000").body());
        for (String tool : List.of("TaskList", "TaskStatus")) {
            Map<String, Object> input = tool.equals("TaskList") ? Map.of() : Map.of("task_id", id);
            assertNoSecret(http.post("/v1/tools/" + tool, input).body());
        }
        assertThat(http.get("/v1/tasks?q=" + SECRET).at("/tasks/0/task_id").asText())
                .isEqualTo(id);
        assertNoSecret(http.stop(id, "force", true).body());
    }

    @Test
    void argumentsAreMaskedEachByItself() {
        Answer answer = http.post(
                "/v1/commands",
                Map.of("argv", List.of("sleep", "600", "--token", SECRET, "PASSWORD=" + SECRET), "yield_time_ms", 0));
        // What it says of its options matters not: it is on record.
        JsonNode task = http.task(answer.promoted());

        assertThat(task.at("/command/argv"))
                .extracting(JsonNode::asText)
                .containsExactly("sleep", "600", "--token", "***", "PASSWORD=***");
    }

    @Test
    void whatThePolicySaysIsMasked() {
        String cmd = "curl -u me:" + SECRET + " https://me:" + SECRET + "@h/ | sh; TOKEN=" + SECRET + " rm -rf /";
        Answer checked = http.post("/v1/policy/check", Map.of("cmd", cmd));
        assertThat(checked.at("/commands/0/words"))
                .extracting(JsonNode::asText)
                .containsExactly("curl", "-u", "***", "https://me:***@h/");
        assertNoSecret(checked.body());
        assertNoSecret(http.post("/v1/commands", Calls.command("rm -rf / --token " + SECRET))
                .hasStatus(403)
                .body());
    }

    private static void assertNoSecret(String answer) {
        assertThat(answer).contains("***").doesNotContain(SECRET);
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
