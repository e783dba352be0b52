package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.acceptance.Cli.Ran;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Section 15: what the options of the {@code holdfast} command do, beside whatever else runs. */
@Timeout(180)
class CommandOptionsIT {
    /** Asked for by a rule of ours, and harmless. */
    private static final String ASKED_FOR = "false && curl -s http://127.0.0.1:1/ | sh; echo ran # ";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Cli cli = new Cli(SERVER);
    private final Calls calls = SERVER.calls();

    @TempDir
    private Path folder = Path.of("");

    @AfterEach
    void end() {
        cli.end();
    }

    private String approvalOf(Process asked) throws Exception {
        String note = asked.errorReader().readLine();
        assertThat(note).contains("holdfast approve approval_");
        return note.substring(note.indexOf("approval_"));
    }

    @Test
    void whatIsAllowedGoesOnWhereItWasAskedFor() throws Exception {
        Process asked = cli.begin("run", "--new", ASKED_FOR + "allowed");
        String id = approvalOf(asked);

        assertThat(cli.run("approve", id).text()).isEqualTo(id + " allowed\n");

        Ran ran = Cli.finish(asked);
        assertThat(ran).extracting(Ran::exit, Ran::text).containsExactly(0, "ran\n");
        assertThat(cli.run("approvals").text()).doesNotContain(id);
        assertThat(cli.run("approvals", "-a").text()).contains(id, "allowed");
    }

    @Test
    void whoIsAskedReadsAllOfIt() throws Exception {
        Process asked = cli.begin("run", "--new", ASKED_FOR + "long ".repeat(100) + "\necho the end");
        String id = approvalOf(asked);
        assertThat(cli.run("approvals").text()).contains("long long ⏎ echo the end");
        assertThat(cli.run("deny", id).exit()).isZero();
        assertThat(Cli.finish(asked).exit()).isEqualTo(1);
    }

    @Test
    void whatIsAskedForAndLeftIsToldByTheIdOfItsQuestion() throws Exception {
        Ran left = cli.run("run", "-d", "--new", ASKED_FOR + "left");
        assertThat(left.exit()).as(left.err()).isEqualTo(1);
        String id = left.text().strip();
        assertThat(id).matches("approval_\\w{26}");
        assertThat(left.err()).contains("holdfast approve " + id, "holdfast approvals -a");

        assertThat(cli.run("approve", id).exit()).isZero();
        String task = calls.get("/v1/approvals/" + id).text("/task_id");
        assertThat(cli.run("approvals", "-a").text()).contains("its task: " + task);
        assertThat(cli.run("wait", task).exit()).isZero();
    }

    @Test
    void inJsonWhatIsAllowedGoesOnAndWhatIsDeniedIsRefused() throws Exception {
        Process allowed = cli.begin("run", "--json", "--new", ASKED_FOR + "json");
        assertThat(cli.run("approve", approvalOf(allowed)).exit()).isZero();
        Ran ran = Cli.finish(allowed);
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(Json.read(ran.text()).path("stdout_preview").asText()).isEqualTo("ran\n");

        Process denied = cli.begin("run", "--json", "--new", ASKED_FOR + "no json");
        assertThat(cli.run("deny", approvalOf(denied)).exit()).isZero();
        Ran refused = Cli.finish(denied);
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(Json.read(refused.text()).path("kind").asText()).isEqualTo("command_denied");
    }

    @Test
    void whatIsAllowedAndCannotBeStartedIsNotWaitedFor() throws Exception {
        Path gone = Files.createDirectory(folder.toRealPath().resolve("gone"));
        Process asked = cli.begin("run", "--new", "-w", gone.toString(), ASKED_FOR + "in vain");
        String id = approvalOf(asked);
        Files.delete(gone);

        Ran approve = cli.run("approve", id);

        assertThat(approve.exit()).isEqualTo(1);
        assertThat(approve.err()).contains(gone.toString());
        Ran ran = Cli.finish(asked);
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("it was allowed and could not be started: ", gone.toString());
        assertThat(cli.run("approvals", "-a").text()).contains("could not be started: ");
        assertThat(calls.get("/v1/approvals/" + id).text("/start_error")).contains(gone.toString());
    }

    @Test
    void itRunsInItsCallersFolderOrTheOneThatIsNamed() throws Exception {
        Path here = Files.createDirectory(folder.toRealPath().resolve("here"));
        Process process = SERVER.command(List.of())
                .command(Cli.SCRIPT, "run", "--new", "pwd -P")
                .directory(here.toFile())
                .start();
        assertThat(Cli.finish(process).text()).isEqualTo(here + "\n");
        assertThat(cli.run("run", "--new", "-w", here.toString(), "pwd -P").text())
                .isEqualTo(here + "\n");
    }

    @Test
    void anotherIsStartedBesideTheSame() throws Exception {
        String command = "echo begun; exec sleep 638 # " + folder;
        String first = cli.run("run", "-d", command).text().strip();
        assertThat(cli.run("run", "-d", command).text().strip()).isEqualTo(first);
        assertThat(cli.run("run", "-d", "--new", command).text().strip())
                .startsWith("task_")
                .isNotEqualTo(first);
    }

    @Test
    void whatRunsIsListedAndWhatEndedIfAskedFor() throws Exception {
        int port = PackagedServer.freePort();
        Ran ready = cli.run(
                "run", "--new", "--until-port", Integer.toString(port), "exec python3 -u -m http.server " + port);
        assertThat(ready.exit()).isZero();
        assertThat(ready.err()).containsPattern("task_\\w+ runs on");
        String waits = calls.start("read -p 'Name? ' name", "tty", true);
        calls.awaitTask(waits, task -> task.path("waiting").asText().equals("input"));
        String ended = calls.start("exit 0");
        calls.awaitEnd(ended);

        await().atMost(Calls.PATIENCE).untilAsserted(() -> {
            String listed = cli.run("ps").text();
            assertThat(listed).doesNotContain(ended).containsPattern("running +\\S.* " + port + " +exec python3");
            assertThat(listed).containsPattern(waits + " +running, waits for input");
        });
        assertThat(cli.run("ps", "-a").text()).containsPattern(ended + " +completed");
        assertThat(cli.run("ps", "-q").text().lines())
                .contains(waits)
                .allSatisfy(line -> assertThat(line).matches("task_\\w+"));
    }

    @Test
    void itWaitsForOneOrAllAndSaysWhatCannotCome() throws Exception {
        String quick = calls.start("exit 5");
        String slow = calls.start("echo a line; read x", "accepts_input", true);
        assertThat(cli.run("wait", quick).exit()).isEqualTo(5);
        assertThat(cli.run("wait", "--any", slow, quick).exit()).isZero();
        assertThat(cli.run("wait", "--output", "^a l", slow).exit()).isZero();
        assertThat(cli.run("wait", "--input", slow).exit()).isZero();
        assertThat(cli.run("wait", "--idle", "1ms", slow).exit()).isZero();
        Ran late = cli.run("wait", "--timeout", "100ms", quick, slow);
        assertThat(late.exit()).isEqualTo(124);
        assertThat(late.err()).contains("still waited for: " + slow + " until").doesNotContain(quick);
        Ran never = cli.run("wait", "--port", "1", quick);
        assertThat(never.exit()).isEqualTo(1);
        assertThat(never.err()).contains("waited in vain for " + quick);
        Process both = cli.begin("wait", quick, slow);
        calls.input(slow, "eof", true).hasStatus(200);
        assertThat(both.waitFor()).isZero();
    }

    @Test
    void textKeysAndTheEndAreSent() throws Exception {
        String pipe = calls.start("cat; echo over", "accepts_input", true);
        assertThat(cli.run("send", pipe, "one").exit()).isZero();
        assertThat(cli.run("send", pipe, "two", "--enter").exit()).isZero();
        assertThat(cli.run("send", pipe, "--eof").exit()).isZero();
        calls.awaitEnd(pipe);
        assertThat(calls.output(pipe)).isEqualTo("onetwo\nover\n");

        String dashes = calls.start("cat", "accepts_input", true);
        assertThat(cli.run("send", dashes, "--enter", "--", "-x", "--enter").exit())
                .isZero();
        assertThat(cli.run("send", dashes, "--eof").exit()).isZero();
        calls.awaitEnd(dashes);
        assertThat(calls.output(dashes)).isEqualTo("-x --enter\n");

        String terminal = calls.start("read x; echo got $x; exec cat -v", "tty", true);
        assertThat(cli.run("send", terminal, "typed", "--enter").exit()).isZero();
        calls.awaitOutput(terminal, "got typed");
        assertThat(cli.run("send", terminal, "--key", "up", "--key", "ctrl-d", "--key", "ctrl-d")
                        .exit())
                .isZero();
        calls.awaitEnd(terminal);
        assertThat(calls.output(terminal)).contains("^[[A");
    }

    /** Up and enter is the last line once more; enter and up is another line and nothing. */
    @Test
    void keysAreSentInTheOrderInWhichTheyAreGiven() throws Exception {
        String terminal = calls.start("exec cat -v", "tty", true);
        assertThat(cli.run("send", terminal, "a", "--key", "up", "--enter", "--key", "down", "--enter")
                        .exit())
                .isZero();
        assertThat(cli.run("send", terminal, "b", "--enter", "--key", "ctrl-d").exit())
                .isZero();
        calls.awaitEnd(terminal);
        assertThat(calls.output(terminal).replace("\r", "")).contains("a^[[A\n", "\n^[[B\n", "\nb\n");
    }

    @Test
    void whatIsCheckedIsToldWithItsCommas() throws Exception {
        assertThat(cli.run("check", "echo 'a, b'").text()).contains("echo 'a, b': allow");
    }

    @Test
    void whatACommandLeftRunningIsToldWithItsId() throws Exception {
        Ran ran = cli.run("run", "--new", "sleep 641 & until grep -q sleep /proc/$!/comm; do :; done; echo left");
        assertThat(ran.text()).isEqualTo("left\n");
        assertThat(ran.err())
                .containsPattern("^holdfast: Left running:\n\\d+ sleep 641\nholdfast stop task_\\w+ ends it");
        String id = ran.err().replaceAll("(?s).*holdfast stop (\\w+) .*", "$1");
        assertThat(cli.run("status", id).text()).containsPattern("Left: +\\d+ sleep 641\n");
        assertThat(cli.run("stop", id).exit()).isZero();
        assertThat(cli.run("status", id).text()).doesNotContain("Left:");
    }

    @Test
    void aStopHasItsGraceOrNone() throws Exception {
        String deaf = "trap '' TERM; echo ready; while :; do sleep 0.1; done # ";
        for (List<String> how : List.of(List.of("--force"), List.of("--grace", "100ms"))) {
            String id = calls.start(deaf + how);
            calls.awaitOutput(id, "ready");
            assertThat(cli.run(how, "stop", id).exit()).isZero();
            JsonNode task = calls.awaitEnd(id);
            assertThat(task.path("exit_signal").asText()).isEqualTo("SIGKILL");
            assertThat(task.path("ended_by").asText()).isEqualTo("stop");
        }
    }

    @Test
    void allAnswersComeAsTheServerGaveThem() throws Exception {
        String id = calls.start("echo needle; read x", "tty", true);
        calls.awaitOutput(id, "needle");
        for (List<String> words : List.of(
                List.of("ps"),
                List.of("status", id),
                List.of("logs", id),
                List.of("search", id, "needle"),
                List.of("screen", id),
                List.of("wait", "--output", "needle", id),
                List.of("send", id, "x"),
                List.of("signal", "CONT", id),
                List.of("approvals"),
                List.of("check", "ls"),
                List.of("stop", id))) {
            Ran ran = cli.run(words, "--json");
            assertThat(ran.exit()).as(words + ran.err()).isZero();
            assertThat(Json.read(ran.text()).isObject()).as(words.toString()).isTrue();
        }
        for (List<String> words : List.of(
                List.of("logs", "nope"),
                List.of("approve", "nope"),
                List.of("token", "rm", "nope"),
                List.of("rm", "nope"))) {
            Ran ran = cli.run(words, "--json");
            assertThat(ran.exit()).as(words + ran.err()).isEqualTo(1);
            assertThat(Json.read(ran.text()).path("kind").asText())
                    .as(words.toString())
                    .endsWith("_not_found");
        }
        Ran refused = cli.run("run", "--json", "-w", "/nowhere", "true");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(Json.read(refused.text()).path("kind").asText()).isEqualTo("workdir_not_found");
        assertThat(refused.err()).contains("/nowhere");
        Ran nowhere = cli.run("run", "-w", "/nowhere", "true");
        assertThat(nowhere.text()).isEmpty();
        assertThat(nowhere.err()).contains("-w names").doesNotContain("workspace");
        Ran spawned = cli.run("run", "--json", "no-such-program-here", "x");
        assertThat(spawned.exit()).isEqualTo(127);
        assertThat(Json.read(spawned.text()).path("kind").asText()).isEqualTo("command_spawn_failed");
    }
}
