package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kernel.Freezer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What KILL does not end is named, and nobody says that all is gone. Where nothing can be so held up, all is. */
class SurvivorsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @Test
    void areNamedAndTheTaskHasNotEnded() throws Exception {
        String id = http.start("exec sleep 4352");
        long pid = http.pid(id);
        if (Freezer.isHere()) {
            try (var _ = new Freezer(pid)) {
                assertNamed(id, pid);
            }
        } else {
            assertThat(http.stop(id, "force", true).at("/survivors")).isEmpty();
        }

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("cancelled");
        assertThat(Processes.alive(pid)).isFalse();
    }

    private void assertNamed(String id, long pid) throws Exception {
        var holdfasts = CompletableFuture.supplyAsync(() -> tool("holdfast", id));
        var claudes = CompletableFuture.supplyAsync(() -> tool("claude", id));
        Process person = new Cli(SERVER).begin("stop", id);
        Answer stopped = http.stop(id, "force", true).hasStatus(200);

        assertThat(stopped.at("/survivors").toString()).isEqualTo("[" + pid + "]");
        assertThat(stopped.text("/task/status")).isEqualTo("cancelling");
        assertThat(stopped.text("/summary_text"))
                .isEqualTo("The task was killed, and not all of it has ended. Still alive: pid " + pid + ".");
        assertThat(holdfasts.join())
                .isEqualTo("Task killed, and not all of it has ended\nStatus: Cancelling\nStill alive: [" + pid + "]");
        assertThat(claudes.join())
                .contains("\"message\":\"Killed task, and not all of it has ended (still alive: [" + pid + "]): " + id
                        + " (exec sleep 4352)\"");
        Cli.Ran ran = Cli.finish(person);
        assertThat(ran.exit()).isNotZero();
        assertThat(ran.err()).contains("these processes could not be ended: " + pid);
    }

    private String tool(String profile, String id) {
        return new ToolCalls(http, profile).text("TaskStop", "task_id", id);
    }
}
