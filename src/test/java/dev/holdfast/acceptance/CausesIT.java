package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that dies while it ends a task: the next one brings the end about, and knows why. */
class CausesIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private static final String DEAF = "trap '' TERM; while :; do sleep 0.05; done";

    private final Calls http = SERVER.calls();

    private static void awaitCause(String id, String cause) {
        Path file = SERVER.taskFolder(id).resolve("cause");
        await(cause)
                .atMost(Calls.PATIENCE)
                .until(() -> Files.exists(file) && Files.readString(file).startsWith(cause));
    }

    private static void killAndStart() throws Exception {
        SERVER.kill();
        SERVER.start();
    }

    private void stopInBackground(String id) {
        Thread.startVirtualThread(() -> {
            try {
                http.stop(id, "grace_ms", 10_000);
            } catch (AssertionError serverKilled) {
                // As intended.
            }
        });
        http.awaitTask(id, task -> task.path("status").asText().equals("cancelling"));
        awaitCause(id, "STOP");
    }

    @Test
    void aStopInItsGrace() throws Exception {
        String id = http.start(DEAF);
        long pid = http.pid(id);
        stopInBackground(id);

        killAndStart();

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).isEqualTo("cancelled");
        assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
        assertThat(Processes.alive(pid)).isFalse();
    }

    @Test
    void aStopThatTookEffectWhileNoServerRan() throws Exception {
        String id = http.start("trap 'touch asked' TERM; until test -e leave; do sleep 0.05; done; exit 3");
        long pid = http.pid(id);
        stopInBackground(id);
        await().until(() -> Files.exists(SERVER.workspace().resolve("asked")));
        SERVER.kill();
        Files.writeString(SERVER.workspace().resolve("leave"), "");
        Processes.awaitGone(pid);
        SERVER.start();

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).isEqualTo("cancelled");
        assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
        assertThat(ended.path("exit_status").asInt()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"timeout_ms, TIMEOUT, timeout", "idle_timeout_ms, IDLE_TIMEOUT, idle_timeout"})
    void aLimit(String field, String cause, String endedBy) throws Exception {
        String id = http.start(DEAF, field, 700);
        awaitCause(id, cause);

        killAndStart();

        assertEndedBy(id, endedBy);
    }

    /** Where holes can be punched this limit is not reached; the file says what the server before would have. */
    @Test
    void anOutputLimit() throws Exception {
        String id = http.start(DEAF);
        http.pid(id);
        SERVER.kill();
        writeCause(id, "OUTPUT_LIMIT");
        SERVER.start();

        assertEndedBy(id, "output_limit");
    }

    @Test
    void aTornCauseIsNone() throws Exception {
        String id = http.start("until test -e torn; do sleep 0.05; done; exit 5");
        http.pid(id);
        SERVER.kill();
        writeCause(id, "OUTPUT_L");
        SERVER.start();
        Files.writeString(SERVER.workspace().resolve("torn"), "");

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("ended_by").asText()).isEqualTo("exit");
        assertThat(ended.path("exit_status").asInt()).isEqualTo(5);
    }

    private static void writeCause(String id, String cause) throws IOException {
        Files.writeString(SERVER.taskFolder(id).resolve("cause"), cause);
    }

    private void assertEndedBy(String id, String endedBy) {
        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).isEqualTo("failed");
        assertThat(ended.path("ended_by").asText()).isEqualTo(endedBy);
    }
}
