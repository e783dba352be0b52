package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tool {@code bash} of an agent tutorial, and an agent kit's {@code shell.exec}. */
class ClassicToolsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final ToolCalls tools = new ToolCalls(SERVER.calls(), "classic");

    private String bash(String command, Object... more) {
        Map<String, Object> input = Json.object("command", command);
        input.putAll(Json.object(more));
        return tools.http()
                .post("/v1/tools/bash?profile=classic", input)
                .hasStatus(200)
                .text("/text");
    }

    @Test
    void rows2And5TheProfileHasBashAndShellExec() {
        assertThat(tools.http()
                        .get("/v1/tools?profile=classic")
                        .hasStatus(200)
                        .json()
                        .path("tools"))
                .extracting(tool -> tool.path("name").asText())
                .containsExactly("bash", "shell.exec");
        assertThat(tools.success("shell.exec", "executable", "true")
                        .at("/result/success")
                        .asBoolean())
                .isTrue();
        assertThat(tools.success("shell_exec", "executable", "true")
                        .path("tool_name")
                        .asText())
                .isEqualTo("shell.exec");
    }

    /** The text is that of the design. */
    @Test
    void row2BashTellsAProgramWhatLivesOn() {
        JsonNode answer = tools.success("bash", "command", "sleep 300.75 & echo started");

        assertThat(answer.path("text").asText()).isEqualTo("started\n");
        assertThat(answer.at("/result/left_running")).hasSize(1);
        assertThat(answer.at("/result/left_running/0/command").asText()).isEqualTo("sleep 300.75");
        tools.http().stop(answer.at("/result/task_id").asText(), "force", true).hasStatus(200);
        assertThat(tools.success("bash", "command", ":")
                        .at("/result/left_running")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void row2PlainSaysStdoutAsItIsThenStderrThenTheExitCode() {
        assertThat(bash("echo one; echo two")).isEqualTo("one\ntwo\n");
        assertThat(bash("echo out; echo bad >&2; exit 3")).isEqualTo("out\nstderr: bad\nexit code: 3");
        assertThat(bash("printf out; printf bad >&2")).isEqualTo("out\nstderr: bad");
        assertThat(bash("exit 4")).isEqualTo("exit code: 4");
        assertThat(bash("echo one >&2; echo two >&2")).isEqualTo("stderr: one\ntwo\n");
        assertThat(bash("kill -9 $$")).isEqualTo("exit code: -1");
        assertThat(bash(":")).isEqualTo("(no output)");
    }

    @Test
    void row2PlainNamesTheFileOfWhatItCut() {
        assertThat(bash("seq 20000; exit 3")).matches("(?s)1\n2\n.*\n20000\nexit code: 3\nfull output: /\\S+/out");
    }

    @Test
    void row2PlainTimesOutAsAnErrorResultWithAllThatItStartedGone() {
        JsonNode answer = tools.error(
                "execution_failed",
                "bash",
                "command",
                "(sleep 4321 & echo $! > timed-out.pid); sleep 4322",
                "timeout",
                5); // a shell that is held up must have begun by then

        assertThat(answer.path("text").asText()).isEqualTo("command timed out after 5s");
        assertThat(Processes.alive(pidOf("timed-out.pid"))).isFalse();
    }

    private static long pidOf(String file) {
        try {
            return Long.parseLong(
                    Files.readString(SERVER.workspace().resolve(file)).strip());
        } catch (java.io.IOException none) {
            throw new java.io.UncheckedIOException(none);
        }
    }

    @Test
    void row2PlainNeedsACommand() {
        tools.error("invalid_tool_input", "bash");
        tools.error("invalid_tool_input", "bash", "command", "  ");
        tools.error("invalid_tool_input", "bash", "command", "true", "timeout", 0);
        tools.error("invalid_tool_input", "bash", "cmd", "true");
    }

    @Test
    void row2TheSummaryIsForAScreen() {
        assertThat(tools.success("bash", "command", "echo  a\n# b")
                        .path("summary_text")
                        .asText())
                .isEqualTo("[bash: echo a # b]");
        assertThat(tools.success("bash", "command", ": " + "😀".repeat(70))
                        .path("summary_text")
                        .asText())
                .isEqualTo("[bash: : " + "😀".repeat(49) + "…]")
                .satisfies(text ->
                        assertThat(text.codePointCount(0, text.length())).isEqualTo(60));
    }

    @Test
    void rows2And5AreDestructiveAndNotReadOnly() {
        JsonNode listed = tools.http().get("/v1/tools?profile=classic").json();
        for (JsonNode tool : listed.path("tools")) {
            assertThat(tool.at("/annotations/destructive_hint").asBoolean()).isTrue();
            assertThat(tool.at("/annotations/read_only_hint").asBoolean()).isFalse();
            assertThat(tool.at("/annotations/idempotent_hint").asBoolean()).isFalse();
        }
    }

    @Test
    void row2ASessionKeepsTheWorkingDirectoryAndNothingElse() {
        String here = SERVER.workspace().toString();
        assertThat(bash("mkdir -p \"it's a/b\"; cd \"it's a\"; X=1; export Y=2; set -e", "session", "one"))
                .isEqualTo("(no output)");

        assertThat(bash("pwd; echo \"<$X$Y$BASH_ENV>\"; trap -p; false; echo on; cd b", "session", "one"))
                .startsWith(here + "/it's a\n<>\n")
                .endsWith("on\n");
        assertThat(bash("pwd", "session", "one")).isEqualTo(here + "/it's a/b\n");
        bash("f() { :; }; alias g=:; umask 777; shopt -s extglob; cd /usr; cd -", "session", "one");
        assertThat(bash("type f g; umask; shopt extglob", "session", "one"))
                .contains("f: not found", "g: not found", "extglob        \toff")
                .doesNotContain("0777");
        assertThat(bash("pwd", "session", "two")).isEqualTo(here + "\n");
        assertThat(bash("pwd")).isEqualTo(here + "\n");
    }

    /** By the name that it was entered by, whatever the command has changed of its shell. */
    @Test
    void row2ASessionFollowsWhateverTheShellIsSetTo() {
        String here = SERVER.workspace().toString();
        bash("set -o noclobber; cd /usr", "session", "set");
        assertThat(bash("pwd; pwd() { echo mine; }; cd /etc", "session", "set")).isEqualTo("/usr\n");
        assertThat(bash("pwd", "session", "set")).isEqualTo("/etc\n");
        bash("mkdir real; ln -s real link; cd link", "session", "linked");
        assertThat(bash("pwd; pwd -P; cd ..", "session", "linked")).isEqualTo(here + "/link\n" + here + "/real\n");
        assertThat(bash("pwd", "session", "linked")).isEqualTo(here + "\n");
    }

    @Test
    void row2ASessionChangesNoExitCodeAndNoText() {
        String here = SERVER.workspace().toString();
        assertThat(bash("cd /; exit 7", "session", "codes")).isEqualTo("exit code: 7");
        assertThat(bash("pwd; (cd /usr); bash -c 'cd /usr'; $(cd /usr)", "session", "codes"))
                .isEqualTo("/\n");
        assertThat(bash("cd /usr; set -e; false; cd /etc", "session", "codes")).isEqualTo("exit code: 1");
        assertThat(bash("pwd; cd /tmp; if", "session", "codes"))
                .contains("syntax error")
                .endsWith("exit code: 2");
        assertThat(bash("echo \"$#\" 'a\"b' $'c\\n'; pwd", "session", "codes")).isEqualTo("0 a\"b c\n\n/usr\n");
        assertThat(bash("mkdir gone; cd gone; rmdir ../gone", "session", "gone"))
                .doesNotContain("exit code");
        JsonNode gone = tools.error("workdir_not_found", "bash", "command", "touch ran", "session", "gone");
        assertThat(gone.path("text").asText())
                .contains(
                        "/gone, is not there any more; nothing was run.",
                        "Call again: the session goes on in the workspace");
        assertThat(bash("pwd; ls ran", "session", "gone"))
                .startsWith(here + "\n")
                .contains("No such file");
        assertThat(bash("nonsuch", "session", "errors")).isEqualTo(bash("nonsuch"));
    }

    @Test
    void row5ShellExecRunsAProgramWithoutAShell() {
        JsonNode result = tools.success(
                        "shell.exec",
                        "executable",
                        "printf",
                        "argv",
                        List.of("%s|", "$HOME", "*", "a b"),
                        "cwd",
                        "/",
                        "env",
                        Map.of("K", "v"),
                        "timeout_ms",
                        20_000)
                .path("result");
        assertThat(result.toString())
                .isEqualTo("{\"stdout\":\"$HOME|*|a b|\",\"stderr\":\"\",\"success\":true,\"exit_code\":0}");
        assertThat(tools.success(
                                "shell.exec",
                                "executable",
                                "sh",
                                "argv",
                                List.of("-c", "pwd; echo $K"),
                                "cwd",
                                "/usr",
                                "env",
                                Map.of("K", "v"))
                        .at("/result/stdout")
                        .asText())
                .isEqualTo("/usr\nv\n");
    }

    @Test
    void row5ShellExecIsAnErrorWhenNotSuccess() {
        JsonNode failed = tools.error(
                "execution_failed",
                "shell.exec",
                "executable",
                "sh",
                "argv",
                List.of("-c", "echo o; echo e >&2; exit 5"));
        assertThat(failed.path("text").asText())
                .isEqualTo("{\"stdout\":\"o\\n\",\"stderr\":\"e\\n\",\"success\":false,\"exit_code\":5}");
        assertThat(failed.at("/error/recovery_hint").asText()).isNotBlank();

        JsonNode killed =
                tools.error("execution_failed", "shell.exec", "executable", "sh", "argv", List.of("-c", "kill -9 $$"));
        assertThat(killed.at("/result/exit_code").isNull()).isTrue();
        JsonNode timedOut = tools.error(
                "execution_failed", "shell.exec", "executable", "sleep", "argv", List.of("4323"), "timeout_ms", 50);
        assertThat(timedOut.path("text").asText()).startsWith("The command was ended: timeout.\n{\"stdout\":");
        tools.error("execution_failed", "shell.exec", "executable", "no-such-program");
    }

    @Test
    void row5ShellExecTellsACancelledProgramFromOneThatFailed() throws Exception {
        String before = SERVER.newest();
        var waiting = CompletableFuture.supplyAsync(
                () -> tools.call("shell.exec", "executable", "sleep", "argv", List.of("4327")));
        String id = SERVER.awaitNewer(before);
        tools.http().stop(id, "force", true).hasStatus(200);

        assertThat(waiting.get().at("/error/kind").asText()).isEqualTo("cancelled");
    }

    @Test
    void row5ShellExecRefusesOtherFieldsAndTypes() {
        tools.error("invalid_tool_input", "shell.exec");
        tools.error("invalid_tool_input", "shell.exec", "executable", "true", "shell", "bash");
        tools.error("invalid_tool_input", "shell.exec", "executable", "true", "timeout_ms", 0);
        tools.error("invalid_tool_input", "shell.exec", "executable", "true", "env", Map.of("K", 1));
        tools.error("workdir_not_found", "shell.exec", "executable", "true", "cwd", "/nonsuch");
    }

    @Test
    void row5ShellExecEndsItsProcessWhenItsCallerGoes() throws Exception {
        Path pid = SERVER.workspace().resolve("shell-exec.pid");
        String body = Json.write(Json.object(
                "executable",
                "sh",
                "argv",
                List.of("-c", "echo $$ > shell-exec.tmp; mv shell-exec.tmp shell-exec.pid; sleep 4324")));
        RawHttp caller = RawHttp.to(SERVER.port());
        caller.post(SERVER, "/v1/tools/shell_exec?profile=classic", body);
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(pid));
        assertThat(Processes.alive(pidOf("shell-exec.pid"))).isTrue();

        caller.close();

        Processes.awaitGone(pidOf("shell-exec.pid"));
    }
}
