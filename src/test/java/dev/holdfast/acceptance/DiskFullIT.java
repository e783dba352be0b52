package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The data folder's file system, database and all, runs full: nothing that was known is lost, and it goes on. */
class DiskFullIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().onDiskOf(40).with("HOLDFAST_DISK_FLOOR", "0");

    private final Calls http = SERVER.calls();

    @Test
    void everyEndIsKnownAndWorkGoesOnWhenThereIsRoom() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        // Who opens it for reading waits for who opens it for writing, at no cost: a look every 0.1 s by each of them
        // took all.
        Path gate = SERVER.workspace().resolve("gate");
        http.run("mkfifo gate").completed();
        Path error = SERVER.workspace().resolve("error");
        String other = http.start(": < gate; exit 9");
        String still = http.start("sleep 600");
        http.pid(other);
        List<String> many = IntStream.range(0, 40)
                .mapToObj(i -> http.start(": < gate; exit " + (10 + i) + " #" + "x".repeat(90_000)))
                .toList();

        String full = http.start("set -o pipefail; head -c 200000000 /dev/zero | LC_ALL=C tr '\\0' x 2>error");
        JsonNode filled = http.awaitEnd(full);
        assertThat(free()).isLessThan(64 * 1024);
        assertThat(Files.readString(error)).contains("No space left on device");
        assertThat(filled.path("exit_status").asInt()).isEqualTo(1);
        assertThat(filled.path("status").asText()).isEqualTo("failed");

        OutputStream open = Files.newOutputStream(gate);
        JsonNode ended = http.awaitEnd(other);
        assertThat(ended.path("exit_status").asInt()).isEqualTo(9);
        assertThat(http.task(still).path("status").asText()).isEqualTo("running");
        for (int i = 0; i < many.size(); i++) {
            assertThat(http.awaitEnd(many.get(i)).path("exit_status").asInt()).isEqualTo(10 + i);
        }
        open.close();
        assertThat(SERVER.log()).as("the database met the full disk").contains("could not be saved");
        http.run("echo more").refused(507, "storage_full");

        http.delete("/v1/tasks/" + full).hasStatus(204);
        await().atMost(Calls.PATIENCE).until(() -> free() > 20_000_000);
        http.get("/v1/tasks/" + full).refused(404, "task_not_found");
        assertThat(http.run("echo again").completed().text("/stdout_preview")).contains("again");
        String later = http.start("exit 4");
        assertThat(http.awaitEnd(later).path("exit_status").asInt()).isEqualTo(4);
        assertThat(http.get("/v1/tasks?status=failed&limit=100").at("/tasks")).hasSize(many.size() + 2);
        awaitRows();

        SERVER.kill();
        List<Path> fillers = takeAllFiles();
        SERVER.start();
        for (Path filler : fillers) {
            Files.delete(filler);
        }
        assertThat(http.task(other)).isEqualTo(ended);
        for (int i = 0; i < many.size(); i++) {
            assertThat(http.task(many.get(i)).path("exit_status").asInt()).isEqualTo(10 + i);
        }
        assertThat(http.task(later).path("exit_status").asInt()).isEqualTo(4);
        assertThat(http.task(still).path("status").asText()).isEqualTo("running");
        http.get("/v1/tasks/" + full).refused(404, "task_not_found");
        http.stop(still, "force", true).hasStatus(200);
        startOnFullDisk();
    }

    /**
     * Nothing of it is in the database, where nothing can be written. A database that has held no more than a few rows
     * would give more room back when it is opened than it needs.
     */
    private void startOnFullDisk() throws Exception {
        String before = SERVER.newest();
        CompletableFuture<Answer> call = CompletableFuture.supplyAsync(
                () -> http.run("echo begun; sleep 601", "yield_time_ms", 60_000), Thread::startVirtualThread);
        String id = SERVER.awaitNewer(before);
        Path out = SERVER.taskFolder(id).resolve("out");
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(out) && Files.size(out) > 0);
        SERVER.kill();
        assertThat(call).failsWithin(Calls.PATIENCE);
        Path filler = takeAllBytes();
        int earlier = SERVER.log().length();
        SERVER.with("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + SERVER.data()); // as where /tmp is on the same disk
        SERVER.start();

        assertThat(SERVER.log().substring(earlier))
                .as("the database met the full disk")
                .contains(id + " could not be saved");
        JsonNode found = http.task(id);
        assertThat(found.path("status").asText()).isEqualTo("running");
        assertThat(http.get("/v1/tasks").text("/tasks/0/task_id")).isEqualTo(id);
        assertThat(classes("ls -l")).contains("unknown");
        assertThat(http.get("/webjars/xterm/4.9.0/lib/xterm.js").hasStatus(200).body())
                .as("who looks why it is full")
                .contains("Terminal");
        Files.delete(filler);
        await("shell text is understood")
                .atMost(Calls.PATIENCE)
                .until(() -> classes("ls -l").equals("[\"read_only\"]"));
        awaitRows();
        assertThat(http.get("/v1/tasks").text("/tasks/0/task_id")).isEqualTo(id);
        http.stop(id, "force", true).hasStatus(200);
        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("cancelled");
    }

    private String classes(String cmd) {
        return http.post("/v1/policy/check", Json.object("cmd", cmd))
                .at("/classes")
                .toString();
    }

    private static void awaitRows() {
        await("the rows are written")
                .atMost(Calls.PATIENCE)
                .until(() ->
                        SERVER.log().lastIndexOf("is saved now") > SERVER.log().lastIndexOf("could not be saved,"));
    }

    private static Path takeAllBytes() throws IOException {
        Path filler = SERVER.data().resolve("filler");
        try (FileChannel file = FileChannel.open(filler, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (free() > 0) {
                var _ = file.write(ByteBuffer.allocate((int) Math.min(free(), 4096)));
            }
        }
        return filler;
    }

    /** As many as the disk can still hold. */
    private static List<Path> takeAllFiles() {
        List<Path> taken = new ArrayList<>();
        try {
            while (taken.size() < PackagedServer.FILES) {
                taken.add(Files.createFile(SERVER.data().resolve("filler-" + taken.size())));
            }
            throw new AssertionError("the disk holds more files than it should");
        } catch (IOException full) {
            return taken;
        }
    }

    private static long free() {
        return SERVER.data().toFile().getUsableSpace();
    }
}
