package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 2: {@code Idempotency-Key}: the same request twice is one command. */
class IdempotencyIT {
    private static final String HEADER = "Idempotency-Key";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void anEndedCommandAnswersTheSameAgain() throws IOException {
        Map<String, Object> body = command("echo ran >> ended; echo $$ $RANDOM; exit 4");
        Answer first = http.post("/v1/commands", body, HEADER, "ended").completed();
        Answer again = http.post("/v1/commands", body, HEADER, "ended").completed();

        assertThat(again.json()).isEqualTo(first.json());
        assertThat(runs("ended")).isEqualTo(1);
    }

    @Test
    void aRunningCommandAnswersItsTask() throws IOException {
        Map<String, Object> body = command(
                "echo ran >> running; echo begun; sleep 600",
                "yield_time_ms",
                60_000,
                "yield_when",
                Map.of("output_matches", "begun"),
                "duplicate_policy",
                "start_new");
        String id = http.post("/v1/commands", body, HEADER, "running").promoted();
        Answer again = http.post("/v1/commands", body, HEADER, "running");

        assertThat(again.text("/task_handle/task_id")).isEqualTo(id);
        assertThat(runs("running")).isEqualTo(1);
        http.stop(id, "force", true);
    }

    /** Taken and ignored it would let a repetition run everything twice. */
    @ParameterizedTest
    @ValueSource(strings = {"ExecCommand", "ExecCommandBatch", "Bash?profile=claude", "exec_command?profile=codex"})
    void aToolThatRunsSomethingRefusesIt(String tool) {
        Answer refused =
                http.post("/v1/tools/" + tool, Json.object(), HEADER, "tool").refused(400, "invalid_tool_input");

        assertThat(refused.text("/detail")).contains(HEADER);
        assertThat(refused.text("/recovery_hint")).contains("POST /v1/commands");
        http.post("/v1/tools/TaskList", Json.object(), HEADER, "tool").hasStatus(200);
    }

    @Test
    void aTaskThatEndedIsNotStartedAgain() throws IOException {
        Map<String, Object> body = command("echo ran >> promoted; exit 6", "yield_time_ms", 0);
        String id = http.post("/v1/commands", body, HEADER, "promoted").promoted();
        http.awaitEnd(id);

        Answer again = http.post("/v1/commands", body, HEADER, "promoted");

        assertThat(again.status()).as(again.body()).isIn(200, 202);
        assertThat(again.body()).containsAnyOf(id, "\"exit_status\":6");
        assertThat(runs("promoted")).isEqualTo(1);
    }

    /** What ran is not run again behind its caller's back. */
    @Test
    void aTaskThatWasForgottenIsNotStartedAgain() throws IOException {
        Map<String, Object> body = command("echo ran >> forgotten", "yield_time_ms", 0);
        String id = http.post("/v1/commands", body, HEADER, "forgotten").promoted();
        http.awaitEnd(id);
        http.delete("/v1/tasks/" + id);

        Answer again = http.post("/v1/commands", body, HEADER, "forgotten").refused(404, "task_not_found");
        assertThat(again.text("/details/task_id")).isEqualTo(id);
        assertThat(again.text("/details/forgotten_at")).isNotEmpty();
        assertThat(again.text("/recovery_hint")).contains("new key");
        http.post("/v1/commands", command("true"), HEADER, "forgotten").refused(409, "idempotency_key_reused");
        assertThat(runs("forgotten")).isEqualTo(1);
    }

    @Test
    void aCommandWhoseAnswerIsDamagedIsNotStartedAgain() throws IOException {
        Map<String, Object> body = command("echo ran >> damaged", "duplicate_policy", "start_new");
        http.post("/v1/commands", body, HEADER, "damaged").completed();
        String id = SERVER.newest();
        Files.writeString(SERVER.taskFolder(id).resolve("answer.json"), "{\"exit");

        for (int repeat = 0; repeat < 2; repeat++) {
            Answer again = http.post("/v1/commands", body, HEADER, "damaged").refused(404, "task_not_found");
            assertThat(again.text("/details/task_id")).isEqualTo(id);
            assertThat(again.text("/detail")).contains("what was answered cannot be read");
        }
        assertThat(runs("damaged")).isEqualTo(1);
    }

    @Test
    void anotherBodyUnderTheSameKeyIsRefused() throws IOException {
        http.post("/v1/commands", command("echo ran >> other"), HEADER, "other").completed();

        http.post("/v1/commands", command("echo ran >> other; true"), HEADER, "other")
                .refused(409, "idempotency_key_reused");
        assertThat(runs("other")).isEqualTo(1);
    }

    @Test
    void anotherKeyIsAnotherCommand() throws IOException {
        http.post("/v1/commands", command("echo ran >> keys"), HEADER, "one").completed();
        http.post("/v1/commands", command("echo ran >> keys"), HEADER, "two").completed();

        assertThat(runs("keys")).isEqualTo(2);
    }

    @Test
    void aKeyHasAtMost255Characters() throws IOException {
        http.post("/v1/commands", command("echo ran >> long"), HEADER, "k".repeat(255))
                .completed();
        http.post("/v1/commands", command("echo ran >> long"), HEADER, "k".repeat(256))
                .refused(400, "invalid_tool_input");

        assertThat(runs("long")).isEqualTo(1);
    }

    @Test
    void aRefusedRequestDoesNotUseUpItsKey() {
        Map<String, Object> body = command("pwd", "workdir", "made-later");
        http.post("/v1/commands", body, HEADER, "refused").refused(422, "workdir_not_found");
        assertThat(SERVER.workspace().resolve("made-later").toFile().mkdir()).isTrue();

        http.post("/v1/commands", body, HEADER, "refused").completed();
    }

    @Test
    void manyAtOnceAreOne() throws Exception {
        Map<String, Object> body = command("echo ran >> many; sleep 0.5; echo $$", "duplicate_policy", "start_new");
        var answers = new ArrayList<Future<Answer>>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                answers.add(callers.submit(() -> http.post("/v1/commands", body, HEADER, "many")));
            }
            for (Future<Answer> answer : answers) {
                assertThat(answer.get().status()).as(answer.get().body()).isIn(200, 202);
            }
        }

        assertThat(runs("many")).isEqualTo(1);
    }

    /** For RestartIT, which kills the server. */
    Stream<Story> overAKill() {
        return Stream.of(
                aKeyOutlivesTheServer(),
                aRunningCommandsKeyOutlivesTheServer(),
                aKeyThatWasToldWhatRunsOutlivesTheServer());
    }

    private Story aKeyOutlivesTheServer() {
        Map<String, Object> body = command("echo ran >> restarted; echo $$ $RANDOM");
        Answer first = http.post("/v1/commands", body, HEADER, "restarted").completed();

        return new Story("a key outlives the server", () -> {
            Answer again = http.post("/v1/commands", body, HEADER, "restarted").completed();
            assertThat(again.text("/stdout_preview")).isEqualTo(first.text("/stdout_preview"));
            assertThat(runs("restarted")).isEqualTo(1);
        });
    }

    private Story aRunningCommandsKeyOutlivesTheServer() {
        Map<String, Object> body = command("echo ran >> crashed; sleep 600", "yield_time_ms", 0);
        String id = http.post("/v1/commands", body, HEADER, "crashed").promoted();
        http.pid(id);

        return new Story("a running command's key outlives the server", () -> {
            assertThat(http.post("/v1/commands", body, HEADER, "crashed").text("/task_handle/task_id"))
                    .isEqualTo(id);
            http.post("/v1/commands", command("echo ran >> crashed"), HEADER, "crashed")
                    .refused(409, "idempotency_key_reused");
            assertThat(runs("crashed")).isEqualTo(1);
            http.stop(id, "force", true);
        });
    }

    /** The command that ran was started by another request: it is this key's too, also when it has ended since. */
    private Story aKeyThatWasToldWhatRunsOutlivesTheServer() {
        Map<String, Object> body = command("echo ran >> told; sleep 600", "yield_time_ms", 0);
        String id = http.post("/v1/commands", body).promoted();
        assertThat(http.post("/v1/commands", body, HEADER, "told").alreadyRunning())
                .isEqualTo(id);

        return new Story("a key that was told what runs outlives the server", () -> {
            http.post("/v1/commands", command("echo ran >> told"), HEADER, "told")
                    .refused(409, "idempotency_key_reused");
            http.stop(id, "force", true);
            assertThat(http.post("/v1/commands", body, HEADER, "told")
                            .completed()
                            .text("/ended_by"))
                    .isEqualTo("stop");
            assertThat(runs("told")).isEqualTo(1);
        });
    }

    /** Each run of a command appended a line to its file. */
    private static long runs(String file) throws IOException {
        Path lines = SERVER.workspace().resolve(file);
        return Files.exists(lines) ? Files.readAllLines(lines).size() : 0;
    }
}
