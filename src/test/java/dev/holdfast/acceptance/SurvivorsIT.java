package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What KILL does not end is named, and nobody says that all is gone. Such a process is in the kernel's own trouble;
 * here one in a frozen group of the old freezer, whose signals wait (Documentation/admin-guide/cgroup-v1). Where the
 * machine has no such freezer, all is gone.
 */
class SurvivorsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final Path FREEZER = Path.of("/sys/fs/cgroup/freezer");

    private final Calls http = SERVER.calls();

    @Test
    void areNamedAndTheTaskHasNotEnded() throws Exception {
        String id = http.start("exec sleep 4352");
        long pid = http.pid(id);
        Path group = FREEZER.resolve("holdfast-" + pid);
        boolean frozen = Files.isWritable(FREEZER);
        if (frozen) {
            Files.createDirectory(group);
            Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
            Files.writeString(group.resolve("freezer.state"), "FROZEN");
        }
        try {
            var holdfasts = CompletableFuture.supplyAsync(() -> tool("holdfast", id));
            var claudes = CompletableFuture.supplyAsync(() -> tool("claude", id));
            Process person = new Cli(SERVER).begin("stop", id);
            Answer stopped = http.stop(id, "force", true).hasStatus(200);

            if (frozen) {
                assertThat(stopped.at("/survivors").toString()).isEqualTo("[" + pid + "]");
                assertThat(stopped.text("/task/status")).isEqualTo("cancelling");
                assertThat(stopped.text("/summary_text"))
                        .isEqualTo("The task was killed, and not all of it has ended. Still alive: pid " + pid + ".");
                assertThat(holdfasts.join())
                        .isEqualTo("Task killed, and not all of it has ended\nStatus: Cancelling\nStill alive: [" + pid
                                + "]");
                assertThat(claudes.join())
                        .contains("\"message\":\"Killed task, and not all of it has ended (still alive: [" + pid
                                + "]): " + id + " (exec sleep 4352)\"");
                Cli.Ran ran = Cli.finish(person);
                assertThat(ran.exit()).isNotZero();
                assertThat(ran.err()).contains("these processes could not be ended: " + pid);
            } else {
                assertThat(stopped.at("/survivors")).isEmpty();
            }
        } finally {
            if (frozen) {
                Files.writeString(group.resolve("freezer.state"), "THAWED");
            }
        }

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("cancelled");
        assertThat(Processes.alive(pid)).isFalse();
        Files.deleteIfExists(group);
    }

    private String tool(String profile, String id) {
        return new ToolCalls(http, profile).text("TaskStop", "task_id", id);
    }
}
