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
import java.util.stream.Stream;

/**
 * Commands that end while no server runs: what the next one owes to those who asked, of processes and of disk. In the
 * tests of RestartIT, and of OutputBudgetIT.
 */
final class Remains {
    private static final long MIB = 1 << 20;
    private static final long FLOOD = 50 * MIB;
    private static final String PRINT = "yes 0123456 | head -c " + FLOOD;

    private final PackagedServer server;
    private final Calls http;

    Remains(PackagedServer server) {
        this.server = server;
        this.http = server.calls();
    }

    Stream<Story> ofProcesses() throws IOException {
        return Stream.of(
                whatWasToBeStoppedAtItsEndIsStopped(),
                whatLeftItsEnvironmentIsFoundBySession(),
                whatNobodyAskedToStopIsLeft(),
                aStopThatOnlyTheCommandHeardIsGoneOnWith());
    }

    /** @param budget of the server for the output of each */
    Stream<Story> ofDisk(long budget) throws IOException {
        return Stream.of(aFloodThatNobodyHeldIsHeldAfterwards(budget), whoStillPrintsForAnEndedTaskIsHeld(budget));
    }

    private Story whatWasToBeStoppedAtItsEndIsStopped() throws IOException {
        String id = http.start(background("exec sleep 600") + awaits("over"), "on_exit", "stop");
        long child = awaitChild(id);
        long pid = http.pid(id);

        return new Story(
                "what was to be stopped at its end is stopped",
                () -> {
                    awaitEndOf(id, pid, "over");
                    assertThat(Processes.alive(child)).isTrue();
                },
                () -> {
                    assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
                    Processes.awaitGone(child);
                });
    }

    private Story whatLeftItsEnvironmentIsFoundBySession() throws IOException {
        String id = http.start(background("exec env -i sleep 600") + awaits("go"), "on_exit", "stop");
        long child = awaitChild(id);
        long pid = http.pid(id);
        await().atMost(Calls.PATIENCE)
                .until(() -> Processes.commandLine(child).orElse("").equals("sleep 600"));

        return new Story("what left its environment is found by session", () -> awaitEndOf(id, pid, "go"), () -> {
            http.awaitEnd(id);
            Processes.awaitGone(child);
        });
    }

    private Story aStopThatOnlyTheCommandHeardIsGoneOnWith() throws IOException {
        String id = http.start(
                "trap 'exit 0' TERM; " + background("trap '' TERM; touch deaf-child; while :; do sleep 0.2; done")
                        + "while :; do sleep 0.2; done");
        long child = awaitChild(id);
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(server.workspace().resolve("deaf-child")));
        long pid = http.pid(id);
        var stop = CompletableFuture.supplyAsync(() -> http.stop(id, "grace_ms", 60_000), Thread::startVirtualThread);
        Processes.awaitGone(pid);
        await("an end only when the stop is through")
                .during(Duration.ofMillis(500))
                .until(() -> http.task(id).path("status").asText().equals("cancelling"));
        assertThat(stop).isNotDone();

        return new Story(
                "a stop that only the command heard is gone on with",
                () -> assertThat(Processes.alive(child)).isTrue(),
                () -> {
                    JsonNode ended = http.awaitEnd(id);
                    assertThat(ended.path("status").asText()).isEqualTo("cancelled");
                    assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
                    Processes.awaitGone(child);
                });
    }

    private Story whatNobodyAskedToStopIsLeft() throws IOException {
        String id = http.start(background("exec sleep 600") + awaits("left"));
        long child = awaitChild(id);
        long pid = http.pid(id);

        return new Story("what nobody asked to stop is left", () -> awaitEndOf(id, pid, "left"), () -> {
            assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
            assertThat(Processes.alive(child)).isTrue();
            Processes.kill(child);
        });
    }

    private Story aFloodThatNobodyHeldIsHeldAfterwards(long budget) {
        String id = http.start(awaits("print") + PRINT);
        long pid = http.pid(id);

        return new Story(
                "a flood that nobody held is held afterwards",
                () -> {
                    awaitEndOf(id, pid, "print");
                    assertThat(allocated(id)).isGreaterThanOrEqualTo(FLOOD);
                },
                () -> {
                    JsonNode ended = http.awaitEnd(id);
                    assertThat(ended.at("/output/stdout_bytes").asLong()).isEqualTo(FLOOD);
                    assertThat(ended.at("/output/omitted_bytes").asLong())
                            .isBetween(FLOOD - budget, FLOOD - budget + 4096);
                    await().atMost(Calls.PATIENCE).until(() -> allocated(id) <= budget + MIB);
                });
    }

    private Story whoStillPrintsForAnEndedTaskIsHeld(long budget) throws IOException {
        String ended = http.start(background(awaits("print-more") + PRINT + "; exec sleep 600") + "exit 0");
        http.awaitEnd(ended);
        readChild();

        return new Story("who still prints for an ended task is held", () -> {
            mark("print-more");

            http.awaitTask(ended, task -> task.at("/output/stdout_bytes").asLong() == FLOOD);
            await().atMost(Calls.PATIENCE).until(() -> allocated(ended) <= budget + 2 * MIB);
            http.awaitTask(ended, task -> task.at("/output/omitted_bytes").asLong() > FLOOD - budget - MIB);
        });
    }

    /** Its pid is in the file {@code child} afterwards; pid and text are written before anything else runs. */
    private static String background(String script) {
        return "sh -c 'echo $$ > child.new; mv child.new child; " + script.replace("'", "'\\''") + "' & ";
    }

    private static String awaits(String mark) {
        return "until test -e " + mark + "; do sleep 0.2; done; ";
    }

    private void mark(String name) throws IOException {
        Files.writeString(server.workspace().resolve(name), "");
    }

    private long awaitChild(String id) throws IOException {
        http.pid(id);
        return readChild();
    }

    private long readChild() throws IOException {
        Path file = server.workspace().resolve("child");
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(file));
        long pid = Long.parseLong(Files.readString(file).strip());
        Files.delete(file);
        return pid;
    }

    private void awaitEndOf(String id, long pid, String mark) throws IOException {
        mark(mark);
        Processes.awaitGone(pid);
        await().atMost(Calls.PATIENCE)
                .until(() ->
                        Files.readString(server.taskFolder(id).resolve("rc")).startsWith("exit "));
    }

    private long allocated(String id) throws InterruptedException {
        return Stat.allocatedBytes(server.taskFolder(id).resolve("out"));
    }
}
