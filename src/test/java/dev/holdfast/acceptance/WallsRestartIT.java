package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A wall outlives the server, as what is behind it does. */
@Walled
class WallsRestartIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private String start(String cmd, Object... more) {
        String id = http.start(cmd, Json.object(more).isEmpty() ? new Object[] {"sandbox", "workspace_write"} : more);
        http.awaitOutput(id, "up");
        return id;
    }

    @Test
    void itsCommandsGoOnWithTheirExitsAndInput() throws Exception {
        String code = start("echo up; until test -e killed; do sleep 0.2; done; echo over; exit 8");
        String later = start("echo up; until test -e adopted; do sleep 0.2; done; echo later; kill -9 $$");
        String input =
                start("echo up; read -r x; echo \"got $x\"", "sandbox", "workspace_write", "accepts_input", true);
        String terminal = start("echo up; read -r x; echo \"got $x\"", "sandbox", "workspace_write", "tty", true);
        String stopped = start("echo up; setsid sleep 300 & sleep 300");
        long pid = http.pid(later);

        SERVER.kill();
        Files.createFile(SERVER.workspace().resolve("killed"));
        SERVER.start();

        assertThat(http.task(later).at("/process/pid").asLong()).isEqualTo(pid);
        assertThat(http.task(later).at("/command/sandbox").asText()).isEqualTo("workspace_write");
        assertThat(http.awaitEnd(code).path("exit_status").asInt()).isEqualTo(8);
        assertThat(http.output(code)).endsWith("over\n");
        http.input(input, "text", "fifo\n").hasStatus(200);
        http.input(terminal, "text", "tty\r").hasStatus(200);
        http.awaitOutput(input, "got fifo");
        http.awaitOutput(terminal, "got tty");
        Files.createFile(SERVER.workspace().resolve("adopted"));
        JsonNode killed = http.awaitEnd(later);
        assertThat(killed.path("exit_signal").asText()).isEqualTo("SIGKILL");
        http.stop(stopped, "grace_ms", 200).hasStatus(200);
        assertThat(Processes.marked("HOLDFAST_TASK", stopped)).isEmpty();
        assertThat(Processes.running(stopped)).isEmpty();
    }
}
