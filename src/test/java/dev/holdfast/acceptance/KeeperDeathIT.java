package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A terminal does not outlive its keeper; what ran in it is ended, and how it would have ended is not made up. One that
 * is only held up loses nothing.
 */
class KeeperDeathIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    /**
     * What waits, what notices nothing, what takes a hang-up for a good end, what does so with a child that ends of
     * nothing but KILL, and what takes an end of input for a good end.
     */
    private static final List<String> COMMANDS = List.of(
            "echo begun; sleep 700",
            "trap '' HUP; echo begun; while :; do sleep 0.1; done",
            "trap 'exit 0' HUP; echo begun; while :; do sleep 0.1; done",
            "(trap '' HUP TERM; echo begun; while :; do sleep 0.1; done) & trap 'exit 0' HUP; wait",
            "trap '' HUP; echo begun; cat; exit 0",
            "echo begun; exec python3 -q",
            "echo begun; exec bash -i");

    private final Calls http = SERVER.calls();

    @Test
    void itsTerminalsEndAtOnceAndAreInterrupted() {
        List<String> ids = start();
        keepers().forEach(Processes::kill);

        ids.forEach(this::assertInterrupted);
        String next = http.start("echo next", "tty", true);
        assertThat(http.awaitEnd(next).path("status").asText()).isEqualTo("completed");
        assertThat(http.output(next)).contains("next");
    }

    @Test
    void alsoWhenNoServerIsThereToSeeIt() throws Exception {
        List<String> ids = start();
        String other = http.start("sleep 701");
        long pid = http.pid(other);
        SERVER.kill();
        keepers().forEach(Processes::kill);
        SERVER.start();

        ids.forEach(this::assertInterrupted);
        assertThat(http.task(other).path("status").asText()).isEqualTo("running");
        assertThat(http.pid(other)).isEqualTo(pid);
        http.stop(other, "force", true);
    }

    @Test
    void whatWasStoppedIsCancelled() {
        String id = start().getFirst();
        keepers().forEach(Processes::kill);

        assertThat(http.stop(id, "grace_ms", 100).hasStatus(200).text("/task/status"))
                .isIn("cancelled", "interrupted");
    }

    /** As on a busy machine: an end is told when all that was printed before is there. */
    @Test
    void oneThatIsHeldUpLosesNoLastWords() throws Exception {
        String id = http.start("until test -e go; do sleep 0.1; done; echo last words; touch said", "tty", true);
        long keeper = keepers().getFirst();
        Processes.signal("STOP", keeper);
        try {
            Files.createFile(SERVER.workspace().resolve("go"));
            await().atMost(Calls.PATIENCE)
                    .until(() -> Files.exists(SERVER.workspace().resolve("said")));
            await().during(Duration.ofSeconds(3))
                    .until(() -> http.task(id).path("status").asText().equals("running"));
        } finally {
            Processes.signal("CONT", keeper);
        }

        http.awaitEnd(id);
        assertThat(http.output(id)).isEqualTo("last words\n");
    }

    /** Nobody can know what it printed last: that is said, and the exit is told as it was. */
    @Test
    void ofOneThatNeverAnswersItIsSaidThatTheLastWordsMayBeMissing() throws Exception {
        String cmd = "echo begun; until test -e went; do sleep 0.1; done; echo unread; exit 4";
        String id = http.start(cmd, "tty", true);
        http.awaitOutput(id, "begun");
        var person = new Cli(SERVER);
        long keeper = keepers().getFirst();
        Processes.signal("STOP", keeper);
        try {
            Files.createFile(SERVER.workspace().resolve("went"));
            JsonNode ended = http.awaitEnd(id);

            assertThat(ended.path("exit_status").asInt()).isEqualTo(4);
            assertThat(ended.at("/details/output_may_be_missing").asBoolean()).isTrue();
            String missing = "hat it printed last may be missing: the keeper of its terminal did not answer";
            assertThat(http.post("/v1/tools/TaskOutput", Json.object("task_id", id))
                            .text("/text"))
                    .contains("\nW" + missing + ".\n");
            assertThat(person.run("status", id).text()).contains(" w" + missing + "\n");
        } finally {
            Processes.signal("CONT", keeper);
        }
    }

    @Test
    void soItIsWhereTheKeeperDiesWithThem() throws Exception {
        String id = http.start("echo begun; until test -e over; do sleep 0.1; done; echo unread; exit 4", "tty", true);
        http.awaitOutput(id, "begun");
        long keeper = keepers().getFirst();
        Processes.signal("STOP", keeper);
        Files.createFile(SERVER.workspace().resolve("over"));
        await().atMost(Calls.PATIENCE)
                .until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
        Processes.kill(keeper);
        JsonNode ended = http.awaitEnd(id);

        assertThat(ended.path("exit_status").asInt()).isEqualTo(4);
        assertThat(ended.at("/details/output_may_be_missing").asBoolean()).isTrue();
    }

    @Test
    void soItIsOfOneThatEndedWhileNoServerRan() throws Exception {
        String cmd = "echo begun; until test -e gone; do sleep 0.1; done; echo unread; exit 4";
        String id = http.start(cmd, "tty", true);
        http.awaitOutput(id, "begun");
        long keeper = keepers().getFirst();
        Processes.signal("STOP", keeper);
        try {
            SERVER.kill();
            Files.createFile(SERVER.workspace().resolve("gone"));
            await().atMost(Calls.PATIENCE)
                    .until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
            SERVER.start();
            JsonNode ended = http.awaitEnd(id);

            assertThat(ended.path("exit_status").asInt()).isEqualTo(4);
            assertThat(ended.at("/details/output_may_be_missing").asBoolean()).isTrue();
        } finally {
            Processes.signal("CONT", keeper);
        }
        http.awaitOutput(id, "unread");
    }

    private List<String> start() {
        List<String> ids = new ArrayList<>();
        for (String command : COMMANDS) {
            ids.add(http.start(command, "tty", true));
        }
        ids.forEach(id -> http.awaitOutput(id, "begun"));
        return ids;
    }

    private static List<Long> keepers() {
        List<Long> keepers = Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data());
        assertThat(keepers).hasSize(1);
        return keepers;
    }

    private void assertInterrupted(String id) {
        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).as(ended.toString()).isEqualTo("interrupted");
        assertThat(ended.path("ended_by").asText()).as(ended.toString()).isEqualTo("unknown");
        assertThat(ended.path("exit_status").isNull()).as(ended.toString()).isTrue();
        assertThat(ended.at("/details/output_may_be_missing").asBoolean())
                .as(ended.toString())
                .isTrue();
        assertThat(http.output(id)).contains("begun");
        assertThat(Processes.marked("HOLDFAST_TASK", id)).isEmpty();
    }
}
