package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 13: what a command behind a wall sees and may do. Data folder and workspace lie side by side in /tmp. */
@Walled
class WallsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    /** For RestartIT, which kills the server: a wall outlives it, as what is behind it does. */
    Stream<Story> overAKill() {
        return Walled.Condition.made() ? Stream.of(walledCommandsGoOnWithTheirExitsAndInput()) : Stream.empty();
    }

    private Story walledCommandsGoOnWithTheirExitsAndInput() {
        String code = up("until test -e unwatched; do sleep 0.2; done; echo over; exit 8");
        String later = up("until test -e adopted; do sleep 0.2; done; echo later; kill -9 $$");
        String input = up("read -r x; echo \"got $x\"", "accepts_input", true);
        String terminal = up("read -r x; echo \"got $x\"", "tty", true);
        String stopped = up("setsid sleep 300 & sleep 300");
        long pid = http.pid(later);

        return new Story(
                "walled commands go on with their exits and input",
                () -> Files.createFile(SERVER.workspace().resolve("unwatched")),
                () -> {
                    assertThat(http.task(later).at("/process/pid").asLong()).isEqualTo(pid);
                    assertThat(http.task(later).at("/command/sandbox").asText()).isEqualTo("workspace_write");
                    assertThat(http.awaitEnd(code).path("exit_status").asInt()).isEqualTo(8);
                    assertThat(http.output(code)).endsWith("over\n");
                    http.input(input, "text", "fifo\n").hasStatus(200);
                    http.input(terminal, "text", "tty\r").hasStatus(200);
                    http.awaitOutput(input, "got fifo");
                    http.awaitOutput(terminal, "got tty");
                    Files.createFile(SERVER.workspace().resolve("adopted"));
                    JsonNode killed = http.awaitEnd(later);
                    assertThat(killed.path("exit_signal").asText()).isEqualTo("SIGKILL");
                    http.stop(stopped, "grace_ms", 200).hasStatus(200);
                    assertThat(Processes.marked("HOLDFAST_TASK", stopped)).isEmpty();
                    assertThat(Processes.running(stopped)).isEmpty();
                });
    }

    private String up(String cmd) {
        return up(cmd, "tty", false);
    }

    private String up(String cmd, String field, boolean value) {
        String id = http.start("echo up; " + cmd, "sandbox", "workspace_write", field, value);
        http.awaitOutput(id, "up");
        return id;
    }

    private Answer run(String wall, String cmd, Object... more) {
        Map<String, Object> body = Calls.command(cmd, more);
        body.put("sandbox", wall);
        return http.post("/v1/commands", body);
    }

    private Answer write(String cmd, Object... more) {
        return run("workspace_write", cmd, more);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 0 | 0 |",
                "exit 3 | 3 |",
                "exit 137 | 137 |",
                "no-such-program | 127 |",
                "kill -9 $$ | | SIGKILL",
                "kill -TERM $$ | | SIGTERM",
                "kill -SEGV $$ | | SIGSEGV",
                "trap 'exit 5' TERM; kill -TERM 0; sleep 10 | 5 |",
            })
    void theExitIsTheCommandsOwn(String cmd, String code, String signal) {
        Answer answer = write(cmd).completed();

        assertThat(answer.at("/exit_status").asText("null")).isEqualTo(code == null ? "null" : code);
        assertThat(answer.at("/exit_signal").asText("null")).isEqualTo(signal == null ? "null" : signal);
        assertThat(answer.text("/ended_by")).isEqualTo(signal == null ? "exit" : "signal");
    }

    @Test
    void bothStreamsAreItsOwnAndNothingElseIsOpen() {
        Answer answer =
                write("echo out; echo err >&2; ls /proc/self/fd | wc -l").completed();

        assertThat(answer.text("/stdout_preview")).isEqualTo("out\n4\n");
        assertThat(answer.text("/stderr_preview")).isEqualTo("err\n");
    }

    @Test
    void theDataFolderIsEmpty() {
        Path data = SERVER.data();
        assertThat(http.run("cat " + data + "/token").completed().text("/stdout_preview"))
                .contains(SERVER.token());

        String cmd =
                "cat " + data + "/token; ls -A " + data + "; cat /proc/*/root" + data + "/token; cat /proc/*/environ";
        Answer answer = write(cmd + " | tr '\\0' '\\n' | grep ^QUARKUS; true").completed();

        assertThat(answer.at("/stdout_preview").isNull()).isTrue();
    }

    @Test
    void itsOwnProcessesAreAllThereAre() {
        String seen = write("ps -e -o comm=").completed().text("/stdout_preview");

        assertThat(seen).startsWith("bwrap\n").doesNotContain("java");
        assertThat(seen.lines().count()).isLessThan(8);
    }

    @Test
    void itHasNoCapabilities() {
        assertThat(write("grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status")
                        .completed()
                        .text("/stdout_preview"))
                .isEqualTo("CapEff:\t0000000000000000\nNoNewPrivs:\t1\n");
    }

    /** Root's file permissions let it: what is told to the kernel holds for the whole machine. */
    @Test
    void theKernelIsToldNothing() {
        String cmd = "v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo told;"
                + " find /proc/sys /proc/sysrq-trigger -writable -type f 2>&- | head -1";

        assertThat(write(cmd).completed().at("/stdout_preview").isNull()).isTrue();
    }

    @Test
    void onlyTheWorkspaceCanBeWritten() throws IOException {
        Path workspace = SERVER.workspace();
        Path outside = Files.createTempFile(Path.of(System.getProperty("user.dir"), "target"), "outside", "");
        String cmd = "echo x > " + workspace + "/walled; echo x > " + outside + "; echo x > /etc/walled";

        write(cmd).completed();

        assertThat(workspace.resolve("walled")).hasContent("x");
        assertThat(outside).isEmptyFile();
        assertThat(Path.of("/etc/walled")).doesNotExist();
        Files.delete(outside);
    }

    @Test
    void behindTheHigherWallNothingCanBeWritten() throws IOException {
        Path file = Files.writeString(SERVER.workspace().resolve("kept"), "before");

        Answer answer = run(
                        "read_only", "cat kept; echo after > kept; echo more > more; echo tmp > /tmp/x && cat /tmp/x")
                .completed();

        assertThat(answer.text("/stdout_preview")).isEqualTo("beforetmp\n");
        assertThat(file).hasContent("before");
        assertThat(SERVER.workspace().resolve("more")).doesNotExist();
    }

    @Test
    void tmpIsItsOwn() throws IOException {
        Path there = Files.createTempFile("walls", "");
        assertThat(write("test ! -e " + there + " && echo x > /tmp/of-the-wall && test -w $(mktemp)")
                        .completed()
                        .at("/exit_status")
                        .asInt(-1))
                .isZero();
        assertThat(Path.of("/tmp/of-the-wall")).doesNotExist();
        Files.delete(there);
    }

    @Test
    void socketsOfOtherServicesAreNotThere() {
        assertThat(write("ls -A /run").completed().at("/stdout_preview").asText(""))
                .doesNotContain("docker.sock", "dbus", "user");
    }

    @Test
    void aWorkdirThatIsNotThereIsRefused() throws IOException {
        Path elsewhere = Files.createTempDirectory("elsewhere").toRealPath();
        Answer answer = write("true", "workdir", elsewhere.toString());

        answer.refused(422, "workdir_not_found");
        assertThat(answer.text("/detail")).contains("behind a wall");
        write("true", "workdir", SERVER.data().toString()).refused(422, "workdir_not_found");
        Answer readOnly = write("pwd; touch x", "workdir", "/usr").completed();
        assertThat(readOnly.text("/stdout_preview")).isEqualTo("/usr\n");
        assertThat(readOnly.at("/exit_status").asInt()).isEqualTo(1);
        Files.delete(elsewhere);
    }

    @Test
    void theNetworkIsThereWhenItIsAskedFor() {
        String reach = "(: < /dev/tcp/127.0.0.1/" + SERVER.port() + ")";

        assertThat(write(reach).completed().at("/exit_status").asInt()).isEqualTo(1);
        assertThat(write(reach, "network", true).completed().at("/exit_status").asInt())
                .isZero();
    }

    @Test
    void aServerInsideIsSeenWithItsPort() {
        int port = PackagedServer.freePort();
        Answer answer = write(
                "exec python3 -m http.server " + port + " --bind 127.0.0.1",
                "network",
                true,
                "yield_time_ms",
                60_000,
                "yield_when",
                Map.of("port_open", port));

        assertThat(answer.text("/promoted_because")).isEqualTo("port_open");
        String id = answer.promoted();
        assertThat(http.get("/v1/tasks/" + id + "?fresh=true").at("/ports").toString())
                .isEqualTo("[" + port + "]");
        stopped(id);
    }

    @Test
    void whatItsTaskIsToldOfIsTheCommandAlone() {
        String id = http.start("sleep 301.5 & exec sleep 301.25", "sandbox", "workspace_write");
        JsonNode task = http.awaitTask(
                id,
                seen -> seen.at("/process/pid").isIntegralNumber()
                        && Set.copyOf(seen.path("processes").findValuesAsText("command"))
                                .equals(Set.of("sleep 301.5", "sleep 301.25")));

        assertThat(task.path("processes")).hasSize(2);
        assertThat(Processes.commandLine(task.at("/process/pid").asLong())).hasValue("sleep 301.25");
        assertThat(task.at("/command/sandbox").asText()).isEqualTo("workspace_write");
        assertThat(task.at("/command/network").asBoolean(true)).isFalse();
        stopped(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "trap '' TERM; echo up; while :; do sleep 1; done",
                "setsid sh -c 'trap \"\" TERM; sleep 300' & echo up; sleep 300",
                "(setsid env -i sleep 300 &) ; echo up; sleep 300",
            })
    void aStopLeavesNothing(String cmd) {
        String id = http.start(cmd, "sandbox", "workspace_write");
        http.awaitOutput(id, "up");

        http.stop(id, "grace_ms", 200).hasStatus(200);

        assertThat(http.task(id).path("status").asText()).isEqualTo("cancelled");
        assertThat(Processes.marked("HOLDFAST_TASK", id)).isEmpty();
        assertThat(Processes.running(id)).isEmpty();
    }

    @Test
    void signalsReachItAndNotItsWall() {
        String id = http.start(
                "trap 'echo int' INT; trap 'echo usr' USR1; trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.2; done",
                "sandbox",
                "workspace_write");
        http.awaitOutput(id, "up");
        http.signal(id, "INT").hasStatus(200);
        http.awaitOutput(id, "int");
        http.signal(id, "USR1").hasStatus(200);
        http.awaitOutput(id, "usr");
        http.signal(id, "STOP").hasStatus(200);
        http.signal(id, "CONT").hasStatus(200);
        http.signal(id, "TERM").hasStatus(200);

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("exit_status").asInt()).isEqualTo(9);
        assertThat(http.output(id)).contains("bye\n");
    }

    @Test
    void aKillIsToldAsOne() {
        String id = http.start("echo up; sleep 300", "sandbox", "workspace_write");
        http.awaitOutput(id, "up");
        http.signal(id, "KILL").hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_signal").asText()).isEqualTo("SIGKILL");
    }

    @Test
    void anInterruptIsToldAsOneOfWhatHasLivedForAWhile() {
        Answer answer = write("sleep 1; kill -INT $$").completed();
        assertThat(answer.at("/exit_signal").asText("null")
                        + answer.at("/exit_status").asText("null"))
                .isIn("SIGINTnull", "null130"); // by the kernel, where it tells
    }

    @Test
    void itsTimeLimitsHold() {
        Answer answer = write("sleep 300", "timeout_ms", 300).completed();
        assertThat(answer.text("/ended_by")).isEqualTo("timeout");
        Answer idle = write("echo a; sleep 300", "idle_timeout_ms", 300).completed();
        assertThat(idle.text("/ended_by")).isEqualTo("idle_timeout");
    }

    @Test
    void whatItLeavesRunningIsNamedAndStopped() {
        Answer answer = write("setsid sleep 300.75 > /dev/null 2>&1 & until grep -qsx sleep /proc/[0-9]*/comm;"
                        + " do :; done; echo started")
                .completed();

        assertThat(answer.at("/left_running")).hasSize(1);
        assertThat(answer.text("/left_running/0/command")).isEqualTo("sleep 300.75");
        long pid = answer.at("/left_running/0/pid").asLong();
        Answer stop = http.stop(answer.text("/task_id")).hasStatus(200);
        assertThat(stop.at("/ended_leftovers").toString()).isEqualTo("[" + pid + "]");
        assertThat(stop.at("/survivors")).isEmpty();
        assertThat(Processes.alive(pid)).isFalse();
    }

    @Test
    void itsInputIsItsOwn() {
        String id = http.start(
                "echo up; ls -AR " + SERVER.data() + " | wc -l; while read -r x; do echo \"got $x\"; done; echo over",
                "sandbox",
                "workspace_write",
                "accepts_input",
                true);
        http.awaitOutput(id, "up");
        assertThat(http.awaitTask(id, task -> task.path("waiting").asText().equals("input")))
                .isNotNull();
        http.input(id, "text", "one\n").hasStatus(200);
        http.awaitOutput(id, "got one");
        http.input(id, "text", "two\n", "eof", true).hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_status").asInt()).isZero();
        assertThat(http.output(id)).endsWith("got two\nover\n");
    }

    @Test
    void itHasATerminal() {
        String id = http.start(
                "test -t 0 && : < /dev/tty && stty size; read -rp 'name? ' x; trap 'echo int' INT; echo \"hello $x\";"
                        + " while :; do sleep 0.1; done",
                "sandbox",
                "workspace_write",
                "tty",
                true,
                "rows",
                33,
                "cols",
                77);
        http.awaitOutput(id, "name?");
        assertThat(http.output(id)).contains("33 77");
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        http.input(id, "text", "wall\r").hasStatus(200);
        http.awaitOutput(id, "hello wall");
        http.input(id, "keys", List.of("ctrl-c")).hasStatus(200);
        http.awaitOutput(id, "int");
        http.input(id, "keys", List.of("ctrl-c")).hasStatus(200);
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        stopped(id);
    }

    @Test
    void wallAndNetworkArePartOfWhatIsTheSame() {
        String cmd = "echo same; sleep 300";
        String bare = http.run(cmd, "yield_time_ms", 0).promoted();
        String walled = write(cmd, "yield_time_ms", 0).promoted();
        String higher = run("read_only", cmd, "yield_time_ms", 0).promoted();
        String open = write(cmd, "yield_time_ms", 0, "network", true).promoted();

        assertThat(List.of(bare, walled, higher, open)).doesNotHaveDuplicates();
        assertThat(write(cmd, "yield_time_ms", 0, "network", false).text("/task_handle/task_id"))
                .isEqualTo(walled);
        List.of(bare, walled, higher, open).forEach(this::stopped);
    }

    @Test
    void noNetworkWithoutAWallIsRefused() {
        Answer answer = http.run("true", "network", false);
        answer.refused(400, "invalid_tool_input");
        assertThat(answer.text("/recovery_hint")).contains("sandbox");
        http.run("true", "sandbox", "none", "network", true).completed();
    }

    @Test
    void itemsOfABatchHaveTheirOwn() {
        Answer answer = http.post(
                "/v1/commands/batch",
                Map.of(
                        "items",
                        List.of(
                                Map.of("cmd", "test -s " + SERVER.data() + "/token", "sandbox", "read_only"),
                                Map.of("cmd", "test -s " + SERVER.data() + "/token"))));

        assertThat(answer.text("/items/0/status")).isEqualTo("failed");
        assertThat(answer.text("/items/1/status")).isEqualTo("completed");
    }

    private void stopped(String id) {
        http.stop(id, "force", true).hasStatus(200);
        assertThat(Processes.running(id)).isEmpty();
    }
}
