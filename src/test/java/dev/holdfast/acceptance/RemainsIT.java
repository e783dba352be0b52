package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kernel.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands that end while no server runs: what the next one owes to those who asked, of processes and of disk. */
class RemainsIT {
    private static final long MIB = 1 << 20;
    private static final long FLOOD = 50 * MIB;
    private static final String PRINT = "yes 0123456 | head -c " + FLOOD;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", Long.toString(MIB));

    private final Calls http = SERVER.calls();
    private long child;

    @AfterEach
    void killTheChild() {
        if (child != 0) {
            Processes.kill(child);
        }
    }

    @Test
    void whatWasToBeStoppedAtItsEndIsStopped() throws Exception {
        String id = http.start(background("exec sleep 600") + awaits("leave"), "on_exit", "stop");
        awaitChild(id);
        endWithoutServer(id, "leave");
        assertThat(Processes.alive(child)).isTrue();
        SERVER.start();

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        Processes.awaitGone(child);
    }

    @Test
    void whatLeftItsEnvironmentIsFoundBySession() throws Exception {
        String id = http.start(background("exec env -i sleep 600") + awaits("go"), "on_exit", "stop");
        awaitChild(id);
        await().until(() -> Processes.commandLine(child).orElse("").equals("sleep 600"));
        endWithoutServer(id, "go");
        SERVER.start();

        http.awaitEnd(id);
        Processes.awaitGone(child);
    }

    @Test
    void aStopThatOnlyTheCommandHeardIsGoneOnWith() throws Exception {
        String id = http.start("trap 'exit 0' TERM; " + background("trap '' TERM; while :; do sleep 0.05; done")
                + "while :; do sleep 0.05; done");
        awaitChild(id);
        long pid = http.pid(id);
        var stop = CompletableFuture.supplyAsync(() -> http.stop(id, "grace_ms", 60_000), Thread::startVirtualThread);
        Processes.awaitGone(pid);
        await("an end only when the stop is through")
                .during(Duration.ofMillis(500))
                .until(() -> http.task(id).path("status").asText().equals("cancelling"));
        assertThat(stop).isNotDone();
        SERVER.kill();
        assertThat(Processes.alive(child)).isTrue();
        SERVER.start();

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).isEqualTo("cancelled");
        assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
        Processes.awaitGone(child);
    }

    @Test
    void whatNobodyAskedToStopIsLeft() throws Exception {
        String id = http.start(background("exec sleep 600") + awaits("left"));
        awaitChild(id);
        endWithoutServer(id, "left");
        SERVER.start();

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        assertThat(Processes.alive(child)).isTrue();
    }

    @Test
    void aFloodThatNobodyHeldIsHeldAfterwards() throws Exception {
        String id = http.start(awaits("print") + PRINT);
        endWithoutServer(id, "print");
        assertThat(allocated(id)).isGreaterThanOrEqualTo(FLOOD);
        SERVER.start();

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.at("/output/stdout_bytes").asLong()).isEqualTo(FLOOD);
        assertThat(ended.at("/output/omitted_bytes").asLong()).isBetween(FLOOD - MIB, FLOOD - MIB + 4096);
        await().until(() -> allocated(id) <= 2 * MIB);
    }

    @Test
    void whoStillPrintsForAnEndedTaskIsHeld() throws Exception {
        String ended = http.start(background(awaits("print-more") + PRINT + "; exec sleep 600") + "exit 0");
        http.awaitEnd(ended);
        child = readChild();
        SERVER.kill();
        SERVER.start();
        mark("print-more");

        http.awaitTask(ended, task -> task.at("/output/stdout_bytes").asLong() == FLOOD);
        await().until(() -> allocated(ended) <= 3 * MIB);
        assertThat(http.task(ended).at("/output/omitted_bytes").asLong()).isGreaterThan(FLOOD - 2 * MIB);
    }

    /** Its pid is in the file {@code child} afterwards; pid and text are written before anything else runs. */
    private static String background(String script) {
        return "sh -c 'echo $$ > child.new; mv child.new child; " + script.replace("'", "'\\''") + "' & ";
    }

    private static String awaits(String mark) {
        return "until test -e " + mark + "; do sleep 0.05; done; ";
    }

    private static void mark(String name) throws IOException {
        Files.writeString(SERVER.workspace().resolve(name), "");
    }

    private void awaitChild(String id) throws IOException {
        http.pid(id);
        child = readChild();
    }

    private static long readChild() throws IOException {
        Path file = SERVER.workspace().resolve("child");
        await().until(() -> Files.exists(file));
        long pid = Long.parseLong(Files.readString(file).strip());
        Files.delete(file);
        return pid;
    }

    private void endWithoutServer(String id, String mark) throws Exception {
        long pid = http.pid(id);
        SERVER.kill();
        mark(mark);
        Processes.awaitGone(pid);
        await().until(() ->
                Files.readString(SERVER.taskFolder(id).resolve("rc")).startsWith("exit "));
    }

    private static long allocated(String id) throws InterruptedException {
        return Stat.allocatedBytes(SERVER.taskFolder(id).resolve("out"));
    }
}
