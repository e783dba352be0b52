package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kernel.Names;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a crash, a full disk or a hand may leave in the data folder, and what the next server makes of it. */
class DamagedFoldersIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private static final String NOBODY = "task_01J00000000000000000000000";

    private final Calls http = SERVER.calls();
    private final Map<Damage, String> ended = new EnumMap<>(Damage.class);
    private final Map<Damage, String> lost = new EnumMap<>(Damage.class);
    /** Two that ended, and one whose processes are gone without a word. */
    private List<String> deleted = List.of();

    private String healthy = "";
    private Calls alice = http;
    private Calls bob = http;
    private String ofAlice = "";
    private JsonNode first = Json.read("{}");

    private enum Damage {
        NONE,
        SPEC_EMPTY,
        SPEC_HUGE,
        SPEC_A_FIFO,
        SPEC_TORN,
        SPEC_OF_ANOTHER_VERSION,
        SPEC_OF_ANOTHER_TASK,
        FOLDER_GONE,
        EXIT_HALF_WRITTEN,
        PID_HUGE,
        PID_A_FIFO,
        PID_OF_ANOTHER,
        ANOTHER_BOOT;

        void to(Path folder, boolean hasEnded) throws IOException {
            Path spec = folder.resolve("spec.json");
            String whole = Files.readString(spec);
            switch (this) {
                case NONE -> {}
                case SPEC_EMPTY -> Files.writeString(spec, "");
                case SPEC_HUGE -> makeHuge(spec);
                case SPEC_A_FIFO -> makeFifo(spec);
                case SPEC_TORN -> Files.writeString(spec, whole.substring(0, whole.length() / 2));
                case SPEC_OF_ANOTHER_VERSION -> Files.writeString(spec, whole.replace("\"format\":1", "\"format\":0"));
                case SPEC_OF_ANOTHER_TASK ->
                    Files.writeString(spec, whole.replace(folder.getFileName().toString(), NOBODY));
                case FOLDER_GONE -> Folders.delete(folder);
                case EXIT_HALF_WRITTEN -> Files.writeString(folder.resolve("rc"), hasEnded ? "exit 4\n" : "exit 0");
                case PID_HUGE -> makeHuge(folder.resolve("pid"));
                case PID_A_FIFO -> makeFifo(folder.resolve("pid"));
                case PID_OF_ANOTHER ->
                    Files.writeString(
                            folder.resolve("pid"),
                            ProcessHandle.current().pid() + " (java) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
                case ANOTHER_BOOT ->
                    Files.writeString(spec, whole.replaceFirst("\"boot_id\":\"[^\"]*\"", "\"boot_id\":\"x\""));
            }
        }
    }

    /** More than an array can hold. */
    private static void makeHuge(Path file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(3L << 30);
        }
    }

    private static void makeFifo(Path file) throws IOException {
        Files.delete(file);
        Names.fifo(file);
    }

    @BeforeAll
    static void tokens() throws IOException {
        TokensFile.with(SERVER, "alice agent", "bob agent");
    }

    @BeforeEach
    void agents() throws Exception {
        alice = SERVER.calledWith("of-alice").calls();
        bob = SERVER.calledWith("of-bob").calls();
        await().atMost(Calls.PATIENCE).until(() -> bob.get("/v1/tasks").status() == 200);
        crash();
    }

    /** For each damage a task that ended and one whose processes are gone without a word; some that run; no server. */
    private void crash() throws Exception {
        for (Damage damage : Damage.values()) {
            ended.put(damage, http.start("echo over; exit 4"));
            lost.put(damage, http.start("echo begun; sleep 702"));
        }
        deleted = List.of(
                http.start("echo over; exit 4"), http.start("echo over; exit 4"), http.start("echo begun; sleep 702"));
        healthy = http.start("echo begun; sleep 703");
        ofAlice = alice.start("sleep 600");
        ended.values().forEach(http::awaitEnd);
        deleted.subList(0, 2).forEach(http::awaitEnd);
        List<String> dying = new ArrayList<>(lost.values());
        dying.add(deleted.getLast());
        dying.forEach(id -> http.awaitOutput(id, "begun"));
        http.awaitOutput(healthy, "begun");
        first = withKey();
        SERVER.kill();
        takeBackItsStart();
        for (String id : dying) {
            Processes.killMarked("HOLDFAST_TASK", id);
            // Its launcher may have outlived its command long enough to say how that ended.
            Files.writeString(SERVER.taskFolder(id).resolve("rc"), " ".repeat(64));
        }
    }

    private JsonNode withKey() {
        return http.post("/v1/commands", Calls.command("echo $$; exit 5"), "Idempotency-Key", "of one never started")
                .hasStatus(200)
                .json();
    }

    /** As if its server had died after it had put it on record, and before its launcher's first step. */
    private static void takeBackItsStart() throws IOException {
        for (Path folder : SERVER.taskFolders()) {
            if (Files.exists(folder.resolve("answer.json"))) {
                for (Path file : Folders.children(folder)) {
                    if (!file.endsWith("spec.json")) {
                        Files.delete(file);
                    }
                }
                Files.writeString(folder.resolve("rc"), " ".repeat(64));
            }
        }
    }

    /** And not said to have ended in a way that nobody saw: whoever repeats its request gets what it asked for. */
    private void assertStartsNow() {
        JsonNode now = withKey();
        assertThat(now.path("exit_status").asInt()).as(now.toString()).isEqualTo(5);
        assertThat(now.path("stdout_preview").asText())
                .isNotBlank()
                .isNotEqualTo(first.path("stdout_preview").asText());
        assertThat(http.get("/v1/tasks?status=all&q=exit%205").at("/tasks")).isEmpty();
    }

    @AfterEach
    void stopAll() {
        http.stop(healthy, "force", true);
        http.stop(ofAlice, "force", true);
    }

    private void assertHealthy() {
        assertThat(http.task(healthy).path("status").asText()).isEqualTo("running");
        assertThat(http.output(healthy)).isEqualTo("begun\n");
    }

    private void assertLost(Damage damage) {
        JsonNode task = http.task(lost.get(damage));
        assertThat(task.path("status").asText()).as(damage + ": " + task).isEqualTo("interrupted");
        assertThat(task.path("ended_by").asText())
                .as(damage + ": " + task)
                .isEqualTo(damage == Damage.ANOTHER_BOOT ? "reboot" : "unknown");
        assertThat(task.path("exit_status").isNull()).isTrue();
    }

    private void assertEndedAsBefore(Damage damage) {
        JsonNode task = http.task(ended.get(damage));
        assertThat(task.path("status").asText()).as(damage + ": " + task).isEqualTo("failed");
        assertThat(task.path("exit_status").asInt()).as(damage + ": " + task).isEqualTo(4);
    }

    @TestFactory
    Stream<DynamicTest> theNextServerFindsThem() throws Throwable {
        return Story.over(SERVER, () -> {}, whateverIsDamagedTheRestIsRight(), whatWasBeingDeletedIsGone());
    }

    private Story whateverIsDamagedTheRestIsRight() {
        Path tasks = SERVER.data().resolve("tasks");
        Path unborn = tasks.resolve(NOBODY.replace('J', 'K'));

        return new Story(
                "whatever is damaged, the rest is right",
                () -> {
                    for (Damage damage : Damage.values()) {
                        damage.to(SERVER.taskFolder(ended.get(damage)), true);
                        damage.to(SERVER.taskFolder(lost.get(damage)), false);
                    }
                    Files.writeString(tasks.resolve(NOBODY), "a file");
                    Files.createDirectories(tasks.resolve("lost+found/task"));
                    Files.createDirectories(unborn);
                    Files.writeString(unborn.resolve("spec.json.new"), "{");
                },
                () -> {
                    assertHealthy();
                    assertStartsNow();
                    for (Damage damage : Damage.values()) {
                        assertEndedAsBefore(damage);
                        assertLost(damage);
                    }
                    assertThat(SERVER.log())
                            .contains(lost.get(Damage.SPEC_EMPTY) + ": spec.json is empty")
                            .contains(lost.get(Damage.SPEC_TORN) + ": spec.json is torn")
                            .contains("has format 0, known is 1")
                            .contains(lost.get(Damage.SPEC_A_FIFO) + ": spec.json cannot be read: it is no file");
                    assertThat(http.get("/v1/tasks/" + NOBODY).status()).isEqualTo(404);
                    assertThat(tasks.resolve(NOBODY)).hasContent("a file");
                    assertThat(tasks.resolve("lost+found/task")).isDirectory();
                    assertThat(unborn).doesNotExist();
                });
    }

    /** One of them when its output was gone already, one when its end was not even in its row. */
    private Story whatWasBeingDeletedIsGone() {
        return new Story(
                "what was being deleted is gone",
                () -> {
                    for (String id : deleted) {
                        Files.move(SERVER.taskFolder(id), SERVER.taskFolder(".deleted-" + id));
                    }
                    Folders.children(SERVER.taskFolder(".deleted-" + deleted.getFirst()))
                            .forEach(Folders::delete);
                },
                () -> {
                    for (String id : deleted) {
                        assertThat(http.get("/v1/tasks/" + id).hasStatus(404).text("/details/forgotten_at"))
                                .isNotBlank();
                        assertThat(SERVER.taskFolder(".deleted-" + id)).doesNotExist();
                    }
                    assertEndedAsBefore(Damage.PID_OF_ANOTHER);
                    assertHealthy();
                });
    }

    /** And none of them finished the recovery that the last one does. */
    @TestFactory
    Stream<DynamicTest> withoutAnyRowAndKilledTwiceWhileItRecovers() throws Exception {
        for (Path file : Folders.children(SERVER.data())) {
            if (file.getFileName().toString().startsWith("holdfast.")) {
                Files.delete(file);
            }
        }
        for (int i = 0; i < 2; i++) {
            Process begun = SERVER.launch();
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> Files.readString(SERVER.data().resolve("lock"))
                            .strip()
                            .equals(Long.toString(begun.pid())));
            begun.destroyForcibly().onExit().join();
        }

        SERVER.start();

        return Stream.of(
                DynamicTest.dynamicTest("all are taken over", this::allAreTakenOver),
                DynamicTest.dynamicTest(
                        "the rows of an owner can be made again", this::theRowsOfAnOwnerCanBeMadeAgain));
    }

    private void theRowsOfAnOwnerCanBeMadeAgain() {
        TokensOfAgentsIT.assertUnknown(
                bob.get("/v1/tasks/" + ofAlice), bob.get("/v1/tasks/" + TokensOfAgentsIT.NEVER), ofAlice);
        assertThat(alice.task(ofAlice).path("status").asText()).isEqualTo("running");
    }

    private void allAreTakenOver() {
        assertHealthy();
        assertEndedAsBefore(Damage.NONE);
        assertThat(http.output(ended.get(Damage.NONE))).isEqualTo("over\n");
        assertLost(Damage.NONE);
        assertThat(http.get("/v1/tasks?status=all&limit=100").at("/tasks").size())
                .isGreaterThanOrEqualTo(ended.size() + lost.size() + 1);
    }
}
