package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 13: {@code POST /v1/policy/check}. */
class PolicyIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private Answer check(Object... fields) {
        return http.post("/v1/policy/check", Json.object(fields));
    }

    @AfterEach
    void noPolicy() throws IOException {
        Files.deleteIfExists(policy());
    }

    private static Path policy() {
        return SERVER.data().resolve("policy.yaml");
    }

    @Test
    void whatDecidesIsTold() {
        Answer answer = check("cmd", "ls && sudo rm -rf /*").hasStatus(200);
        assertThat(answer.json()).isEqualTo(Json.read("""
                        {"decision": "deny", "rule": "builtin.rm-root",
                         "reason": "It would delete the root, a folder of the system, or the home folder.",
                         "words": ["rm", "-rf", "/*"], "classes": ["destructive", "privileged"], "mode": "open",
                         "commands": [
                           {"words": ["ls"], "classes": ["read_only"], "decision": "allow", "rule": null},
                           {"words": ["rm", "-rf", "/*"], "classes": ["destructive", "privileged"],
                            "decision": "deny", "rule": "builtin.rm-root"}]}"""));
    }

    @Test
    void aFileIsReadWhileTheServerRuns() throws IOException {
        assertThat(check("argv", List.of("git", "push", "--force")).text("/decision"))
                .isEqualTo("allow");
        Files.writeString(policy(), """
                version: 1
                rules:
                  - id: force-push
                    match: {command: "git push *--force*", labels: {team: web}}
                    decision: deny
                    reason: Force pushes go through a person.
                """);
        await().untilAsserted(() -> assertThat(
                        check("cmd", "git push --force", "labels", Map.of("team", "web"), "env", Map.of("A", "b"))
                                .text("/reason"))
                .isEqualTo("Force pushes go through a person."));
        assertThat(check("cmd", "git push --force").text("/decision")).isEqualTo("allow");
        assertThat(check("cmd", "git push --force", "labels", Map.of("team", "web"), "on", "stop")
                        .text("/decision"))
                .isEqualTo("allow");
        assertThat(check("cmd", "ls", "env", Map.of("LD_PRELOAD", "x.so")).text("/rule"))
                .isEqualTo("builtin.env-hijack");
    }

    @Test
    void aRelativePathIsOneOfTheWorkingDirectory() {
        assertThat(check("cmd", "rm -rf *", "workdir", "/").text("/rule")).isEqualTo("builtin.rm-root");
        assertThat(check("cmd", "rm -rf *").text("/decision")).isEqualTo("allow");
        check("cmd", "ls", "workdir", "nowhere").refused(422, "workdir_not_found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | cmd",
                "{\"cmd\": \" \"} | cmd",
                "{\"cmd\": \"ls\", \"argv\": [\"ls\"]} | argv",
                "{\"cmd\": \"ls\", \"shell\": \"bash\"} | shell",
                "{\"cmd\": \"ls\", \"on\": \"start\"} | on",
                "{\"cmd\": \"ls\", \"env\": [\"A\"]} | env",
            })
    void aBodyIsReadStrictly(String body, String field) {
        Answer answer = http.send("POST", "/v1/policy/check", body);
        assertThat(answer.refused(400, "invalid_tool_input").text("/details/parse_error"))
                .contains(field);
    }
}
