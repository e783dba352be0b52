package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Below {@code holdfast.disk.floor} the task that writes most is paused, and goes on when there is room. */
class DiskFloorIT {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    static final PackagedServer SERVER =
            new PackagedServer().onDiskOf(64).with("HOLDFAST_DISK_FLOOR", Integer.toString(32 * MIB));

    /** Half a MiB every 80 ms: as much in smaller pieces costs a processor. */
    private static final String LOUD = "while :; do head -c 524288 /dev/zero | tr '\\0' x; sleep 0.08; done";

    private final Calls http = SERVER.calls();

    @AfterEach
    void empty() throws IOException {
        Files.deleteIfExists(SERVER.data().resolve("filling"));
        http.empty();
        await().until(() -> free() > 50 * MIB);
    }

    @Test
    void theLoudestIsPausedAndGoesOnWhenThereIsRoom() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        String quiet = http.start("while :; do echo tick; sleep 0.05; done");
        String loud = http.start(LOUD);
        long pid = http.pid(loud);
        Path filling = fill(20 * MIB);

        await("the loud task is stopped")
                .atMost(Calls.PATIENCE)
                .until(() -> Processes.state(pid).orElse('?') == 'T');

        assertThat(free()).isBetween(16L * MIB, 32L * MIB);
        assertThat(SERVER.log()).contains(loud + " is paused");
        assertThat(http.task(loud).path("status").asText()).isEqualTo("running");
        http.run("echo refused").refused(507, "storage_full");
        assertThat(http.get("/q/health/well").hasStatus(503).body()).contains("less than holdfast.disk.floor");
        long held = bytes(loud);
        assertGrows(quiet);
        assertThat(bytes(loud)).isEqualTo(held);

        Files.delete(filling);
        assertGrows(loud);
        assertThat(SERVER.log()).contains(loud + " goes on");
    }

    @Test
    void aPausedTaskGoesOnAfterARestart() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        String loud = http.start(LOUD);
        long pid = http.pid(loud);
        Path filling = fill(20 * MIB);
        await().atMost(Calls.PATIENCE).until(() -> Processes.state(pid).orElse('?') == 'T');

        SERVER.kill();
        SERVER.start();
        assertThat(Processes.state(pid)).contains('T');
        Files.delete(filling);

        assertGrows(loud);
        http.stop(loud, "force", true).hasStatus(200);
        assertThat(http.task(loud).path("status").asText()).isEqualTo("cancelled");
    }

    /**
     * What left the process group cannot be stopped by its group; when half of the floor is gone, the whole task is
     * ended.
     */
    @Test
    void whatWritesAlthoughPausedIsEnded() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        String loud = http.start("setsid sh -c \"" + LOUD.replace("\"", "\\\"") + "\" & wait");
        fill(20 * MIB);

        JsonNode ended = http.awaitEnd(loud);

        assertThat(ended.path("ended_by").asText()).isEqualTo("output_limit");
        assertThat(ended.path("status").asText()).isEqualTo("failed");
        assertThat(free()).isBetween(2L * MIB, 17L * MIB); // a server that is held up for two seconds lets 12 through
        assertThat(SERVER.log()).containsSubsequence(loud + " is paused", loud + " is ended");
    }

    private void assertGrows(String id) {
        long before = bytes(id);
        await("growth of " + id).until(() -> bytes(id) > before);
    }

    private long bytes(String id) {
        return http.task(id).at("/output/stdout_bytes").asLong();
    }

    private static long free() {
        return SERVER.data().toFile().getUsableSpace();
    }

    private static Path fill(int bytes) throws IOException {
        return Files.write(SERVER.data().resolve("filling"), new byte[bytes]);
    }
}
