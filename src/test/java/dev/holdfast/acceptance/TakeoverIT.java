package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The data folder of a server of November 22nd, 2026 (f717c93), whose machine went while commands ran: before what has
 * ended cost nothing, before owners, walls and the journal. {@code data-folder/make.sh} made it, and shows each command.
 */
class TakeoverIT {
    private static final PackagedServer SERVER =
            new PackagedServer().with("HOLDFAST_RETENTION_AGE", "36500d").with("HOLDFAST_OUTPUT_MAX_BYTES", "65536");

    private final Calls http = SERVER.calls();

    @BeforeAll
    static void takeOver() throws Exception {
        SERVER.prepare();
        Process tar = new ProcessBuilder(
                        "tar", "-xz", "-C", SERVER.data().resolveSibling("").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream archive = TakeoverIT.class.getResourceAsStream("/data-folder/f717c93.tar.gz");
                var in = tar.getOutputStream()) {
            Objects.requireNonNull(archive).transferTo(in);
        }
        assertThat(tar.waitFor()).isZero();
        // One of what ran is of this boot, so that it cannot be the reboot that ended it.
        String boot =
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        for (Path folder : Folders.children(SERVER.data().resolve("tasks"))) {
            Path spec = folder.resolve("spec.json");
            Files.writeString(spec, Files.readString(spec).replace("THIS-BOOT", boot));
        }
        SERVER.start();
    }

    @AfterAll
    static void end() throws Exception {
        SERVER.afterAll();
    }

    private JsonNode task(String label) {
        JsonNode found = http.get("/v1/tasks?status=all&label=is%3D" + label.replace(" ", "%20"))
                .hasStatus(200)
                .at("/tasks");
        assertThat(found).as(SERVER.log()).hasSize(1);
        return http.task(found.get(0).path("task_id").asText());
    }

    private String output(String label) {
        return http.output(task(label).path("task_id").asText());
    }

    @ParameterizedTest
    @CsvSource({
        "completed, completed, exit, 0, , 'out\nerr\n'",
        "failed, failed, exit, 3, , 'failing\n'",
        "too slow, failed, timeout, , SIGTERM, ''",
        "killed, failed, signal, , SIGKILL, ''",
        "cancelled, cancelled, stop, , SIGTERM, 'begun\n'",
        "typed, failed, exit, 5, , '30 90\nask\nhello\ngot hello\n'",
        "ended alone, failed, exit, 7, , 'one\ntwo\n'",
        "reading, interrupted, reboot, , , 'ready\ngot\n'",
        "typing, interrupted, reboot, , , 'prompt\n'",
        "early, interrupted, reboot, , , 'early\n'",
        "serving, interrupted, unknown, , , 'up\n'"
    })
    void eachTaskIsToldAsItWas(
            String label, String status, String endedBy, Integer code, String signal, String output) {
        JsonNode task = task(label);

        assertThat(task.path("status").asText()).as(task.toString()).isEqualTo(status);
        assertThat(task.path("ended_by").asText()).isEqualTo(endedBy);
        assertThat(task.path("exit_status").asText("")).isEqualTo(code == null ? "" : code.toString());
        assertThat(task.path("exit_signal").asText("")).isEqualTo(signal == null ? "" : signal);
        assertThat(task.path("process").isNull()).isTrue();
        Instant ended = Instant.parse(task.path("ended_at").asText());
        assertThat(ended).isBetween("2026-11-24T00:00:00Z", "2026-11-25T00:00:00Z");
        assertThat(Instant.parse(task.path("created_at").asText())).isBeforeOrEqualTo(ended);
        assertThat(output(label)).isEqualTo(output);
    }

    /** Only a terminal has a keeper, which was gone before it could tell that it had read all. */
    @Test
    void ofATerminalThatARestartEndedTheLastWordsMayBeMissing() {
        assertThat(task("typing").at("/details/output_may_be_missing").asBoolean())
                .isTrue();
        assertThat(task("early").path("details")).isEmpty();
        assertThat(task("typed").path("details")).isEmpty();
    }

    @Test
    void whatACommandWasIsWhole() {
        JsonNode command = task("completed").path("command");
        assertThat(command.path("cmd").asText()).isEqualTo("echo out; echo err >&2");
        assertThat(command.path("workdir").asText()).isEqualTo("/tmp/holdfast-fixture/workspace");
        assertThat(command.path("shell").asText()).isEqualTo("/bin/bash");
        assertThat(command.path("env_keys")).hasSize(1);
        assertThat(task("failed").at("/command/argv/2").asText()).isEqualTo("echo failing; exit 3");
        assertThat(task("typed").at("/command/input_target").asText()).isEqualTo("tty");
    }

    @Test
    void aGapStaysOne() {
        JsonNode task = task("cut");
        String id = task.path("task_id").asText();
        JsonNode read = http.get("/v1/tasks/" + id + "/output?stream=stdout&max_bytes=1048576")
                .json();

        assertThat(task.at("/output/stdout_bytes").asLong()).isEqualTo(588_895);
        long omitted = task.at("/output/omitted_bytes").asLong();
        assertThat(omitted).isBetween(400_000L, 588_895L - 65_536 / 2);
        assertThat(read.path("text").asText()).startsWith("1\n2\n3\n").doesNotContain("\0");
        JsonNode gap = http.get("/v1/tasks/" + id + "/output?stream=stdout&cursor="
                        + read.path("next_cursor").asText())
                .at("/omitted/0");
        assertThat(gap.path("to").asLong() - gap.path("from").asLong()).isEqualTo(omitted);
        assertThat(http.get("/v1/tasks/" + id + "/output?stream=stdout&cursor=-7")
                        .text("/text"))
                .isEqualTo("100000\n");
    }

    @Test
    void aKeyHasItsCommandAndAnAnswerThatWasKept() {
        Map<String, Object> body = Json.object(
                "cmd",
                "echo out; echo err >&2",
                "yield_time_ms",
                0,
                "labels",
                Map.of("is", "completed"),
                "env",
                Map.of("GREETING", "hidden"));
        Answer task =
                http.post("/v1/commands", body, "Idempotency-Key", "of a task").completed();
        assertThat(task.text("/stdout_preview")).isEqualTo("out\n");
        assertThat(task("completed").path("exit_status").asInt()).isZero();

        Map<String, Object> answered = Json.object("cmd", "echo answered; exit 4");
        Answer answer = http.post("/v1/commands", answered, "Idempotency-Key", "of an answer")
                .completed();
        assertThat(answer.at("/exit_status").asInt()).isEqualTo(4);
        assertThat(answer.text("/stdout_preview")).isEqualTo("answered\n");
        answered.put("cmd", "true");
        http.post("/v1/commands", answered, "Idempotency-Key", "of an answer").refused(409, "idempotency_key_reused");
        assertThat(all()).hasSize(12);
    }

    /** And what it has become is taken over as everything else is. */
    @Test
    void itIsOneOfOursFromNowOn() throws Exception {
        assertThat(http.get("/v1/tasks").at("/total_active").asInt()).isZero();
        assertThat(http.get("/v1/tasks?status=all&q=EXEC%20sleep").at("/tasks")).hasSize(2);
        JsonNode before = all();

        SERVER.kill();
        SERVER.start();

        assertThat(all()).isEqualTo(before);
        assertThat(http.run("echo on").completed().text("/stdout_preview")).isEqualTo("on\n");
    }

    private JsonNode all() {
        return http.get("/v1/tasks?status=all&limit=100").at("/tasks");
    }
}
