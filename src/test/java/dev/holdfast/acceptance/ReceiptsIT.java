package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 2: the receipts, the text that an agent reads. */
class ReceiptsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void ofAnExit() {
        assertThat(http.receipt("echo hello; echo oops >&2; exit 3").strip())
                .isEqualTo("Process exited with code 3\n\nstdout:\nhello\n\nstderr:\noops");
    }

    @Test
    void leavesEmptySectionsOut() {
        assertThat(http.receipt("true").strip()).isEqualTo("Process exited with code 0");
        assertThat(http.receipt("echo oops >&2").strip()).isEqualTo("Process exited with code 0\n\nstderr:\noops");
    }

    @Test
    void ofASignal() {
        assertThat(http.receipt("echo hello; kill -KILL $$").strip())
                .isEqualTo("Process exited on signal SIGKILL\n\nstdout:\nhello");
    }

    @Test
    void ofALimit() {
        CompletableFuture<String> timeout = CompletableFuture.supplyAsync(
                () -> http.receipt("echo hello; sleep 60", "timeout_ms", 5000, "yield_time_ms", 60_000));
        String idle = http.receipt("echo hello; sleep 61", "idle_timeout_ms", 5000, "yield_time_ms", 60_000);

        assertThat(timeout.join().strip()).isEqualTo("Process stopped: timeout after 5000 ms\n\nstdout:\nhello");
        assertThat(idle.strip()).isEqualTo("Process stopped: idle timeout after 5000 ms\n\nstdout:\nhello");
    }

    @Test
    void namesTheArtifactsOfATruncatedOutput() throws Exception {
        List<String> lines = http.receipt("seq 1 10000", "max_output_tokens", 50)
                .strip()
                .lines()
                .toList();

        assertThat(lines).startsWith("Process exited with code 0", "", "stdout:", "1");
        assertThat(lines.get(lines.size() - 2)).isEqualTo("Artifacts:");
        Path artifact = Path.of(lines.getLast());
        assertThat(Files.readAllLines(artifact)).hasSize(10_000).endsWith("9999", "10000");
    }

    @Test
    void ofAPromotion() {
        String silent = http.receipt("sleep 30", "yield_time_ms", 0).strip();
        Object hello = Map.of("output_matches", "hello");
        String talking = http.receipt("echo hello; sleep 31", "yield_time_ms", 60_000, "yield_when", hello)
                .strip();

        assertThat(silent)
                .matches("Command promoted to background task\nTask: task_[0-9A-Z]{26}\n\n"
                        + "Initial output:\n\\(none captured before promotion\\)");
        assertThat(talking)
                .matches("Command promoted to background task\nTask: task_[0-9A-Z]{26}\n\nInitial output:\nhello");
        stopAll();
    }

    @Test
    void ofACommandThatRunsAlready() {
        String id = http.run("sleep 32", "yield_time_ms", 0).promoted();

        String receipt = http.receipt("sleep 32", "yield_time_ms", 0).strip();

        assertThat(receipt.lines().toList())
                .startsWith("Command is already running", "Task: " + id, "Status: Running")
                .anyMatch(line -> line.startsWith("Task summary: "))
                .containsSequence("Command: sleep 32", "workdir=" + SERVER.workspace(), "shell=" + bash(), "")
                .endsWith("Set duplicate_policy=\"start_new\" to start another instance.");
        stopAll();
    }

    @Test
    void ofAFailure() {
        Answer answer = http.post("/v1/commands", command("true", "workdir", "nowhere"), "Accept", "text/plain");

        answer.hasStatus(422);
        assertThat(answer.header("Content-Type")).startsWith("text/plain");
        List<String> lines = answer.body().strip().lines().toList();
        assertThat(lines.getFirst()).isEqualTo("Command failed");
        assertThat(answer.body()).contains("nowhere");
        assertThat(lines.size()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void jsonIsTheDefault() {
        Answer answer = http.post("/v1/commands", command("true"), "Accept", "*/*");

        assertThat(answer.header("Content-Type")).startsWith("application/json");
    }

    private static String bash() {
        return Files.isExecutable(Path.of("/bin/bash")) ? "/bin/bash" : "/usr/bin/bash";
    }

    private void stopAll() {
        http.get("/v1/tasks")
                .at("/tasks")
                .forEach(task -> http.stop(task.path("task_id").asText(), "force", true));
    }
}
