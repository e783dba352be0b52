package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code holdfast token} and its calls: who makes tokens, and what they open. */
@Timeout(180)
class TokenCommandIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Cli cli = new Cli(SERVER);
    private Path file = Path.of("");

    @BeforeEach
    void none() throws Exception {
        file = SERVER.data().resolve("tokens.yaml");
        Files.deleteIfExists(file);
    }

    private static Calls as(String token) {
        return new Calls(SERVER.calledWith(token));
    }

    @Test
    void aTokenIsInUseAtOnceAndRefusedAtOnce() throws Exception {
        Cli.Ran made = cli.run(
                "token", "add", "ci", "--role", "agent", "-l", "team=web", "--mode", "plan", "--sandbox", "read_only");
        assertThat(made.exit()).isZero();
        assertThat(made.text()).matches("hf_[A-Za-z0-9_-]{43}\n");
        assertThat(made.err()).contains("once").doesNotContain(made.text().strip());
        String token = made.text().strip();

        Calls agent = as(token);
        assertThat(agent.get("/v1/console/session").json().path("name").asText())
                .isEqualTo("ci");
        agent.run("touch there").refused(403, "command_denied");
        assertThat(Files.readString(file))
                .contains("team: web", "plan", "read_only")
                .doesNotContain(token);

        Cli.Ran list = cli.run("token", "list");
        assertThat(list.text())
                .contains("ci", "agent", "plan", "read_only", "team=web")
                .doesNotContain(token);
        assertThat(cli.run("--json", "token", "list").text())
                .contains("\"name\":\"ci\"")
                .contains("\"token\":null");

        assertThat(cli.run("token", "rm", "ci"))
                .extracting(Cli.Ran::exit, Cli.Ran::text)
                .containsExactly(0, "");
        agent.get("/v1/tasks").refused(401, "unauthorized");
        Cli.Ran gone = cli.run("token", "rm", "ci");
        assertThat(gone.exit()).isEqualTo(1);
        assertThat(gone.err()).contains("no token of that name");
    }

    @Test
    void whatIsWrongIsSaidAndMakesNone() throws Exception {
        cli.run("token", "add", "twice");
        String before = Files.readString(file);
        for (List<String> words : List.of(
                List.of("twice"),
                List.of("operator"),
                List.of("no name"),
                List.of("x", "--role", "king"),
                List.of("x", "--mode", "shut"),
                List.of("x", "--sandbox", "tight"))) {
            Cli.Ran refused = cli.run(words, "token", "add");
            assertThat(refused.exit()).as(words.toString()).isEqualTo(2);
            assertThat(refused.text()).isEmpty();
            assertThat(refused.err()).startsWith("holdfast: ");
        }
        assertThat(cli.run("token").exit()).isEqualTo(2);
        assertThat(cli.run("token", "add").exit()).isEqualTo(2);
        assertThat(Files.readString(file)).isEqualTo(before);

        String broken = before + "  - {name: x}\n";
        Files.writeString(file, broken);
        Cli.Ran refused = cli.run("token", "add", "other");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("line 4", "role");
        SERVER.calls().delete("/v1/tokens/twice").refused(409, "tokens_unusable");
        assertThat(Files.readString(file)).isEqualTo(broken);
    }

    @Test
    void onlyAnOperatorWhoIsHeldToNothingMakesThem() throws Exception {
        for (List<String> words : List.of(
                List.of("agent"),
                List.of("observer", "--role", "observer"),
                List.of("held", "--role", "operator", "--mode", "plan"))) {
            String token = cli.run(words, "token", "add").text().strip();
            Calls calls = as(token);
            calls.get("/v1/tokens").refused(403, "forbidden");
            calls.post("/v1/tokens", Json.object("name", "mine", "role", "operator"))
                    .refused(403, "forbidden");
            calls.delete("/v1/tokens/" + words.getFirst()).refused(403, "forbidden");
            assertThat(cli.run(List.of("--token", token), "token", "list").exit())
                    .isEqualTo(1);
        }
        String second =
                cli.run("token", "add", "second", "--role", "operator").text().strip();
        assertThat(as(second)
                        .post("/v1/tokens", Json.object("name", "third", "labels", Map.of("a", "b")))
                        .hasStatus(200)
                        .text("/role"))
                .isEqualTo("agent");
        assertThat(Files.readString(file)).contains("third");
    }
}
