package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2: a command, its fields, and what is answered when it ends in its window. */
class CommandsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void anAnswerHasEveryFieldOfTheContract() {
        Answer answer = http.run("echo out; echo err >&2; exit 3").completed();

        JsonNode json = answer.json();
        assertThat(json.path("exit_status").asInt()).isEqualTo(3);
        assertThat(json.has("exit_signal")).isTrue();
        assertThat(json.path("exit_signal").isNull()).isTrue();
        assertThat(answer.text("/ended_by")).isEqualTo("exit");
        assertThat(answer.text("/stdout_preview").strip()).isEqualTo("out");
        assertThat(answer.text("/stderr_preview").strip()).isEqualTo("err");
        assertThat(json.path("truncated").isBoolean()).isTrue();
        assertThat(json.path("truncated").asBoolean()).isFalse();
        assertThat(json.path("artifacts").size()).isZero();
        assertThat(json.has("stdout_artifact")).isFalse();
        assertThat(json.has("stderr_artifact")).isFalse();
        assertThat(json.path("duration_ms").isIntegralNumber()).isTrue();
        assertThat(json.path("duration_ms").asLong()).isBetween(0L, 10_000L);
        assertThat(answer.text("/summary_text")).isNotBlank();
        assertThat(json.path("command_diagnostics").isObject()).isTrue();
    }

    @Test
    void silenceIsNull() {
        JsonNode json = http.run("true").completed().json();

        assertThat(json.path("exit_status").asInt(-1)).isZero();
        assertThat(json.get("stdout_preview").isNull()).isTrue();
        assertThat(json.get("stderr_preview").isNull()).isTrue();
    }

    @Test
    void aWorkdirIsRelativeToTheWorkspace() throws IOException {
        Path inner = Files.createDirectories(SERVER.workspace().resolve("inner dir"));

        assertThat(http.run("pwd -P").completed().text("/stdout_preview").strip())
                .isEqualTo(SERVER.workspace().toString());
        assertThat(http.run("pwd -P", "workdir", "inner dir")
                        .completed()
                        .text("/stdout_preview")
                        .strip())
                .isEqualTo(inner.toString());
        assertThat(http.run("pwd -P", "workdir", "/")
                        .completed()
                        .text("/stdout_preview")
                        .strip())
                .isEqualTo("/");
    }

    @Test
    void theShellIsTheOneAskedForByNameOrPath() {
        assertThat(http.run("echo $0", "shell", "sh").completed().text("/stdout_preview"))
                .contains("sh")
                .doesNotContain("bash");
        assertThat(http.run("echo $BASH", "shell", "bash").completed().text("/stdout_preview"))
                .contains("bash");
        assertThat(http.run("echo $0", "shell", "/bin/sh")
                        .completed()
                        .text("/stdout_preview")
                        .strip())
                .isEqualTo("/bin/sh");
        assertThat(http.run("echo $BASH").completed().text("/stdout_preview")).contains("bash");
    }

    /** It was read as options of the shell. */
    @ParameterizedTest
    @ValueSource(strings = {"bash", "sh"})
    void textThatLooksLikeAnOptionIsText(String shell) {
        for (String word : List.of("-x", "+x", "--version", "--")) {
            for (boolean login : List.of(true, false)) {
                Answer answer = http.run(word + " a; echo \"$#\"", "shell", shell, "login", login)
                        .completed();
                assertThat(answer.text("/stderr_preview"))
                        .as(word) // the latter where a folder of PATH is not this user's to look into
                        .contains(word + ": ")
                        .containsAnyOf("not found", "Permission denied");
                assertThat(answer.text("/stdout_preview")).as(word).isEqualTo("0\n");
            }
        }
    }

    @Test
    void aLoginShellIsTheDefault() {
        String ask = "shopt -q login_shell && echo login || echo plain";

        assertThat(http.post("/v1/commands", Map.of("cmd", ask, "shell", "bash", "yield_time_ms", 60_000))
                        .completed()
                        .text("/stdout_preview"))
                .contains("login");
        assertThat(http.run(ask, "shell", "bash").completed().text("/stdout_preview"))
                .contains("plain");
    }

    @Test
    void argvRunsWithoutAShell() {
        Answer answer = http.run(List.of("printf", "%s|", "a b", "$HOME", "*", ""));

        assertThat(answer.completed().text("/stdout_preview")).startsWith("a b|$HOME|*||");
    }

    @Test
    void anArgvWithoutSuchAProgramCannotBeSpawned() {
        http.run(List.of("no-such-program-anywhere")).refused(422, "command_spawn_failed");
    }

    @Test
    void environmentIsSetAndUnset() {
        Map<String, Object> env = Json.object("GREETING", "hello  world", "HOME", null, "EMPTY", "");

        String out = http.run("echo \"[$GREETING] [${HOME-unset}] [${EMPTY-unset}]\"", "env", env)
                .completed()
                .text("/stdout_preview");

        assertThat(out.strip()).isEqualTo("[hello  world] [unset] []");
    }

    @Test
    void withoutATerminalNothingPagesColoursOrPrompts() {
        String out = http.run("echo $NO_COLOR,$TERM,$PAGER,$GIT_TERMINAL_PROMPT")
                .completed()
                .text("/stdout_preview");

        assertThat(out.strip()).matches(".+,dumb,cat,0");
    }

    @Test
    void stdinIsAtEndOfFileUnlessAskedFor() {
        Answer answer = http.run("cat; read x; echo over $?").completed();

        assertThat(answer.text("/stdout_preview").strip()).isEqualTo("over 1");
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aTerminalHasTheSizeAskedForAndOneStream() {
        Answer usual = http.run("stty size; test -t 0 && test -t 1 && test -t 2 && echo terminal >&2", "tty", true);
        Answer wide = http.run("stty size", "tty", true, "rows", 50, "cols", 200);

        assertThat(usual.completed().text("/stdout_preview")).contains("40 120").contains("terminal");
        assertThat(usual.at("/stderr_preview").isNull()).isTrue();
        assertThat(wide.completed().text("/stdout_preview")).contains("50 200");
    }

    @Test
    void labelsAreStored() {
        String id = http.start("sleep 60", "labels", Map.of("owner", "me", "kind", "test"));

        assertThat(http.task(id).at("/labels/owner").asText()).isEqualTo("me");
        assertThat(http.task(id).at("/labels/kind").asText()).isEqualTo("test");
        http.stop(id, "force", true);
    }

    @Test
    void theLongestCommandAllowedRuns() {
        char[] filling = new char[100 * 1024 - 10];
        Arrays.fill(filling, 'x');

        Answer answer = http.run("echo ok; #" + new String(filling));

        assertThat(answer.completed().text("/stdout_preview").strip()).isEqualTo("ok");
        assertThat(answer.at("/command_diagnostics/cmd_char_count").asInt()).isEqualTo(100 * 1024);
    }

    @Test
    void diagnosticsDescribeTheCommand() {
        JsonNode plain = http.run("echo hello").completed().at("/command_diagnostics");

        assertThat(plain.path("cmd_preview").asText()).isEqualTo("echo hello");
        assertThat(plain.path("cmd_char_count").asInt()).isEqualTo(10);
        assertThat(plain.path("cmd_estimated_tokens").asInt()).isEqualTo(3);
        assertThat(plain.path("contains_heredoc").asBoolean(true)).isFalse();
        assertThat(plain.path("contains_inline_script").asBoolean(true)).isFalse();
        assertThat(plain.path("exceeds_soft_threshold").asBoolean(true)).isFalse();
        assertThat(plain.path("effective_max_output_tokens").asInt()).isEqualTo(8000);
        assertThat(plain.path("output_char_budget").asInt()).isEqualTo(32_000);
    }

    @Test
    void diagnosticsKnowHereDocumentsScriptsSecretsAndLength() {
        JsonNode document =
                http.run("cat > /dev/null <<'END'\nsecond line\nEND").at("/command_diagnostics");
        JsonNode script = http.run("python3 -c 'print(1)'").at("/command_diagnostics");
        JsonNode secret = http.run("export API_TOKEN=abcdefgh12345678; true").at("/command_diagnostics");
        JsonNode words = http.run("true " + "word ".repeat(900), "max_output_tokens", 64_000)
                .at("/command_diagnostics");

        assertThat(document.path("contains_heredoc").asBoolean()).isTrue();
        assertThat(document.path("cmd_preview").asText()).doesNotContain("second line");
        assertThat(script.path("contains_inline_script").asBoolean()).isTrue();
        assertThat(secret.path("cmd_preview").asText()).contains("API_TOKEN").doesNotContain("abcdefgh12345678");
        assertThat(words.path("exceeds_soft_threshold").asBoolean()).isTrue();
        assertThat(words.path("cmd_preview").asText().length()).isBetween(100, 240);
        assertThat(words.path("output_char_budget").asInt()).isEqualTo(256_000);
    }

    @Test
    void defaultsMayBeSpelledOut() {
        Answer answer = http.post(
                "/v1/commands",
                command(
                        "echo defaults",
                        "tty",
                        false,
                        "accepts_input",
                        false,
                        "duplicate_policy",
                        "reuse_running",
                        "yield_time_ms",
                        10_000,
                        "max_output_tokens",
                        8000,
                        "env",
                        Map.of(),
                        "on_exit",
                        "leave",
                        "labels",
                        Map.of()));

        assertThat(answer.completed().text("/stdout_preview").strip()).isEqualTo("defaults");
    }
}
