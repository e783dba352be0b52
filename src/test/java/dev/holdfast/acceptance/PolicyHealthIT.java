package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 13: health tells of a policy or tokens file that can't be used; the server works on, by what held before. */
class PolicyHealthIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();
    private final Path policy = SERVER.data().resolve("policy.yaml");
    private final Path tokens = SERVER.data().resolve("tokens.yaml");

    @AfterEach
    void mended() throws IOException {
        Files.deleteIfExists(policy);
        Files.deleteIfExists(tokens);
        await().atMost(Calls.PATIENCE).until(() -> http.get("/q/health/well").status() == 200);
        assertThat(http.get("/q/health").status()).isEqualTo(200);
    }

    private String flaw(Path file) {
        await().atMost(Calls.PATIENCE).until(() -> http.get("/q/health/well").status() == 503);
        assertThat(http.get("/q/health").status()).isEqualTo(503);
        http.get("/q/health/ready").hasStatus(200);
        http.get("/q/health/live").hasStatus(200);
        for (JsonNode check : http.get("/q/health/well").json().path("checks")) {
            if (check.path("name").asText().equals("policy files")) {
                return check.path("data").path(file.toString()).asText();
            }
        }
        return "";
    }

    @Test
    void aBrokenPolicyFileIsToldWithItsLineAndTheOldRulesHold() throws Exception {
        Files.writeString(policy, "version: 1\nmode: plan\n");
        await().atMost(Calls.PATIENCE).until(() -> http.run("touch x").status() == 403);

        Files.writeString(policy, "version: 1\nrules:\n  - {id: a, match: {comand: ls}, decision: deny}\n");

        assertThat(flaw(policy)).contains("line 3", "comand", "The old rules hold.");
        assertThat(new Cli(SERVER).run("check", "touch x").err())
                .startsWith("holdfast: " + policy)
                .contains("line 3", "The old rules hold.");
        http.run("touch x").refused(403, "command_denied");
    }

    @Test
    void aBrokenTokensFileIsToldLikewise() throws IOException {
        Files.writeString(tokens, "tokens:\n  - {name: a, sha256: none, role: agent}\n");

        assertThat(flaw(tokens)).contains("line 2", "sha256").doesNotContain("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy.yaml", "tokens.yaml"})
    void oneThatEverybodyMayWriteOrThatIsAFolderIsRefused(String name) throws IOException {
        Path file = SERVER.data().resolve(name);
        Files.writeString(file, name.startsWith("p") ? "version: 1\n" : "tokens: []\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(flaw(file)).contains("chmod o-w");

        Files.delete(file);
        Files.createDirectory(file);
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(flaw(file)).contains("not a folder"));
    }

    /** Written out it would take all memory. */
    @Test
    void aRuleWhoseRegexRepeatsTooMuchIsRefused() throws IOException {
        Files.writeString(
                policy, "version: 1\nrules:\n  - {id: a, match: {regex: '((a{1000}){1000}){1000}'}, decision: deny}\n");

        assertThat(flaw(policy)).contains("line 3", "written out");
        assertThat(http.run("true").status()).isEqualTo(403); // it never was well
    }
}
