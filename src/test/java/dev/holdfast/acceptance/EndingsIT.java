package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kernel.ProcessExits;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2: how a command ends, by itself, by a signal or by a limit of its own, and what becomes of its children. */
class EndingsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "KILL", "SEGV", "HUP", "ABRT", "USR1", "INT", "PIPE"})
    void aSignalIsNoExitCode(String signal) {
        // No shell names INT and PIPE; in a container, or before Linux 6.6, the kernel tells only of what lived a
        // while.
        boolean unnamed = signal.equals("INT") || signal.equals("PIPE");
        String first = unnamed && !kernelTellsAtOnce() ? "sleep 0.5; " : "";
        Answer answer =
                http.run(first + "kill -" + signal + " $$; exec sleep 20").completed();

        assertThat(answer.at("/exit_status").isNull()).as(answer.body()).isTrue();
        assertThat(answer.text("/exit_signal")).isEqualTo("SIG" + signal);
        assertThat(answer.text("/ended_by")).isEqualTo("signal");
    }

    private static boolean kernelTellsAtOnce() {
        Optional<ProcessExits> exits = ProcessExits.open();
        exits.ifPresent(ProcessExits::close);
        return exits.isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 126, 127, 128, 130, 137, 141, 143, 255})
    void anExitCodeIsNoSignal(int code) {
        Answer answer = http.run("exit " + code).completed();

        assertThat(answer.at("/exit_status").asInt(-1)).isEqualTo(code);
        assertThat(answer.at("/exit_signal").isNull()).isTrue();
        assertThat(answer.text("/ended_by")).isEqualTo("exit");
    }

    @Test
    void aTimeoutEndsItInItsWindow() {
        Answer answer = http.run("echo before; sleep 60", "timeout_ms", 5000, "yield_time_ms", 60_000)
                .completed();

        assertThat(answer.text("/ended_by")).isEqualTo("timeout");
        assertThat(answer.text("/stdout_preview").strip()).isEqualTo("before");
        assertThat(answer.took()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
    }

    @Test
    void aTimeoutCountsFromTheStartAlsoForATask() {
        String id = http.start("sleep 30", "timeout_ms", 400);

        JsonNode task = http.awaitEnd(id);

        assertThat(task.path("status").asText()).isEqualTo("failed");
        assertThat(task.path("ended_by").asText()).isEqualTo("timeout");
    }

    @Test
    void silenceEndsItWhenThereIsAnIdleLimit() {
        Answer answer = http.run("echo before; sleep 60", "idle_timeout_ms", 5000, "yield_time_ms", 60_000)
                .completed();

        assertThat(answer.text("/ended_by")).isEqualTo("idle_timeout");
        assertThat(answer.text("/stdout_preview").strip()).isEqualTo("before");
    }

    @Test
    void outputKeepsTheIdleLimitAway() {
        String cmd = "for i in $(seq 22); do echo $i; sleep 0.25; done";
        Answer answer = http.run(cmd, "idle_timeout_ms", 5000, "yield_time_ms", 60_000);

        assertThat(answer.completed().text("/ended_by")).isEqualTo("exit");
    }

    /** As a container is that was paused: one that was looked at before, and one that was not yet. */
    @Test
    void whatWasHeldTogetherWithTheServerWasNotSilent() throws Exception {
        Duration limit = Duration.ofSeconds(8); // others may keep a processor for some of them
        String before = printing(limit, 15);
        List<String> both = List.of(before, printing(limit, 2));
        for (String id : both) {
            http.signal(id, "STOP").hasStatus(200);
        }
        Processes.signal("STOP", SERVER.pid());
        try {
            Instant from = Instant.now();
            await().atMost(Calls.PATIENCE)
                    .until(() -> Instant.now().isAfter(from.plus(limit).plusSeconds(1)));
        } finally {
            Processes.signal("CONT", SERVER.pid());
        }
        http.run("true").completed(); // it may go on a little before the rest
        for (String id : both) {
            long seen = http.task(id).at("/output/stdout_bytes").asLong();
            http.signal(id, "CONT").hasStatus(200);
            http.awaitOutput(id, "\n".repeat((int) seen + 10));
            assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        }
    }

    private String printing(Duration limit, int lines) {
        String id = http.start("while echo; do sleep 0.1; done # " + lines, "idle_timeout_ms", limit.toMillis());
        http.awaitOutput(id, "\n".repeat(lines));
        return id;
    }

    @Test
    void childrenThatHoldTheOutputDoNotDelayTheEnd() throws IOException {
        Answer answer = http.run("(sleep 600 & echo $! > child); echo now").completed();
        long child = Long.parseLong(
                Files.readString(SERVER.workspace().resolve("child")).strip());

        assertThat(answer.text("/stdout_preview").strip()).isEqualTo("now");
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(10));
        assertThat(Processes.alive(child)).as("on_exit is leave").isTrue();
        Processes.kill(child);
    }

    @Test
    void whatChildrenWriteLaterIsStillRecorded() {
        String id = http.start("echo now; (sleep 0.7; echo late) &");

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        assertThat(http.awaitOutput(id, "late")).startsWith("now");
    }

    @Test
    void onExitStopEndsWhatOutlivesIt() throws IOException {
        http.run("sleep 600 & setsid sleep 601 & echo $! > stopped; echo now", "on_exit", "stop")
                .completed();
        long child = Long.parseLong(
                Files.readString(SERVER.workspace().resolve("stopped")).strip());

        Processes.awaitGone(child);
    }
}
