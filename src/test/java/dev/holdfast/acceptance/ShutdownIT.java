package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of tasks when the server goes: left, or stopped by {@code holdfast.shutdown}, and the log says which.
 */
class ShutdownIT {
    @RegisterExtension
    static final PackagedServer LEAVING = PackagedServer.shared();

    @RegisterExtension
    static final PackagedServer STOPPING = new PackagedServer().with("HOLDFAST_SHUTDOWN", "stop");

    private static void end(PackagedServer server, String signal) throws Exception {
        new ProcessBuilder("kill", "-s", signal, Long.toString(server.pid()))
                .start()
                .waitFor();
        assertThat(server.server().waitFor(30, TimeUnit.SECONDS)).as(signal).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void tasksAreLeft(String signal) throws Exception {
        Calls http = LEAVING.calls();
        String id = http.start("sleep 600");
        long pid = http.pid(id);

        end(LEAVING, signal);

        assertThat(Processes.alive(pid)).isTrue();
        assertThat(LEAVING.log()).containsPattern("Leaving 1 tasks running.*" + id);
        LEAVING.start();
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        assertThat(http.pid(id)).isEqualTo(pid);
        http.stop(id, "force", true).hasStatus(200);
    }

    @Test
    void tasksAreStopped() throws Exception {
        Calls http = STOPPING.calls();
        String one = http.start("sleep 600");
        String other = http.start("setsid sleep 601 & sleep 602");
        long pid = http.pid(one);
        http.pid(other);

        end(STOPPING, "TERM");

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(Processes.running("sleep 601")).isEmpty();
        assertThat(STOPPING.log())
                .containsPattern("Stopping 2 tasks.*" + one)
                .containsPattern("Stopping 2 tasks.*" + other);
        STOPPING.start();
        for (String id : new String[] {one, other}) {
            JsonNode task = http.task(id);
            assertThat(task.path("status").asText()).isEqualTo("cancelled");
            assertThat(task.path("ended_by").asText()).isEqualTo("stop");
        }
    }
}
