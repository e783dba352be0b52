package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is forgotten of ended tasks by their age, number and size: swept at each start. */
class RetentionIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private final Calls http = SERVER.calls();

    @AfterEach
    void empty() {
        http.empty();
        SERVER.with("HOLDFAST_RETENTION_COUNT", "10000")
                .with("HOLDFAST_RETENTION_BYTES", "10000000")
                .with("HOLDFAST_RETENTION_AGE", "7d");
    }

    private static void restartWith(String name, String value) throws Exception {
        SERVER.terminate();
        SERVER.with(name, value);
        SERVER.start();
    }

    private List<String> ids(String status) {
        var tasks = http.get("/v1/tasks?limit=100&status=" + status).at("/tasks");
        return StreamSupport.stream(tasks.spliterator(), false)
                .map(task -> task.path("task_id").asText())
                .toList();
    }

    /** Newest first, as they are listed. */
    private List<String> ended(String cmd, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.addFirst(http.start(cmd));
            http.awaitEnd(ids.getFirst());
        }
        return ids;
    }

    private void awaitKept(List<String> kept, List<String> gone) {
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(ids("ended")).isEqualTo(kept));
        for (String id : gone) {
            Answer forgotten = http.get("/v1/tasks/" + id).refused(404, "task_not_found");
            assertThat(forgotten.text("/details/forgotten_at")).endsWith("Z");
        }
        await().atMost(Calls.PATIENCE).until(() -> gone.stream().noneMatch(id -> Files.exists(SERVER.taskFolder(id))));
        kept.forEach(id -> assertThat(SERVER.taskFolder(id)).exists());
    }

    /** And what an idempotency key may be asked for. */
    @Test
    void theNewestAreKept() throws Exception {
        String running = http.start("sleep 600");
        Map<String, Object> body = command("echo ran >> promised", "yield_time_ms", 0);
        String promised =
                http.post("/v1/commands", body, "Idempotency-Key", "promised").promoted();
        http.awaitEnd(promised);
        List<String> ids = ended("true", 5);

        restartWith("HOLDFAST_RETENTION_COUNT", "2");

        awaitKept(List.of(ids.get(0), ids.get(1), promised), ids.subList(2, 5));
        http.post("/v1/commands", body, "Idempotency-Key", "promised").completed();
        assertThat(Files.readAllLines(SERVER.workspace().resolve("promised"))).hasSize(1);
        assertThat(http.task(running).path("status").asText()).isEqualTo("running");
    }

    @Test
    void onlySoManyBytesAreKept() throws Exception {
        String running = http.start("head -c 100000 /dev/zero; sleep 600");
        List<String> ids = ended("head -c 3000 /dev/zero; head -c 1000 /dev/zero >&2", 4);

        restartWith("HOLDFAST_RETENTION_BYTES", "10000");

        awaitKept(ids.subList(0, 2), ids.subList(2, 4));
        assertThat(http.task(running).path("status").asText()).isEqualTo("running");
    }

    /** The last ends the server once more. */
    @TestFactory
    Stream<DynamicTest> onlySoLongTheyAreKept() throws Throwable {
        return Story.over(
                SERVER,
                () -> {
                    SERVER.terminate();
                    SERVER.with("HOLDFAST_RETENTION_AGE", "1s");
                },
                theOldAreForgottenButNotWhatRuns(),
                answersAreKeptForADay());
    }

    private Story theOldAreForgottenButNotWhatRuns() {
        String running = http.start("sleep 600");
        List<String> ids = ended("true", 2);
        Instant old = Instant.now().plusSeconds(1);
        await().until(() -> Instant.now().isAfter(old));

        return new Story("the old are forgotten but not what runs", () -> {
            awaitKept(List.of(), ids);
            assertThat(http.task(running).path("status").asText()).isEqualTo("running");
        });
    }

    /** However short the age: a key holds for a day. */
    private Story answersAreKeptForADay() throws Exception {
        Map<String, Object> body = command("echo ran >> kept; echo $$");
        String first = http.post("/v1/commands", body, "Idempotency-Key", "kept")
                .completed()
                .text("/stdout_preview");
        Path folder = SERVER.taskFolder(SERVER.newest());
        age(folder, Duration.ofHours(23));

        return new Story("answers are kept for a day", () -> {
            ended("true", 1);
            assertThat(http.post("/v1/commands", body, "Idempotency-Key", "kept")
                            .completed()
                            .text("/stdout_preview"))
                    .isEqualTo(first);

            age(folder, Duration.ofHours(25));
            restartWith("HOLDFAST_RETENTION_AGE", "1s");
            await().atMost(Calls.PATIENCE).until(() -> !Files.exists(folder));
            assertThat(http.post("/v1/commands", body, "Idempotency-Key", "kept")
                            .completed()
                            .text("/stdout_preview"))
                    .isNotEqualTo(first);
            assertThat(Files.readAllLines(SERVER.workspace().resolve("kept"))).hasSize(2);
        });
    }
    /** As if the command had run so long ago: an end is never before what its specification says of its start. */
    private static void age(Path folder, Duration age) throws Exception {
        Instant then = Instant.now().minus(age);
        Path spec = folder.resolve("spec.json");
        String aged = Files.readString(spec).replaceFirst("(\"created_at\"\\s*:\\s*)\"[^\"]+\"", "$1\"" + then + "\"");
        assertThat(aged).contains(then.toString());
        Files.writeString(spec, aged);
        for (Path file : Folders.files(folder)) {
            Files.setLastModifiedTime(file, FileTime.from(then));
        }
    }
}
