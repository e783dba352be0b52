package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 3: the window, what becomes of a command when it closes, and of one whose caller went away. */
class PromotionIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void aCommandThatOutlivesItsWindowIsATask() {
        Answer answer = http.run("echo first; sleep 60", "yield_time_ms", 5000); // it may be held up for some of them

        String id = answer.promoted();
        assertThat(id).matches("task_[0-9A-HJKMNP-TV-Z]{26}");
        assertThat(answer.text("/task_handle/task_kind")).isEqualTo("command_task");
        assertThat(answer.text("/task_handle/status")).isEqualTo("running");
        assertThat(answer.text("/promoted_because")).isEqualTo("yield_time");
        assertThat(answer.text("/initial_output_preview").strip()).isEqualTo("first");
        assertThat(answer.at("/initial_output_truncated").asBoolean(true)).isFalse();
        assertThat(answer.text("/summary_text")).isNotBlank();
        assertThat(answer.at("/command_diagnostics").isObject()).isTrue();
        assertThat(answer.took()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
        http.stop(id, "force", true);
    }

    @Test
    void withoutAWindowItIsATaskAtOnce() {
        Answer answer = http.run("sleep 31", "yield_time_ms", 0);

        String id = answer.promoted();
        assertThat(answer.at("/initial_output_preview").asText("").replace("null", ""))
                .isEmpty();
        assertThat(answer.took()).isLessThan(Duration.ofSeconds(10));
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        http.stop(id, "force", true);
    }

    @Test
    void anInitialOutputThatIsTooLongIsTruncated() {
        Answer answer = http.run(
                "seq 1 20000; sleep 32",
                "yield_time_ms",
                60_000,
                "yield_when",
                Map.of("output_matches", "^20000$"),
                "max_output_tokens",
                50);

        String id = answer.promoted();
        assertThat(answer.at("/initial_output_truncated").asBoolean()).isTrue();
        assertThat(answer.text("/initial_output_preview").length()).isLessThanOrEqualTo(200);
        http.stop(id, "force", true);
    }

    @Test
    void aCommandThatEndedInItsWindowHasNoRow() {
        http.run("true # no row", "labels", Map.of("case", "no-row")).completed();

        assertThat(http.get("/v1/tasks?status=all&label=case%3Dno-row")
                        .at("/tasks")
                        .size())
                .isZero();
    }

    @Test
    void aPromotedCommandHasItsRowWhenTheAnswerLeaves() {
        String id = http.run("sleep 33", "yield_time_ms", 0).promoted();

        assertThat(http.get("/v1/tasks").at("/tasks").findValuesAsText("task_id"))
                .contains(id);
        http.stop(id, "force", true);
    }

    @Test
    void theOutputIsWholeAcrossThePromotion() throws Exception {
        String cmd = "for i in $(seq 1 300); do echo $i; sleep 0.002; done; until test -e across; do sleep 0.1; done";
        String id = http.run(cmd, "yield_time_ms", 200).promoted();
        Files.createFile(SERVER.workspace().resolve("across"));

        http.awaitEnd(id);

        String expected = IntStream.rangeClosed(1, 300).mapToObj(i -> i + "\n").collect(Collectors.joining());
        assertThat(http.raw(id, "?stream=stdout&max_bytes=1048576").body()).isEqualTo(expected);
    }

    @Test
    void whatATaskEndedWithIsOnRecord() {
        String id = http.start("echo over; exit 7");

        JsonNode task = http.awaitEnd(id);

        assertThat(task.path("status").asText()).isEqualTo("failed");
        assertThat(task.path("exit_status").asInt()).isEqualTo(7);
        assertThat(task.path("ended_by").asText()).isEqualTo("exit");
        assertThat(http.output(id).strip()).isEqualTo("over");
    }

    @Test
    void aTaskKilledFromOutsideFailed() {
        String id = http.start("sleep 34");
        Processes.kill(http.pid(id));

        JsonNode task = http.awaitEnd(id);

        assertThat(task.path("status").asText()).isEqualTo("failed");
        assertThat(task.path("exit_signal").asText()).isEqualTo("SIGKILL");
        assertThat(task.path("exit_status").isNull()).isTrue();
        assertThat(task.path("ended_by").asText()).isEqualTo("signal");
    }

    @Test
    void aCallerThatHangsUpStopsNothing() throws Exception {
        String label = "hung-up";
        hangUp(command(
                "echo begun; until test -e promoted; do sleep 0.1; done; echo done > hung-up",
                "yield_time_ms",
                700,
                "labels",
                Map.of("case", label)));

        JsonNode task = await().atMost(Calls.PATIENCE)
                .until(
                        () -> http.get("/v1/tasks?status=all&label=case%3D" + label)
                                .at("/tasks/0"),
                        found -> !found.isMissingNode());
        Files.createFile(SERVER.workspace().resolve("promoted"));
        JsonNode ended = http.awaitEnd(task.path("task_id").asText());

        assertThat(ended.path("status").asText()).isEqualTo("completed");
        assertThat(http.output(ended.path("task_id").asText()).strip()).isEqualTo("begun");
        assertThat(SERVER.workspace().resolve("hung-up")).exists();
    }

    @Test
    void aCallerThatHangsUpOnAShortCommandLetsItEnd() throws Exception {
        Path done = SERVER.workspace().resolve("short-done");

        hangUp(command("sleep 0.5; echo done > short-done", "yield_time_ms", 10_000));

        await().atMost(Calls.PATIENCE).until(() -> Files.exists(done));
    }

    @Test
    void theCommandIsOnDiskWhileItsCallerWaits() throws Exception {
        Path seen = SERVER.workspace().resolve("seen");
        String look = "ls " + SERVER.data() + "/tasks/*/spec.json | wc -l > seen.part; mv seen.part seen; sleep 1";

        Thread caller = Thread.ofVirtual().start(() -> http.run(look).completed());
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(seen));

        assertThat(Integer.parseInt(Files.readString(seen).strip())).isPositive();
        caller.join();
    }

    private static void hangUp(Map<String, Object> body) throws Exception {
        String before = SERVER.newest();
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            caller.post(SERVER, "/v1/commands", Json.write(body));
            SERVER.awaitNewer(before);
        }
    }
}
