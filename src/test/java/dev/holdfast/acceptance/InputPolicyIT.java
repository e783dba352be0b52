package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 13: lines for a shell, stops and signals pass the policy. */
class InputPolicyIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private final Path policy = SERVER.data().resolve("policy.yaml");

    @AfterEach
    void noPolicy() throws IOException {
        if (Files.deleteIfExists(policy)) {
            await().atMost(Calls.PATIENCE)
                    .until(() -> decision("sleep 600", "stop").equals("allow")
                            && decision("touch x", "input").equals("allow"));
        }
    }

    private String decision(String cmd, String on) {
        return http.post("/v1/policy/check", Json.object("cmd", cmd, "on", on)).text("/decision");
    }

    private String shell(Object... more) {
        String id = http.start("exec bash --norc", more);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        return id;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLineForAShellIsACommand(boolean tty) {
        String id = tty ? shell("tty", true) : shell("accepts_input", true);

        Answer refused = http.input(id, "text", "false && rm -rf /\n").refused(403, "command_denied");
        assertThat(refused.text("/details/rule")).isEqualTo("builtin.rm-root");
        http.input(id, "text", "false && rm -r").hasStatus(200);
        http.input(id, "text", "f /\n").refused(403, "command_denied");
        http.input(id, "base64", "Cg==").hasStatus(200);
        http.input(id, "text", "cd /\n").hasStatus(200);
        Path folder = Path.of("/proc", Long.toString(http.pid(id)), "cwd");
        await().until(() -> Files.readSymbolicLink(folder).equals(Path.of("/")));
        http.input(id, "text", "false && rm -rf *\n").refused(403, "command_denied");
        http.input(id, "text", "echo \"r\"\"m -rf /\"; exit 3\n").hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isEqualTo(3);
        assertThat(http.output(id)).contains("rm -rf /");
    }

    /** By another name, with its text from its input, or with a job behind it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec -a python bash --norc",
                "exec bash /dev/stdin",
                "sleep 60 & exec bash",
                "sleep 60 <&0 & exec bash --norc",
                "exec script -qc 'exec bash --norc' /dev/null"
            })
    void aShellIsKnownHoweverItCameThere(String cmd) {
        String id = http.start(cmd, "accepts_input", true);
        http.awaitTask(
                id,
                task -> task.path("processes").toString().contains("bash")
                        || task.path("processes").toString().contains("python"));
        await().atMost(Calls.PATIENCE)
                .until(() -> http.input(id, "text", "false && rm -rf /\n").status() == 403);
        http.stop(id, "force", true);
    }

    /** In a terminal keys take back what in a pipe is run. */
    @Test
    void keysAreKeysInATerminalOnly() {
        String piped = shell("accepts_input", true);
        http.input(piped, "text", "false && rm -rf / #\u0015echo ok\n").refused(403, "command_denied");
        http.stop(piped, "force", true);

        String id = shell("tty", true);
        http.input(id, "text", "alse && rm -rf /\u0001f\r").refused(403, "command_denied");
        http.input(id, "text", "false && rm -rf \\\n").hasStatus(200);
        http.input(id, "text", "/\r").refused(403, "command_denied");
        http.input(id, "text", "\u0003").hasStatus(200);
        // What is typed before the shell has taken ^C goes with the line that it takes back.
        await().until(() -> http.output(id), text -> text.matches("(?s).*\\^C.*bash-[0-9.]+[#$] "));
        http.input(id, "text", "false && rm -rf /").hasStatus(200);
        http.input(id, "keys", List.of("ctrl-u")).hasStatus(200);
        http.input(id, "text", "exit 4\r").hasStatus(200);
        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isEqualTo(4);
    }

    /** What a program does not read that runs in front of a shell, the shell reads next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsTypedAheadIsACommand(boolean tty) {
        String id = tty ? shell("tty", true) : shell("accepts_input", true);
        http.input(id, "text", "sleep 600\n").hasStatus(200);
        http.awaitTask(id, task -> task.path("processes").toString().contains("sleep 600"));

        http.input(id, "text", "false && rm -rf /\n").refused(403, "command_denied");
        http.input(id, "text", "y\n").hasStatus(200);
        http.stop(id, "force", true);
    }

    /** The pipe keeps it until the shell is there that the task's own text begins. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsTypedBeforeThereIsAShellIsACommand(boolean tty) {
        String id = http.start("sleep 600; exec bash --norc", tty ? "tty" : "accepts_input", true);
        http.awaitTask(id, task -> task.path("processes").toString().contains("sleep 600"));

        http.input(id, "text", "false && rm -rf /\n").refused(403, "command_denied");
        http.input(id, "text", "y\n").hasStatus(200);
        http.stop(id, "force", true);

        String data = http.start("sleep 600; exec cat", tty ? "tty" : "accepts_input", true);
        http.input(data, "text", "false && rm -rf /\n").hasStatus(200);
        http.stop(data, "force", true);
    }

    /** What a program in front of a shell waits for is its own, whatever it says. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAProgramAsksForIsData(boolean tty) {
        String id = tty ? shell("tty", true) : shell("accepts_input", true);
        http.input(id, "text", "cat -u | sed -u s/^/said:/\n").hasStatus(200);
        http.awaitTask(
                id,
                task -> task.path("processes").toString().contains("sed -u")
                        && task.path("waiting").asText().equals("input"));

        http.input(id, "text", "rm -rf /\n").hasStatus(200);

        await().atMost(Calls.PATIENCE).until(() -> http.output(id).contains("said:rm -rf /"));
        http.stop(id, "force", true);
    }

    @Test
    void whatIsNoShellGetsData() {
        String id = http.start("cat", "accepts_input", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        http.input(id, "text", "rm -rf /\n", "eof", true).hasStatus(200);

        http.awaitEnd(id);
        assertThat(http.output(id)).isEqualTo("rm -rf /\n");
    }

    @Test
    void aToolIsHeldToItToo() {
        String id = shell("accepts_input", true);

        Answer answer = http.post("/v1/tools/TaskInput", Json.object("task_id", id, "input", "false && rm -rf /\n"));

        assertThat(answer.text("/error/kind")).isEqualTo("command_denied");
        http.stop(id, "force", true);
    }

    @Test
    void typingIntoATerminalIsHeldToIt() throws Exception {
        String id = shell("tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("false && rm -rf /\r");
            assertThat(terminal.awaitClosed()).isEqualTo(1008);
        }
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        http.stop(id, "force", true);
    }

    /** A shell that was there before the mode was. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inPlanOnlyWhatReadsIsTyped(boolean tty) throws IOException {
        String id = tty ? shell("tty", true) : shell("accepts_input", true);
        Files.writeString(policy, "version: 1\nmode: plan\n");
        await().atMost(Calls.PATIENCE).until(() -> decision("touch x", "input").equals("deny"));

        Answer refused = http.input(id, "text", "touch planned\n").refused(403, "command_denied");
        assertThat(refused.text("/details/rule")).isEqualTo("mode.plan");
        http.input(id, "text", "ls; rm x\n").refused(403, "command_denied");
        http.input(id, "text", "cat > planned\n").refused(403, "command_denied");
        http.input(id, "text", "bash\n").refused(403, "command_denied");
        http.input(id, "text", "echo read only\n").hasStatus(200);

        http.awaitOutput(id, "read only");
        assertThat(SERVER.workspace().resolve("planned")).doesNotExist();
        http.stop(id, "force", true);
    }

    /** A pager only reads, and runs what follows `!`; `v` begins an editor at once. */
    @Test
    void inPlanAPagerRunsNothing() throws Exception {
        Path written = SERVER.workspace().resolve("written");
        Files.writeString(policy, "version: 1\nmode: plan\n");
        await().atMost(Calls.PATIENCE).until(() -> decision("touch x", "input").equals("deny"));
        String id = http.start("less /etc/passwd", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        Answer refused = http.input(id, "text", "!touch " + written + "\n").refused(403, "command_denied");
        assertThat(refused.text("/details/rule")).isEqualTo("mode.plan");
        assertThat(refused.text("/detail")).contains("pager");
        http.input(id, "text", "v").refused(403, "command_denied");
        http.input(id, "keys", List.of("page-down", "space", "enter", "up")).hasStatus(200);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type(" "); // what follows goes another way: typing was told to the journal
            terminal.type("!touch " + written);
            assertThat(terminal.awaitClosed()).isEqualTo(1008);
        }
        http.input(id, "text", "\r").hasStatus(200);
        http.input(id, "text", "q").hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isZero();
        assertThat(written).doesNotExist();
    }

    /** Nobody is asked for input or a stop: the error says which rule it is, and what lifts it. */
    @Test
    void whatAsksIsRefusedWithItsRemedy() throws Exception {
        String id = shell("tty", true);
        Files.writeString(policy, """
                version: 1
                rules:
                  - {id: typed, match: {executable: touch, on: [input]}, decision: ask}
                  - {id: kept, match: {executable: bash, on: [stop]}, decision: ask}
                """);
        await().atMost(Calls.PATIENCE).until(() -> decision("touch x", "input").equals("ask"));

        Answer input = http.input(id, "text", "touch asked\r").refused(403, "command_denied");
        assertThat(input.text("/detail")).contains("nobody asked here", "touch asked", "(typed)");
        assertThat(input.text("/recovery_hint")).contains("`on: input`", "allow");
        Answer stop = http.stop(id).refused(403, "command_denied");
        assertThat(stop.text("/details/rule")).isEqualTo("kept");
        assertThat(stop.text("/recovery_hint")).contains("`on: stop`", "allow");
        http.signal(id, "TERM").refused(403, "command_denied");
        Answer typed = http.post("/v1/tools/TaskInput", Json.object("task_id", id, "input", "touch asked\r"));
        assertThat(typed.text("/error/recovery_hint")).contains("`on: input`");
        Answer stopped = http.post("/v1/tools/TaskStop", Json.object("task_id", id));
        assertThat(stopped.text("/error/recovery_hint")).contains("`on: stop`");
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("touch asked\r");
            assertThat(terminal.awaitClosed()).isEqualTo(1008);
        }
        assertThat(http.get("/v1/approvals").at("/approvals")).isEmpty();
        assertThat(SERVER.workspace().resolve("asked")).doesNotExist();

        Files.delete(policy);
        await().atMost(Calls.PATIENCE)
                .until(() -> decision("exec bash --norc", "stop").equals("allow"));
        http.stop(id, "force", true).hasStatus(200);
    }

    @Test
    void aRuleMayHoldBackStopsAndSignals() throws IOException {
        String id = http.start("sleep 600", "labels", Map.of("kind", "kept"));
        Files.writeString(policy, """
                version: 1
                rules:
                  - {id: keep, match: {command: "sleep *", on: [stop]}, decision: deny, reason: It is the database.}
                """);
        await().atMost(Calls.PATIENCE).until(() -> decision("sleep 600", "stop").equals("deny"));

        assertThat(http.stop(id).refused(403, "command_denied").text("/detail")).contains("It is the database.");
        http.signal(id, "TERM").refused(403, "command_denied");
        http.post("/v1/tools/TaskStop", Json.object("task_id", id));
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");

        Files.delete(policy);
        await().atMost(Calls.PATIENCE).until(() -> decision("sleep 600", "stop").equals("allow"));
        http.stop(id, "force", true).hasStatus(200);
        assertThat(List.of("cancelled"))
                .contains(http.awaitEnd(id).path("status").asText());
    }
}
