package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where bubblewrap is not, or does not work, nothing starts without the wall that was asked for. */
class NoWallsIT {
    /** All that a server and its commands need, and no bwrap. */
    private static final Path PROGRAMS = programs();

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("PATH", PROGRAMS.toString());

    private final Calls http = SERVER.calls();

    private static Path programs() {
        try {
            Path folder = Files.createTempDirectory("no-walls-");
            for (String name : List.of("bash", "sh", "env", "true", "uname", "dirname", "readlink", "cat")) {
                Files.createSymbolicLink(folder.resolve(name), found(name));
            }
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path found(String name) {
        return List.of("/usr/bin", "/bin").stream()
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @AfterAll
    static void deleted() {
        Folders.delete(PROGRAMS);
    }

    @Test
    void nothingIsStartedWithoutTheWall() throws IOException {
        http.run("true").completed();
        String before = SERVER.newest();

        Answer answer = http.run("echo x > started", "sandbox", "workspace_write");
        answer.refused(422, "sandbox_unavailable");
        assertThat(answer.text("/recovery_hint")).contains("apt-get install bubblewrap");
        assertThat(SERVER.newest()).isEqualTo(before);
        assertThat(SERVER.workspace().resolve("started")).doesNotExist();
        assertThat(http.get("/v1/tasks?status=all").at("/tasks")).isEmpty();

        Answer batch = http.post(
                "/v1/commands/batch",
                Map.of("items", List.of(Map.of("cmd", "true", "sandbox", "read_only"), Map.of("cmd", "true"))));
        assertThat(batch.text("/items/0/error_kind")).isEqualTo("sandbox_unavailable");
        assertThat(batch.text("/items/1/status")).isEqualTo("completed");

        script("echo 'setting up uid map: Permission denied' >&2; exit 1");
        Answer broken = http.run("echo x > started", "sandbox", "read_only");
        broken.refused(422, "sandbox_unavailable");
        assertThat(broken.text("/detail")).contains("setting up uid map: Permission denied");
        assertThat(broken.text("/recovery_hint")).contains("sysctl", "user.max_user_namespaces");
        assertThat(SERVER.newest()).isEqualTo(before);
    }

    /** Answers the probe; there is nothing behind it when it matters. */
    @Test
    void aWallThatFailsAfterAllIsNoCommandsSuccess() throws IOException {
        script("for last; do :; done; [ \"$last\" = : ] && exit 0; echo 'no room for a wall' >&2; exit 1");

        Answer answer =
                http.run("true", "sandbox", "read_only", "network", true).completed();

        assertThat(answer.at("/exit_status").asInt(-1)).isEqualTo(126);
        assertThat(answer.text("/stderr_preview")).isEqualTo("no room for a wall\n");

        script("/bin/sleep 600 & exit 3"); // what it leaves holds its output open
        Answer next = http.run("true", "sandbox", "read_only", "network", true);
        next.refused(422, "sandbox_unavailable");
        assertThat(next.text("/detail")).contains("(it ended with 3)");
    }

    /** It is here for this server's PATH. */
    @Test
    void row2AFailedSpawnOfBashIsAnErrorResult() throws IOException {
        Path bash = PROGRAMS.resolve("bash");
        Path real = Files.readSymbolicLink(bash);
        Files.delete(bash);
        try {
            JsonNode answer =
                    new ToolCalls(http, "classic").error("command_spawn_failed", "bash", "command", "touch spawned");
            assertThat(answer.path("text").asText()).contains("bash");

            McpClient client = new McpClient(SERVER, "/mcp?profile=classic");
            client.begin();
            JsonNode overMcp = client.call("bash", Map.of("command", "touch spawned"));
            assertThat(overMcp.path("isError").asBoolean()).isTrue();
            assertThat(overMcp.at("/content/0/text").asText())
                    .isEqualTo(answer.path("text").asText());
        } finally {
            Files.createSymbolicLink(bash, real);
        }
        assertThat(SERVER.workspace().resolve("spawned")).doesNotExist();
    }

    private static void script(String text) throws IOException {
        Path file = PROGRAMS.resolve("bwrap");
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
