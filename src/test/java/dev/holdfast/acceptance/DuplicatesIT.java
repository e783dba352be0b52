package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Section 4: the same command does not run twice unless it is asked to. */
class DuplicatesIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    @Test
    void theSameTaskIsAnsweredAtOnce() {
        String id = http.run("sleep 60", "yield_time_ms", 0).promoted();

        Answer again = http.run("sleep 60");

        assertThat(again.alreadyRunning()).isEqualTo(id);
        assertThat(again.took()).isLessThan(java.time.Duration.ofSeconds(10));
        assertThat(again.text("/task_handle/status")).isEqualTo("running");
        assertThat(again.text("/task_handle/task_kind")).isEqualTo("command_task");
        assertThat(again.text("/command/cmd")).isEqualTo("sleep 60");
        assertThat(again.text("/command/workdir")).isEqualTo(SERVER.workspace().toString());
        assertThat(again.text("/summary")).isNotBlank();
        assertThat(again.text("/instructions")).contains("start_new");
        assertThat(again.text("/summary_text")).isNotBlank();
        assertThat(again.at("/command_diagnostics").isObject()).isTrue();
    }

    @Test
    void aShellIsTheSameByWhateverPath() throws Exception {
        Path bin = Files.createSymbolicLink(SERVER.workspace().resolve("bin"), Path.of("/usr/bin"));
        String id = http.start("sleep 61", "shell", "/usr/bin/bash");

        assertThat(http.run("sleep 61", "shell", bin.resolve("bash").toString()).alreadyRunning())
                .isEqualTo(id);
        assertThat(http.run("sleep 61", "shell", "/usr/bin/sh", "yield_time_ms", 0)
                        .promoted())
                .isNotEqualTo(id);
    }

    @Test
    void aCommandInTheForegroundCountsToo() throws Exception {
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            String before = SERVER.newest();
            var first = callers.submit(() -> http.run("sleep 5; echo slept"));
            SERVER.awaitNewer(before);

            String id = http.run("sleep 5; echo slept").alreadyRunning();

            Answer done = first.get();
            assertThat(done.status()).as(done.body()).isIn(200, 202);
            assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        }
    }

    @Test
    void startNewStartsAnother() {
        String first = http.run("sleep 61", "yield_time_ms", 0).promoted();
        String second = http.run("sleep 61", "yield_time_ms", 0, "duplicate_policy", "start_new")
                .promoted();

        assertThat(second).isNotEqualTo(first);
        assertThat(http.pid(second)).isNotEqualTo(http.pid(first));
    }

    static Stream<Arguments> differences() {
        return Stream.of(
                Arguments.of("cmd", command("sleep 62 ")),
                Arguments.of("workdir", command("sleep 62", "workdir", "/")),
                Arguments.of("shell", command("sleep 62", "shell", "sh")),
                Arguments.of("login", command("sleep 62", "login", true)),
                Arguments.of("tty", command("sleep 62", "tty", true)),
                Arguments.of("accepts_input", command("sleep 62", "accepts_input", true)),
                Arguments.of("env set", command("sleep 62", "env", Map.of("A", "1"))),
                Arguments.of("env value", command("sleep 62", "env", Map.of("A", "2"))),
                Arguments.of("env unset", command("sleep 62", "env", Json.object("A", null))),
                Arguments.of("argv", Json.object("argv", List.of("sleep", "62"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("differences")
    void whatDiffersIsAnotherCommand(String what, Map<String, Object> other) {
        http.run("sleep 62", "yield_time_ms", 0, "env", Map.of("A", "0")).promoted();
        String plain = http.run("sleep 62", "yield_time_ms", 0).promoted();
        other.put("yield_time_ms", 0);

        assertThat(http.post("/v1/commands", other).promoted()).as(what).isNotEqualTo(plain);
    }

    @Test
    void whatDoesNotMatterIsTheSameCommand() {
        String id = http.run("sleep 63", "yield_time_ms", 0).promoted();

        Answer again = http.run(
                "sleep 63",
                "timeout_ms",
                50_000,
                "labels",
                Map.of("a", "b"),
                "max_output_tokens",
                17,
                "workdir",
                SERVER.workspace() + "/../" + SERVER.workspace().getFileName());

        assertThat(again.alreadyRunning()).isEqualTo(id);
    }

    @Test
    void aLinkToTheSameDirectoryIsTheSame() throws Exception {
        Path real = Files.createDirectories(SERVER.workspace().resolve("real"));
        Files.createSymbolicLink(SERVER.workspace().resolve("link"), real);
        String id = http.run("sleep 64", "yield_time_ms", 0, "workdir", "real").promoted();

        assertThat(http.run("sleep 64", "workdir", "link").alreadyRunning()).isEqualTo(id);
    }

    @Test
    void theSameArgvIsTheSame() {
        Map<String, Object> body = Json.object("argv", List.of("sleep", "65"), "yield_time_ms", 0);
        String id = http.post("/v1/commands", body).promoted();

        assertThat(http.post("/v1/commands", body).alreadyRunning()).isEqualTo(id);
    }

    @Test
    void anEndedCommandIsNotReused() {
        String id = http.run("sleep 66", "yield_time_ms", 0).promoted();
        http.stop(id, "force", true).hasStatus(200);

        assertThat(http.run("sleep 66", "yield_time_ms", 0).promoted()).isNotEqualTo(id);
    }

    @Test
    void aCommandThatEndedInItsWindowIsNotReused() {
        assertThat(http.run("echo once").completed().text("/stdout_preview").strip())
                .isEqualTo("once");
        assertThat(http.run("echo once").completed().text("/stdout_preview").strip())
                .isEqualTo("once");
    }

    @Test
    void aCommandThatIsBeingStoppedIsNotReused() throws Exception {
        String deaf = "trap '' TERM; echo ready; while :; do sleep 1; done";
        String id = http.run(deaf, "yield_time_ms", 0).promoted();
        http.awaitOutput(id, "ready");
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var stop = callers.submit(() -> http.stop(id, "grace_ms", 3000));
            http.awaitTask(id, task -> task.path("status").asText().equals("cancelling"));

            String other = http.run(deaf, "yield_time_ms", 0).promoted();

            assertThat(other).isNotEqualTo(id);
            assertThat(stop.get().hasStatus(200).text("/task/status")).isEqualTo("cancelled");
            assertThat(http.run(deaf, "yield_time_ms", 0).alreadyRunning()).isEqualTo(other);
        }
    }
}
