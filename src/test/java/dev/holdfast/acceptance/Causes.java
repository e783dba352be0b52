package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** A server that dies while it ends a task: the next one brings the end about, and knows why. In RestartIT's tests. */
final class Causes {
    private static final PackagedServer SERVER = PackagedServer.shared();

    /** What a shell ignores what it becomes ignores. */
    private static final String DEAF = "trap '' TERM; echo deaf; exec sleep 600";

    /** Of what ends with it, and so is waited for. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Calls http = SERVER.calls();

    private static void awaitCause(String id, String cause) {
        Path file = SERVER.taskFolder(id).resolve("cause");
        await(cause)
                .atMost(Calls.PATIENCE)
                .until(() -> Files.exists(file) && Files.readString(file).startsWith(cause));
    }

    /** Once it has said that it is ready for that. */
    private void stopInBackground(String id, Duration grace) {
        http.awaitTask(id, task -> task.at("/output/stdout_bytes").asLong() > 0);
        Thread.startVirtualThread(() -> {
            try {
                http.stop(id, "grace_ms", grace.toMillis());
            } catch (AssertionError serverKilled) {
                // As intended.
            }
        });
        http.awaitTask(id, task -> task.path("status").asText().equals("cancelling"));
        awaitCause(id, "STOP");
    }

    /** The last have clocks that run. */
    Stream<Story> overAKill() throws IOException {
        return Stream.of(
                anOutputLimit(),
                aTornCauseIsNone(),
                aStopThatTookEffectWhileNoServerRan(),
                aStopInItsGrace(),
                aStopOfWhichTheCommandHasNotHeard(),
                aStopThatIsOnNoRecordButItsRow(),
                limits());
    }

    private Story aStopInItsGrace() {
        String id = http.start(DEAF);
        long pid = http.pid(id);
        stopInBackground(id, GRACE);

        return new Story("a stop in its grace", () -> {
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
            assertThat(Processes.alive(pid)).isFalse();
        });
    }

    /** The server was killed before TERM, and was away for longer than the grace. */
    private Story aStopOfWhichTheCommandHasNotHeard() {
        String id = http.start("trap 'exit 3' TERM; echo ready; while :; do sleep 0.2; done");
        http.awaitOutput(id, "ready");

        return new Story(
                "a stop of which the command has not heard",
                () -> writeCause(id, "STOP " + Instant.now().minusSeconds(60) + " PT20S"),
                () -> {
                    JsonNode ended = http.awaitEnd(id);
                    assertThat(ended.path("status").asText()).isEqualTo("cancelled");
                    assertThat(ended.path("exit_status").asInt()).isEqualTo(3);
                });
    }

    /** As on a full disk, where the file cannot be written. */
    private Story aStopThatIsOnNoRecordButItsRow() throws IOException {
        String id = http.start(DEAF);
        long pid = http.pid(id);
        stopInBackground(id, GRACE);
        Files.delete(SERVER.taskFolder(id).resolve("cause"));

        return new Story("a stop that is on no record but its row", () -> {
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
            assertThat(Processes.alive(pid)).isFalse();
        });
    }

    private Story aStopThatTookEffectWhileNoServerRan() {
        String id = http.start("trap 'touch asked' TERM; echo ready; until test -e leave; do sleep 0.2; done; exit 3");
        long pid = http.pid(id);
        stopInBackground(id, Duration.ofMinutes(1)); // it must not be over before the server is
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.workspace().resolve("asked")));

        return new Story(
                "a stop that took effect while no server ran",
                () -> {
                    Files.writeString(SERVER.workspace().resolve("leave"), "");
                    Processes.awaitGone(pid);
                },
                () -> {
                    JsonNode ended = http.awaitEnd(id);
                    assertThat(ended.path("status").asText()).isEqualTo("cancelled");
                    assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
                    assertThat(ended.path("exit_status").asInt()).isEqualTo(3);
                });
    }

    private Story limits() {
        String late = http.start(DEAF, "timeout_ms", 700);
        String silent = http.start(DEAF, "idle_timeout_ms", 700);
        awaitCause(late, "TIMEOUT");
        awaitCause(silent, "IDLE_TIMEOUT");

        return new Story("limits", () -> {
            assertEndedBy(late, "timeout");
            assertEndedBy(silent, "idle_timeout");
        });
    }

    /** Where holes can be punched this limit is not reached; the file says what the server before would have. */
    private Story anOutputLimit() {
        String id = http.start(DEAF);
        http.pid(id);

        return new Story(
                "an output limit", () -> writeCause(id, "OUTPUT_LIMIT"), () -> assertEndedBy(id, "output_limit"));
    }

    private Story aTornCauseIsNone() {
        String id = http.start("until test -e torn; do sleep 0.2; done; exit 5");
        http.pid(id);

        return new Story("a torn cause is none", () -> writeCause(id, "OUTPUT_L"), () -> {
            Files.writeString(SERVER.workspace().resolve("torn"), "");
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("ended_by").asText()).isEqualTo("exit");
            assertThat(ended.path("exit_status").asInt()).isEqualTo(5);
        });
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
