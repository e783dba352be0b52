package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Walls that a command did not ask for: the server's default, and the least that a rule wants. */
@Walled
class LeastWallIT {
    private static final String RULES = """
            version: 1
            rules:
              - id: tests
                match: {executable: touch}
                decision: allow
                sandbox: read_only
            """;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_SANDBOX_DEFAULT", "workspace_write");

    private final Calls http = SERVER.calls();

    private int exit(String cmd, Object... more) {
        return http.run(cmd, more).completed().at("/exit_status").asInt(-1);
    }

    @Test
    void theDefaultHoldsWhereNoneIsNamed() throws Exception {
        String seen = "test -e " + SERVER.data() + "/token";
        assertThat(exit(seen)).isEqualTo(1);
        assertThat(exit(seen, "network", true)).isEqualTo(1);
        assertThat(exit(seen, "sandbox", "none")).isZero();
        assertThat(exit("touch a")).isZero();

        Path policy = SERVER.data().resolve("policy.yaml");
        Files.writeString(policy, RULES);
        await("the rules")
                .atMost(Calls.PATIENCE)
                .until(() -> exit("touch b", "sandbox", "none"), status -> status == 1);
        assertThat(exit("echo b > b; touch b")).isEqualTo(1);
        assertThat(exit("echo b > b", "sandbox", "none")).isZero();
        Files.delete(policy);
        await("no rules").atMost(Calls.PATIENCE).until(() -> exit("touch c", "sandbox", "none"), status -> status == 0);
    }

    /** The files that keep it lie in the data folder, which is not there. */
    @Test
    void aSessionOfTheClassicBashKeepsItsDirectory() throws Exception {
        var tools = new ToolCalls(http, "classic");
        assertThat(tools.text("bash", "command", "cd /usr; pwd", "session", "walled"))
                .isEqualTo("/usr\n");
        assertThat(tools.text("bash", "command", "pwd", "session", "walled")).isEqualTo("/usr\n");

        Path folder = Folders.children(SERVER.data().resolve("shells")).stream()
                .filter(Files::isDirectory)
                .findFirst()
                .orElseThrow();
        String changes =
                "for f in bash rc; do chmod u+w %1$s/$f; echo exit >> %1$s/$f; rm %1$s/$f; done; ls %1$s; touch %1$s/new %1$s/../new";
        String seen = tools.text("bash", "command", changes.formatted(folder), "session", "walled");
        assertThat(seen).startsWith("bash\ncwd\nrc\n").contains("Read-only file system");
        assertThat(Files.exists(folder.resolve("new"))).isFalse();
        assertThat(tools.text("bash", "command", "pwd", "session", "walled")).isEqualTo("/usr\n");
        assertThat(exit("ls " + folder)).isNotZero();
        assertThat(exit("ls " + folder.resolveSibling("secret"))).isNotZero();
    }
}
