package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server dies and comes back, and its commands never notice. */
class RestartIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final Duration LONGER_THAN_ITS_OWN = Duration.ofSeconds(7);

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    /** In the order in which they may begin: the last have a clock that runs, and so go on first. */
    @TestFactory
    Stream<DynamicTest> itIsKilledAndComesBack() throws Throwable {
        Stream<Story> ofOthers = Stream.of(
                        new WallsIT().overAKill(), new IdempotencyIT().overAKill(), new AllEventsIT().overAKill())
                .flatMap(stories -> stories);
        Stream<Story> own = Stream.of(
                new TokensOfAgentsIT().ownersOutliveTheServer(),
                new ScreenIT().aServerThatWasKilledSeesItAgainAsItStandsOrStoodLast(),
                aRunningTaskGoesOnWithAllItsOutputAndItsExitCode(),
                anExitThatNobodySawIsKnownAllTheSame(),
                inputGoesOn(),
                aTerminalGoesOn(),
                aStopAfterwardsStopsEverything(),
                theSameCommandIsStillRunning(),
                anEndedTaskIsStillThere(),
                aForgottenIdIsKnownToBeOne(),
                anMcpSessionGoesOn(),
                aBrowserStaysSignedIn(),
                whatEndedMeanwhileWasATaskByThen(),
                whatEndsWithItsCallerEndsWithHisServer(),
                aForegroundCommandThatTheCrashCaughtBecomesATask());
        Stream<Story> withClocks = Stream.of(
                        new LeftRunningIT().overAKill(),
                        new Remains(SERVER).ofProcesses(),
                        Stream.of(whatModelsWereToldToNameACommandByStaysValid()), // lists the newest that ended
                        new Causes().overAKill(),
                        ownWithClocks())
                .flatMap(stories -> stories);
        Story[] all =
                Stream.of(ofOthers, own, withClocks).flatMap(stories -> stories).toArray(Story[]::new);
        return Story.over(SERVER, SERVER::kill, all).toList().reversed().stream();
    }

    private Stream<Story> ownWithClocks() throws Exception {
        return Stream.of(
                anItemOfABatchDoesNotOutliveItsWindow(), deadlinesCountFromTheRealStart(), aStopGoesOnWithItsGrace());
    }

    private Story aRunningTaskGoesOnWithAllItsOutputAndItsExitCode() {
        String id = http.start("i=0; until test -e enough; do i=$((i + 1)); echo $i; sleep 0.05; done; exit 7");
        long pid = http.pid(id);
        http.awaitOutput(id, "5\n");

        return new Story("a running task goes on with all its output and its exit code", () -> {
            assertThat(http.task(id).at("/process/pid").asLong()).isEqualTo(pid);
            long seen = http.task(id).at("/output/stdout_bytes").asLong();
            http.awaitTask(id, task -> task.at("/output/stdout_bytes").asLong() > seen);
            mark("enough");
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("exit_status").asInt()).isEqualTo(7);
            assertThat(ended.path("ended_by").asText()).isEqualTo("exit");
            String output = http.raw(id, "?stream=stdout&max_bytes=1048576").body();
            long last = output.lines().count();
            assertThat(output)
                    .isEqualTo(LongStream.rangeClosed(1, last)
                            .mapToObj(i -> i + "\n")
                            .collect(Collectors.joining()));
        });
    }

    private Story anExitThatNobodySawIsKnownAllTheSame() {
        String code = http.start("until test -e killed; do sleep 0.2; done; exit 8");
        String signal = http.start("until test -e killed; do sleep 0.2; done; kill -KILL $$");
        long pid = http.pid(code);
        long other = http.pid(signal);

        return new Story(
                "an exit that nobody saw is known all the same",
                () -> {
                    mark("killed");
                    Processes.awaitGone(pid);
                    Processes.awaitGone(other);
                },
                () -> {
                    assertThat(http.awaitEnd(code).path("exit_status").asInt()).isEqualTo(8);
                    assertThat(http.awaitEnd(signal).path("exit_signal").asText())
                            .isEqualTo("SIGKILL");
                });
    }

    private Story inputGoesOn() {
        String id = http.start("cat; echo end", "accepts_input", true);
        http.input(id, "text", "before\n").hasStatus(200);

        return new Story("input goes on", () -> {
            http.input(id, "text", "after\n", "eof", true).hasStatus(200);

            assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
            assertThat(http.output(id)).isEqualTo("before\nafter\nend\n");
        });
    }

    private Story aTerminalGoesOn() {
        String id = http.start("stty -echo; while read x; do echo \"got $x\"; stty size; done", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        http.input(id, "text", "one\n").hasStatus(200);
        http.awaitOutput(id, "got one");

        return new Story("a terminal goes on", () -> {
            http.input(id, "text", "two\n").hasStatus(200);
            http.awaitOutput(id, "got two");
            http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 22, "cols", 88))
                    .hasStatus(200);
            http.input(id, "text", "three\n").hasStatus(200);
            http.awaitOutput(id, "22 88");

            try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
                terminal.await("got two");
            }
        });
    }

    private Story aStopAfterwardsStopsEverything() {
        String id = http.start("setsid sleep 800 & sleep 801");
        long pid = http.pid(id);
        await().atMost(Calls.PATIENCE).until(() -> runs(id, "sleep 800"));

        return new Story("a stop afterwards stops everything", () -> {
            assertThat(http.stop(id, "grace_ms", 500).hasStatus(200).text("/task/status"))
                    .isEqualTo("cancelled");
            assertThat(Processes.alive(pid)).isFalse();
            assertThat(runs(id, "sleep 800")).isFalse();
        });
    }

    /** Who was given a minute to write all down gets it, and is asked once. */
    private Story aStopGoesOnWithItsGrace() {
        String id = http.start("trap 'echo asked' TERM; echo ready; until test -e done; do sleep 0.2; done; exit 4");
        http.awaitOutput(id, "ready");
        var _ = CompletableFuture.supplyAsync(() -> http.stop(id, "grace_ms", 60_000), Thread::startVirtualThread);
        http.awaitOutput(id, "asked");
        var came = new AtomicLong();

        return new Story("a stop goes on with its grace", () -> came.set(System.nanoTime()), () -> {
            await("longer than any grace of the server's own")
                    .atMost(Calls.PATIENCE)
                    .until(() -> System.nanoTime() - came.get() > LONGER_THAN_ITS_OWN.toNanos());
            assertThat(http.task(id).path("status").asText()).isEqualTo("cancelling");
            mark("done");

            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.path("exit_status").asInt()).isEqualTo(4);
            assertThat(http.raw(id, "?stream=stdout").body()).isEqualTo("ready\nasked\n");
        });
    }

    private Story theSameCommandIsStillRunning() {
        String id = http.run("sleep 802", "yield_time_ms", 0).promoted();

        return new Story(
                "the same command is still running",
                () -> assertThat(http.run("sleep 802", "yield_time_ms", 0).alreadyRunning())
                        .isEqualTo(id));
    }

    private Story deadlinesCountFromTheRealStart() {
        String id = http.start("sleep 803", "timeout_ms", 1500);

        return new Story("deadlines count from the real start", () -> {
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("ended_by").asText()).isEqualTo("timeout");
            assertThat(ended.path("status").asText()).isEqualTo("failed");
        });
    }

    /** Whoever sent the batch is gone, and its limit is not. */
    private Story anItemOfABatchDoesNotOutliveItsWindow() throws Exception {
        String before = SERVER.newest();
        Object items = List.of(Map.of("cmd", "echo item; sleep 804", "timeout_ms", 3_600_000));
        RawHttp caller = sent("/v1/commands/batch", Map.of("yield_time_ms", 5000, "items", items));
        String id = SERVER.awaitNewer(before);
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.taskFolder(id).resolve("pid")));

        return new Story("an item of a batch does not outlive its window", caller::close, () -> {
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.at("/command/timeout_ms").asLong()).isEqualTo(3_600_000);
        });
    }

    private Story aForegroundCommandThatTheCrashCaughtBecomesATask() throws Exception {
        String before = SERVER.newest();
        String cmd = "echo caught; until test -e caught; do sleep 0.2; done; exit 5";
        RawHttp caller =
                sent("/v1/commands", command(cmd, "labels", Map.of("case", "caught"), "yield_time_ms", 60_000));
        Path out = SERVER.taskFolder(SERVER.awaitNewer(before)).resolve("out");
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(out) && Files.size(out) > 0);

        return new Story("a foreground command that the crash caught becomes a task", caller::close, () -> {
            mark("caught");
            JsonNode task = http.get("/v1/tasks?status=all&label=case%3Dcaught").at("/tasks/0");
            JsonNode ended = http.awaitEnd(task.path("task_id").asText());
            assertThat(ended.path("exit_status").asInt()).isEqualTo(5);
            assertThat(http.output(ended.path("task_id").asText())).isEqualTo("caught\n");
        });
    }

    /** The same, and its end comes while no server runs. */
    private Story whatEndedMeanwhileWasATaskByThen() throws Exception {
        String before = SERVER.newest();
        String cmd = "until test -e meanwhile; do sleep 0.2; done";
        RawHttp caller = sent("/v1/commands", command(cmd, "yield_time_ms", 60_000));
        String id = SERVER.awaitNewer(before);
        awaitRecorded(id);

        return new Story(
                "what ended meanwhile was a task by then",
                () -> {
                    caller.close();
                    mark("meanwhile");
                    await().atMost(Calls.PATIENCE)
                            .until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
                },
                () -> {
                    JsonNode task = http.task(id);
                    assertThat(task.path("status").asText()).isEqualTo("completed");
                    assertThat(task.path("promoted_at")).isEqualTo(task.path("ended_at"));
                    assertThat(task.path("updated_at")).isEqualTo(task.path("ended_at"));
                });
    }

    /** Its window was its life: its caller has no other name for it, and he went with the server. */
    private Story whatEndsWithItsCallerEndsWithHisServer() throws Exception {
        String before = SERVER.newest();
        Object program = Map.of("executable", "sleep", "argv", List.of("805"));
        RawHttp caller = sent("/v1/tools/shell_exec?profile=classic", program);
        String id = SERVER.awaitNewer(before);
        awaitRecorded(id);

        return new Story("what ends with its caller ends with his server", caller::close, () -> {
            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
            assertThat(runs(id, "sleep 805")).isFalse();
        });
    }

    private Story anEndedTaskIsStillThere() {
        String id = http.start("echo over; exit 2");
        JsonNode before = http.awaitEnd(id);

        return new Story("an ended task is still there", () -> {
            assertThat(http.task(id)).isEqualTo(before);
            assertThat(http.output(id)).isEqualTo("over\n");
            assertThat(Files.exists(SERVER.taskFolder(id))).isTrue();
        });
    }

    /** In each profile: numbers, and the folder of a session. */
    private Story whatModelsWereToldToNameACommandByStaysValid() {
        ToolCalls codex = new ToolCalls(http, "codex");
        ToolCalls claude = new ToolCalls(http, "claude");
        ToolCalls gemini = new ToolCalls(http, "gemini");
        ToolCalls classic = new ToolCalls(http, "classic");
        long session = codex.success("exec_command", "cmd", "echo a; sleep 4361", "login", false, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        String id = claude.success("Bash", "command", "echo b; sleep 4362", "run_in_background", true)
                .at("/result/background_task_id")
                .asText();
        long pid = gemini.success("run_shell_command", "command", "echo c; exec sleep 4363", "is_background", true)
                .at("/result/pid")
                .asLong();
        long ended = gemini.success(
                        "run_shell_command", "command", "sleep 0.5; echo d", "is_background", true, "delay_ms", 0)
                .at("/result/pid")
                .asLong();
        gemini.success("read_background_output", "pid", ended, "delay_ms", 20_000);
        classic.success("bash", "command", "cd /usr", "session", "s");

        return new Story("what models were told to name a command by stays valid", () -> {
            assertThat(codex.text("write_stdin", "session_id", session, "chars", "\u0003", "yield_time_ms", 30_000))
                    .contains("Process exited with code")
                    .endsWith("Output:\na\n");
            assertThat(codex.text("write_stdin", "session_id", session)).contains("Process exited with code");
            assertThat(claude.text("TaskOutput", "task_id", id, "block", false)).contains("<output>\nb\n</output>");
            assertThat(gemini.text("read_background_output", "pid", pid)).isEqualTo("Full Log Output:\nc");
            assertThat(gemini.text("read_background_output", "pid", ended)).isEqualTo("Full Log Output:\nd");
            assertThat(gemini.text("list_background_processes"))
                    .contains("- [PID " + pid + "] RUNNING: `echo c; exec sleep 4363`")
                    .contains("- [PID " + ended + "] EXITED: `sleep 0.5; echo d` (Exit Code: 0)");
            assertThat(classic.text("bash", "command", "pwd", "session", "s")).isEqualTo("/usr\n");
        });
    }

    private Story aForgottenIdIsKnownToBeOne() {
        Instant begun = Instant.now().minusMillis(1);
        String id = http.start("echo gone");
        http.awaitEnd(id);
        http.delete("/v1/tasks/" + id).hasStatus(204);
        JsonNode details =
                http.get("/v1/tasks/" + id).refused(404, "task_not_found").at("/details");
        Instant at = Instant.parse(details.path("forgotten_at").asText());
        assertThat(at).isBetween(begun, Instant.now());
        assertThat(details.has("running")).isFalse();
        assertThat(http.stop(id).refused(404, "task_not_found").at("/details")).isEqualTo(details);

        return new Story(
                "a forgotten id is known to be one",
                () -> assertThat(http.get("/v1/tasks/" + id + "/output")
                                .refused(404, "task_not_found")
                                .at("/details"))
                        .isEqualTo(details));
    }

    private Story anMcpSessionGoesOn() {
        McpClient client = McpClient.of(SERVER);
        String id = client.call("ExecCommand", Map.of("cmd", "sleep 806", "yield_time_ms", 0))
                .at("/_meta/holdfast~1result/task_handle/task_id")
                .asText();

        return new Story("an MCP session goes on", () -> {
            assertThat(client.list()).hasSize(9);
            assertThat(client.call("TaskStatus", Map.of("task_id", id))
                            .at("/_meta/holdfast~1result/status")
                            .asText())
                    .isEqualTo("running");
            client.send(Json.write(client.request("ping", Map.of())), "Mcp-Session-Id", "bm8gc2Vzc2lvbg")
                    .refused(404, "not_found");
            client.send(Json.write(client.request("ping", Map.of())), "Holdfast-Renews-Session", "true")
                    .refused(404, "not_found");
            SERVER.send(SERVER.request("/mcp")
                            .header("Mcp-Session-Id", client.session())
                            .header("Accept", "text/event-stream")
                            .GET()
                            .build())
                    .refused(405, "method_not_allowed");
            SERVER.send(SERVER.request("/mcp")
                            .header("Mcp-Session-Id", client.session())
                            .DELETE()
                            .build())
                    .hasStatus(200);
            client.post(client.request("ping", Map.of())).refused(404, "not_found");
        });
    }

    private Story aBrowserStaysSignedIn() {
        Answer signedIn = http.post("/v1/console/session", Map.of("token", SERVER.token()))
                .hasStatus(200);
        HttpRequest asksWhoItIs = HttpRequest.newBuilder(SERVER.uri("/v1/console/session"))
                .header("Cookie", signedIn.header("Set-Cookie").split(";", 2)[0])
                .header("Holdfast-Page-Secret", signedIn.text("/page_secret"))
                .build();

        return new Story(
                "a browser stays signed in",
                () -> assertThat(SERVER.send(asksWhoItIs).hasStatus(200).text("/name"))
                        .isEqualTo("operator"));
    }

    /** Whether the task has such a process: another run of this test on the machine has some too. */
    private static boolean runs(String id, String command) {
        return Processes.marked("HOLDFAST_TASK", id).stream()
                .anyMatch(pid -> Processes.commandLine(pid)
                        .filter(line -> line.endsWith(command))
                        .isPresent());
    }

    /** Until its launcher and the command itself were seen. */
    private static void awaitRecorded(String id) {
        Path pid = SERVER.taskFolder(id).resolve("pid");
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(pid) && Files.readAllLines(pid).size() == 2);
    }

    private static void mark(String name) throws IOException {
        Files.createFile(SERVER.workspace().resolve(name));
    }

    /** A request whose caller waits for the answer until he hangs up. */
    private static RawHttp sent(String path, Object body) throws IOException {
        RawHttp caller = RawHttp.to(SERVER.port());
        caller.post(SERVER, path, Json.write(body));
        return caller;
    }
}
