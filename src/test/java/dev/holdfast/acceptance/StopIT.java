package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kernel.CgroupTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 6: a stop means that everything is gone. */
class StopIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final boolean GROUPS = CgroupTest.canBeMade();
    /** Leaves session, environment and parent at once, when it has lived long enough for a group of its own. */
    private static final String ESCAPE =
            "until grep -q /task_ /proc/$$/cgroup; do echo; sleep 0.1; done; env -i setsid sh -c '(exec sh -c \"echo \\$\\$ > FILE; exec sleep 707\") & exit' &";

    private final Calls http = SERVER.calls();

    @Test
    void whatEndsOnTermEndsByItself() {
        String id = http.start("trap 'echo cleaned up; exit 0' TERM; echo ready; while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");

        Answer answer = http.stop(id, "grace_ms", 60_000).hasStatus(200);

        assertThat(answer.at("/stop_requested").asBoolean()).isTrue();
        assertThat(answer.at("/force_stop_requested").asBoolean(true)).isFalse();
        assertThat(answer.at("/survivors").toString()).isEqualTo("[]");
        assertThat(answer.text("/task/status")).isEqualTo("cancelled");
        assertThat(answer.text("/task/ended_by")).isEqualTo("stop");
        assertThat(answer.at("/task/exit_status").asInt(-1)).isZero();
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(30));
        assertThat(http.output(id)).contains("cleaned up");
    }

    @Test
    void whatIgnoresTermIsKilledAfterTheGrace() {
        String id = http.start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");
        long pid = http.pid(id);

        Answer answer = http.stop(id, "grace_ms", 700).hasStatus(200);

        assertThat(answer.text("/task/status")).isEqualTo("cancelled");
        assertThat(answer.text("/task/exit_signal")).isEqualTo("SIGKILL");
        assertThat(answer.took()).isBetween(Duration.ofMillis(700), Duration.ofSeconds(30));
        assertThat(Processes.alive(pid)).isFalse();
    }

    @Test
    void forceDoesNotWait() {
        String id = http.start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
        http.awaitOutput(id, "ready");

        Answer answer = http.stop(id, "force", true, "grace_ms", 60_000).hasStatus(200);

        assertThat(answer.at("/force_stop_requested").asBoolean()).isTrue();
        assertThat(answer.text("/task/status")).isEqualTo("cancelled");
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void aStoppedProcessIsStoppedToo() {
        String id = http.start("exec sleep 600");
        long pid = http.pid(id);
        http.signal(id, "STOP");
        Awaitility.await().until(() -> Processes.state(pid).orElse('?') == 'T');

        assertThat(http.stop(id, "grace_ms", 500).hasStatus(200).text("/task/status"))
                .isEqualTo("cancelled");
        assertThat(Processes.alive(pid)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(setsid sh -c 'sleep 700 & echo $! > FILE; wait' &)",
                "env -i /bin/sh -c 'echo $$ > FILE; exec sleep 701' &",
                "set -m; sleep 702 & echo $! > FILE",
                "nohup sh -c 'trap \"\" TERM HUP INT; echo $$ > FILE; while :; do sleep 1; done' > /dev/null 2>&1 &",
                "python3 -c 'import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n  open(\"FILE\",\"w\").write(str(os.getpid()))\n  time.sleep(703)'"
            })
    void nothingEscapes(String escape) throws IOException {
        Path file = Files.createTempFile(SERVER.workspace(), "escapee", "");
        String id = http.start(escape.replace("FILE", file.toString()) + "\nsleep 704");
        assertStopEnds(id, file);
    }

    private void assertStopEnds(String id, Path file) {
        long escapee = Long.parseLong(Awaitility.await()
                .atMost(Calls.PATIENCE)
                .until(() -> Files.readString(file).strip(), text -> !text.isEmpty()));

        Answer answer = http.stop(id, "grace_ms", 500).hasStatus(200);

        assertThat(Processes.alive(escapee)).isFalse();
        assertThat(answer.at("/survivors").toString()).isEqualTo("[]");
    }

    /**
     * It leaves session, environment and parent at once, but had lived for a while; nobody asked for the task's facts.
     */
    @Test
    void whatLeavesEverythingBehindAfterAWhileDoesNotEscapeEither() throws IOException {
        Path file = Files.createTempFile(SERVER.workspace(), "escapee", "");
        // It may be ten seconds from look to look, where one took long.
        String seen = GROUPS ? "until grep -q /task_ /proc/$$/cgroup; do sleep 0.1; done" : "sleep 12";
        String id = http.start(
                "(sh -c 'SEEN; exec env -i setsid sh -c \"echo \\$\\$ > FILE; exec sleep 707\"' &)\nsleep 708"
                        .replace("SEEN", seen)
                        .replace("FILE", file.toString()));
        assertStopEnds(id, file);
    }

    /**
     * It leaves them all at once, after it has lived for a moment; only its control group tells, if it can have one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatLeavesEverythingBehindAtOnceDoesNotEscapeItsGroup(boolean tty) throws IOException {
        for (int round = 0; GROUPS && round < 3; round++) {
            Path file = Files.createTempFile(SERVER.workspace(), "escapee", "");
            String id = http.start(ESCAPE.replace("FILE", file.toString()) + "\nsleep 708", "tty", tty);
            assertStopEnds(id, file);
        }
    }

    @Test
    void norDoesItEscapeALimitOrTheEndOfItsCommand() throws IOException {
        for (int round = 0; GROUPS && round < 3; round++) {
            Path late = Files.createTempFile(SERVER.workspace(), "escapee", "");
            http.run(waiting(ESCAPE, late) + "\nsleep 708", "idle_timeout_ms", 2000)
                    .completed();
            Processes.awaitGone(Long.parseLong(Files.readString(late).strip()));

            Path ended = Files.createTempFile(SERVER.workspace(), "escapee", "");
            http.run(waiting(ESCAPE, ended), "on_exit", "stop").completed();
            Processes.awaitGone(Long.parseLong(Files.readString(ended).strip()));
        }
    }

    private static String waiting(String escape, Path file) {
        return escape.replace("FILE", file.toString()) + "\nuntil [ -s " + file + " ]; do echo; sleep 0.1; done";
    }

    @Test
    void aTimeoutLeavesNothingEither() throws IOException {
        Path file = SERVER.workspace().resolve("timed-out");
        http.run("setsid sh -c 'echo $$ > timed-out; exec sleep 705' & sleep 706", "timeout_ms", 3000)
                .completed();

        Processes.awaitGone(Long.parseLong(Files.readString(file).strip()));
    }

    @Test
    void aTerminalAndItsJobsAreGone() throws IOException {
        Path file = SERVER.workspace().resolve("job");
        String id = http.start("bash --norc -i", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        http.input(id, "text", "sleep 707 & echo $! > job; trap '' HUP TERM\n").hasStatus(200);
        Awaitility.await().atMost(Calls.PATIENCE).until(() -> Files.exists(file) && Files.size(file) > 0);

        assertThat(http.stop(id, "grace_ms", 500).hasStatus(200).text("/task/status"))
                .isEqualTo("cancelled");

        assertThat(Processes.alive(Long.parseLong(Files.readString(file).strip())))
                .isFalse();
    }

    @Test
    void anEndedTaskIsSaidToBeEnded() {
        String id = http.start("exit 3");
        JsonNode before = http.awaitEnd(id);

        Answer answer = http.stop(id).hasStatus(200);

        assertThat(answer.at("/stop_requested").asBoolean(true)).isFalse();
        assertThat(answer.at("/force_stop_requested").asBoolean(true)).isFalse();
        assertThat(answer.at("/task")).isEqualTo(before);
        assertThat(http.task(id)).isEqualTo(before);
    }

    @Test
    void aStopWithoutBodyHasTheDefaults() {
        String id = http.start("sleep 708");

        assertThat(http.send("POST", "/v1/tasks/" + id + "/stop", "").status()).isEqualTo(200);
        assertThat(http.task(id).path("status").asText()).isEqualTo("cancelled");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"grace_ms\":-1}", "{\"grace_ms\":60001}", "{\"grace_ms\":\"x\"}", "{\"now\":true}", "["})
    void whatIsNotTheSchemaStopsNothing(String body) {
        String id = http.start("sleep 709");

        http.send("POST", "/v1/tasks/" + id + "/stop", body).refused(400, "invalid_tool_input");

        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        http.stop(id, "force", true);
    }
}
