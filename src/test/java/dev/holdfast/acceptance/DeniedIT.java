package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 13: what the policy denies is not started. Each command would do nothing if it were. */
class DeniedIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private final Path policy = SERVER.data().resolve("policy.yaml");

    @AfterEach
    void noPolicy() throws IOException {
        Files.deleteIfExists(policy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "false && rm -rf /",
                "false && sudo rm -r -f --no-preserve-root //",
                "if false; then cd / && rm -rf *; fi",
                "false && bash -c 'find / -delete'",
                "false && mkfs.ext4 /dev/sda1",
                "false && dd if=/dev/zero of=/dev/sda",
                "false && (:(){ :|:& };:)",
                "false && chmod -R 777 /",
            })
    void whatIsNeverMeantLeavesNothing(String cmd) throws IOException {
        Set<Path> before = SERVER.taskFolders();

        Answer answer = http.run(cmd, "duplicate_policy", "start_new", "labels", Map.of("denied", "yes"));

        answer.refused(403, "command_denied");
        assertThat(answer.text("/details/rule")).startsWith("builtin.");
        assertThat(answer.text("/recovery_hint")).isNotBlank();
        assertThat(http.get("/v1/tasks?status=all&label=denied=yes").at("/tasks"))
                .isEmpty();
        assertThat(before).containsAll(SERVER.taskFolders());
    }

    @Test
    void aShellThatIsMadeForASessionIsOne() throws IOException {
        Files.writeString(policy, "version: 1\nmode: plan\n");
        await().atMost(Calls.PATIENCE).until(() -> http.run("touch x").status(), status -> status == 403);

        assertThat(bash("cd /tmp").text("/status")).isEqualTo("success");
        assertThat(bash("pwd").text("/result/stdout")).isEqualTo("/tmp\n");
        assertThat(bash("touch x").text("/error/kind")).isEqualTo("command_denied");
        noPolicy();
        await().atMost(Calls.PATIENCE).until(() -> http.run("touch x").status(), status -> status == 200);
    }

    private Answer bash(String command) {
        return http.post("/v1/tools/bash", Json.object("command", command, "session", "planner"));
    }

    /** The text tells nothing of what a program makes of it that is no shell, or only has the name of one. */
    @ParameterizedTest
    @ValueSource(strings = {"given", "bash"})
    void aShellOfTheCallersOwnIsAProgramLikeAnyOther(String name) throws IOException {
        Path given = SERVER.workspace().resolve(name);
        Files.writeString(given, "#!/bin/sh\ntouch by-its-own-shell\n");
        Files.setPosixFilePermissions(given, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(policy, "version: 1\nmode: plan\n");
        await().atMost(Calls.PATIENCE).until(() -> http.run("touch x").status(), status -> status == 403);

        Answer answer = http.run("ls --password=hunter2", "shell", given.toString());

        answer.refused(403, "command_denied");
        assertThat(answer.text("/details/rule")).isEqualTo("mode.plan");
        assertThat(answer.at("/details/words").toString())
                .contains(given.toString())
                .doesNotContain("hunter2");
        assertThat(http.run("ls", "shell", "python3").status()).isEqualTo(403);
        assertThat(http.run("ls", "shell", "sh").status()).isEqualTo(200);
        assertThat(SERVER.workspace().resolve("by-its-own-shell")).doesNotExist();
        noPolicy();
        await().atMost(Calls.PATIENCE).until(() -> http.run("touch x").status(), status -> status == 200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo 'rm -rf /'",
                "mkdir -p build && touch build/x && rm -rf ./build",
                "echo mkfs | grep -r mkfs .; true",
                "d=$(mktemp -d); rm -rf \"$d\"",
                "find . -name '*.none' -delete",
                "cat <<'EOF'\nrm -rf /\nEOF",
            })
    void whatLooksLikeItRuns(String cmd) {
        assertThat(http.run(cmd).completed().at("/exit_status").asInt(-1)).isZero();
    }

    @Test
    void anItemOfABatchFailsAndTheOthersGoOn() {
        Answer answer = http.post(
                "/v1/commands/batch",
                Json.object("items", List.of(Map.of("cmd", "false && rm -rf /"), Map.of("cmd", "echo on"))));

        assertThat(answer.text("/items/0/error_kind")).isEqualTo("command_denied");
        assertThat(answer.text("/items/1/status")).isEqualTo("completed");
    }

    /** Nothing is restarted for it; a file that cannot be read leaves the rules as they were. */
    @Test
    void theFilesRulesHoldFromWhenItChanges() throws IOException {
        Files.writeString(policy, rules("git push *--force*"));
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> http.run("false && git push --force").refused(403, "command_denied"));
        assertThat(http.run("false || true; sudo -n true; env A=b git push origin --force; true")
                        .refused(403, "command_denied")
                        .text("/details/rule"))
                .isEqualTo("mine");

        Files.writeString(policy, "rules: [");
        http.run("false && git push --force").refused(403, "command_denied");

        Files.writeString(policy, rules("git never"));
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> http.run("false && git push --force").completed());
    }

    @Test
    void aRuleThatAllowsLiftsWhatWouldBeAskedFor() throws IOException {
        Map<String, Object> install = Calls.command("false && curl -s http://127.0.0.1:9/ | sh", "yield_time_ms", 0);
        assertThat(http.post("/v1/commands", install).hasStatus(202).text("/rule"))
                .isEqualTo("builtin.pipe-to-shell");

        Files.writeString(policy, "version: 1\nrules:\n  - {id: mine, match: {command: sh}, decision: allow}\n");
        await().atMost(Calls.PATIENCE)
                .untilAsserted(
                        () -> assertThat(http.post("/v1/commands", install).text("/disposition"))
                                .isEqualTo("promoted_to_task"));

        Files.delete(policy);
        await().atMost(Calls.PATIENCE)
                .untilAsserted(
                        () -> assertThat(http.post("/v1/commands", install).text("/disposition"))
                                .isEqualTo("awaiting_approval"));
    }

    private static String rules(String command) {
        return "version: 1\nrules:\n  - {id: mine, match: {command: \"" + command
                + "\"}, decision: deny, reason: Not here.}\n";
    }
}
