package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The data folder's file system runs full and turns read-only, for a while: all is known, and then all is as before. */
class ReadOnlyDiskIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().onDiskOf(40).with("HOLDFAST_DISK_FLOOR", "0");

    private final Calls http = SERVER.calls();

    @Test
    void whatIsToldStaysTrueAndAllIsWrittenWithoutARestart() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        Path gate = SERVER.workspace().resolve("gate");
        http.run("mkfifo gate").completed();
        List<String> many = IntStream.range(0, 40)
                .mapToObj(i -> http.start(": < gate; exit " + (10 + i) + " #" + "x".repeat(90_000)))
                .toList();
        String still = http.start("sleep 600");
        http.pid(many.getLast());
        assertThat(flaw()).isEmpty();

        Path filler = fill();
        OutputStream open = Files.newOutputStream(gate);
        for (int i = 0; i < many.size(); i++) {
            assertThat(http.awaitEnd(many.get(i)).path("exit_status").asInt()).isEqualTo(10 + i);
        }
        open.close();
        assertThat(SERVER.log()).as("the database met the full disk").contains("could not be saved");
        SERVER.disk().readOnly(true);
        await("the database is opened again, where nothing can be written")
                .atMost(Calls.PATIENCE)
                .until(() -> flaw().contains("Read-only file system"));

        http.get("/v1/tasks?status=all").hasStatus(200);
        Answer refused = http.run("echo more");
        refused.refused(507, "storage_full");
        assertThat(refused.json().path("detail").asText())
                .containsIgnoringCase("read-only file system")
                .doesNotContain("errno");
        String first = many.getFirst();
        http.delete("/v1/tasks/" + first).refused(507, "storage_full");
        assertThat(http.task(first).path("exit_status").asInt()).isEqualTo(10);
        assertThat(http.stop(still, "force", true).json().at("/task/status").asText())
                .isEqualTo("cancelled");

        SERVER.disk().readOnly(false);
        Files.delete(filler);
        await("the rows are written").atMost(Calls.PATIENCE).until(() -> ended() == many.size() + 1);
        assertThat(flaw()).isEmpty();
        http.delete("/v1/tasks/" + first).hasStatus(204);
        http.get("/v1/tasks/" + first).refused(404, "task_not_found");
        assertThat(http.awaitEnd(http.start("exit 4")).path("exit_status").asInt())
                .isEqualTo(4);
        assertThat(ended()).isEqualTo(many.size() + 1);
    }

    @Test
    void aTerminalWhoseKeeperHasNoRoomTakesNoneAndSaysSo() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        Path filler = fill();
        try (FileChannel file = FileChannel.open(filler, StandardOpenOption.WRITE)) {
            file.truncate(file.size() - (1 << 20));
        }

        http.run("tty", "tty", true).refused(507, "storage_full");

        assertThat(SERVER.data().resolve("keeper")).isEmptyDirectory();
        http.run("echo plain").completed();
        Files.delete(filler);
        assertThat(http.run("tty", "tty", true).completed().text("/stdout_preview"))
                .contains("/dev/");
    }

    /** In the middle of a line perhaps. */
    @Test
    void noLineOfTheJournalIsTornWhereItRunsFull() throws Exception {
        if (!SERVER.hasOwnDisk()) {
            return;
        }
        String id = http.start("sleep 600");
        Path filler = fill();
        await("the journal is full").atMost(Calls.PATIENCE).until(() -> {
            Answer answer = http.run("true");
            return answer.status() == 507 && answer.body().contains("journal");
        });
        http.stop(id, "force", true).hasStatus(200);
        Files.delete(filler);
        http.run("true").completed();

        List<Long> seqs = new ArrayList<>();
        for (Path file : Folders.children(SERVER.data().resolve("audit"))) {
            Files.readAllLines(file)
                    .forEach(line -> seqs.add(Json.read(line).path("seq").asLong()));
        }
        assertThat(seqs)
                .isEqualTo(LongStream.rangeClosed(1, seqs.size()).boxed().toList());
        http.delete("/v1/tasks/" + id).hasStatus(204); // the other tests count what ended
    }

    /** What health says of the data folder. */
    private String flaw() {
        JsonNode health = http.get("/q/health/well").json();
        for (JsonNode check : health.path("checks")) {
            if (check.path("name").asText().equals("data folder")) {
                return check.path("data").path(SERVER.dataDir()).asText();
            }
        }
        throw new AssertionError("health does not tell of the data folder: " + health);
    }

    private int ended() {
        return http.get("/v1/tasks?status=ended&limit=100").at("/tasks").size();
    }

    private static Path fill() throws IOException {
        Path filler = SERVER.data().resolve("filler");
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
            return filler;
        }
    }
}
