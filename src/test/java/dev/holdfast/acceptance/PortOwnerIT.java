package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A start that failed since its port is taken is told who holds it. */
class PortOwnerIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final String LISTEN =
            "python3 -c \"import socket; s=socket.socket(); " + "s.bind(('127.0.0.1', %d)); s.listen(); input()\"";

    private final Calls http = SERVER.calls();
    private final int port = PackagedServer.freePort();

    @Test
    void theTaskIsNamed() {
        String cmd = "exec python3 -m http.server " + port + " --bind 127.0.0.1";
        String holder = listening(cmd);

        Answer answer = http.run(cmd, "duplicate_policy", "start_new").completed();

        assertThat(answer.at("/exit_status").asInt()).isNotZero();
        JsonNode owner = answer.at("/details/port_owner");
        assertThat(owner.path("port").asInt()).isEqualTo(port);
        assertThat(owner.path("task_id").asText()).isEqualTo(holder);
        assertThat(owner.path("pid").asLong()).isEqualTo(http.pid(holder));
        assertThat(owner.path("command").asText()).isEqualTo(cmd);
        assertThat(http.receipt(cmd, "duplicate_policy", "start_new").lines())
                .contains("Port " + port + " is held by " + holder + " (" + cmd + ").");
        http.stop(holder, "force", true);
    }

    @Test
    void itIsNamedWhereTheFailureIsThatOfATask() {
        String cmd = "exec python3 -m http.server " + port + " --bind 127.0.0.1";
        String holder = listening(cmd);

        JsonNode failed = http.awaitEnd(http.start(cmd));

        assertThat(failed.path("status").asText()).isEqualTo("failed");
        assertThat(failed.at("/details/port_owner/task_id").asText()).isEqualTo(holder);
        http.stop(holder, "force", true);
    }

    /** Of whom no command runs any more. */
    @Test
    void whatWasLeftRunningIsNamedToo() {
        Answer first = http.run(Calls.leaving(port)).completed();

        Answer second =
                http.run("python3 -m http.server " + port + " --bind 127.0.0.1").completed();

        JsonNode owner = second.at("/details/port_owner");
        assertThat(owner.path("task_id").asText()).isEqualTo(first.text("/task_id"));
        assertThat(owner.path("pid")).isEqualTo(first.at("/left_running/0/pid"));
        http.stop(first.text("/task_id"), "force", true);
    }

    @Test
    void ofAStrangerThePidIsTold() throws Exception {
        try (ServerSocket mine = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String told = "echo 'Error: listen EADDRINUSE: address already in use 127.0.0.1:" + mine.getLocalPort()
                    + "' >&2; exit 1";
            long me = ProcessHandle.current().pid();

            assertThat(http.run(told).completed().at("/details/port_owner").toString())
                    .isEqualTo("{\"port\":" + mine.getLocalPort() + ",\"pid\":" + me + "}");
            assertThat(http.receipt(told).strip())
                    .endsWith("Port " + mine.getLocalPort() + " is held by process " + me + ", no task's.");
        }
    }

    @Test
    void aPersonIsToldToo() throws Exception {
        String holder = listening(LISTEN.formatted(port));
        var cli = new Cli(SERVER);

        Cli.Ran ran = cli.run("run", "-l", "port=" + port, "echo 'EADDRINUSE :::" + port + "' >&2; exit 4");

        assertThat(ran.exit()).isEqualTo(4);
        String cause = "port " + port + " is held by " + holder + " (python3 ";
        assertThat(ran.err()).contains("holdfast: " + cause);
        String id = cli.run("ps", "-a", "-q", "-l", "port=" + port).text().strip();
        assertThat(cli.run("status", id).text()).contains("\nCause:     " + cause);
        http.stop(holder, "force", true);
    }

    /** The kernel's tables tell, not the text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo 'listen EADDRINUSE :::%d, held by task_01JABCDEFGHJKMNPQRSTVWXYZ0' >&2; exit 1",
                "echo 'Address already in use' >&2; exit 1"
            })
    void nobodyIsNamedWhereNobodyListens(String cmd) {
        Answer answer = http.run(cmd.formatted(port)).completed();

        assertThat(answer.at("/details/port_owner").isMissingNode()).isTrue();
    }

    @Test
    void nobodyIsNamedForASuccess() {
        String holder = listening(LISTEN.formatted(port));

        Answer answer = http.run("echo 'EADDRINUSE :::" + port + "'").completed();

        assertThat(answer.at("/details/port_owner").isMissingNode()).isTrue();
        http.stop(holder, "force", true);
    }

    private String listening(String cmd) {
        return http.run(
                        cmd,
                        "duplicate_policy",
                        "start_new",
                        "accepts_input",
                        true,
                        "yield_time_ms",
                        20_000,
                        "yield_when",
                        Map.of("port_open", port))
                .promoted();
    }
}
