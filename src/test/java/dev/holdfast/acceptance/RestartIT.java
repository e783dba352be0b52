package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server dies and comes back, and its commands never notice. */
class RestartIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.get("/v1/tasks?limit=100")
                .at("/tasks")
                .forEach(task -> http.stop(task.path("task_id").asText(), "force", true));
    }

    private static void killAndStart() throws Exception {
        SERVER.kill();
        SERVER.start();
    }

    @Test
    void aRunningTaskGoesOnWithAllItsOutputAndItsExitCode() throws Exception {
        String id = http.start("i=0; until test -e enough; do i=$((i + 1)); echo $i; sleep 0.01; done; exit 7");
        long pid = http.pid(id);
        http.awaitOutput(id, "5\n");

        killAndStart();
        assertThat(http.task(id).at("/process/pid").asLong()).isEqualTo(pid);
        long seen = http.task(id).at("/output/stdout_bytes").asLong();
        http.awaitTask(id, task -> task.at("/output/stdout_bytes").asLong() > seen);
        Files.writeString(SERVER.workspace().resolve("enough"), "");
        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("exit_status").asInt()).isEqualTo(7);
        assertThat(ended.path("ended_by").asText()).isEqualTo("exit");
        String output = http.raw(id, "?stream=stdout&max_bytes=1048576").body();
        long last = output.lines().count();
        assertThat(output)
                .isEqualTo(
                        LongStream.rangeClosed(1, last).mapToObj(i -> i + "\n").collect(Collectors.joining()));
    }

    @Test
    void anExitThatNobodySawIsKnownAllTheSame() throws Exception {
        String code = http.start("until test -e killed; do sleep 0.05; done; exit 8");
        String signal = http.start("until test -e killed; do sleep 0.05; done; kill -KILL $$");
        long pid = http.pid(code);
        long other = http.pid(signal);

        SERVER.kill();
        Files.writeString(SERVER.workspace().resolve("killed"), "");
        Processes.awaitGone(pid);
        Processes.awaitGone(other);
        SERVER.start();

        assertThat(http.awaitEnd(code).path("exit_status").asInt()).isEqualTo(8);
        assertThat(http.awaitEnd(signal).path("exit_signal").asText()).isEqualTo("SIGKILL");
    }

    @Test
    void inputGoesOn() throws Exception {
        String id = http.start("cat; echo end", "accepts_input", true);
        http.input(id, "text", "before\n").hasStatus(200);

        killAndStart();
        http.input(id, "text", "after\n", "eof", true).hasStatus(200);

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        assertThat(http.output(id)).isEqualTo("before\nafter\nend\n");
    }

    @Test
    void aTerminalGoesOn() throws Exception {
        String id = http.start("stty -echo; while read x; do echo \"got $x\"; stty size; done", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        http.input(id, "text", "one\n").hasStatus(200);
        http.awaitOutput(id, "got one");

        killAndStart();
        http.input(id, "text", "two\n").hasStatus(200);
        http.awaitOutput(id, "got two");
        http.put("/v1/tasks/" + id + "/terminal-size", Map.of("rows", 22, "cols", 88))
                .hasStatus(200);
        http.input(id, "text", "three\n").hasStatus(200);
        http.awaitOutput(id, "22 88");

        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("got two");
        }
    }

    @Test
    void aStopAfterwardsStopsEverything() throws Exception {
        String id = http.start("setsid sleep 800 & sleep 801");
        long pid = http.pid(id);
        await().until(() -> !Processes.running("sleep 800").isEmpty());

        killAndStart();

        assertThat(http.stop(id, "grace_ms", 500).hasStatus(200).text("/task/status"))
                .isEqualTo("cancelled");
        assertThat(Processes.alive(pid)).isFalse();
        assertThat(Processes.running("sleep 800")).isEmpty();
    }

    /** Who was given a minute to write all down gets it, and is asked once. */
    @Test
    void aStopGoesOnWithItsGrace() throws Exception {
        String id = http.start("trap 'echo asked' TERM; echo ready; until test -e done; do sleep 0.05; done; exit 4");
        http.awaitOutput(id, "ready");
        var _ = CompletableFuture.supplyAsync(() -> http.stop(id, "grace_ms", 60_000), Thread::startVirtualThread);
        http.awaitOutput(id, "asked");

        killAndStart();
        await("longer than any grace of the server's own")
                .atMost(Calls.PATIENCE)
                .during(Duration.ofSeconds(7))
                .until(() -> http.task(id).path("status").asText().equals("cancelling"));
        Files.writeString(SERVER.workspace().resolve("done"), "");

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("status").asText()).isEqualTo("cancelled");
        assertThat(ended.path("exit_status").asInt()).isEqualTo(4);
        assertThat(http.raw(id, "?stream=stdout").body()).isEqualTo("ready\nasked\n");
    }

    @Test
    void theSameCommandIsStillRunning() throws Exception {
        String id = http.run("sleep 802", "yield_time_ms", 0).promoted();

        killAndStart();

        assertThat(http.run("sleep 802", "yield_time_ms", 0).alreadyRunning()).isEqualTo(id);
    }

    @Test
    void deadlinesCountFromTheRealStart() throws Exception {
        String id = http.start("sleep 803", "timeout_ms", 1500);

        killAndStart();

        JsonNode ended = http.awaitEnd(id);
        assertThat(ended.path("ended_by").asText()).isEqualTo("timeout");
        assertThat(ended.path("status").asText()).isEqualTo("failed");
    }

    /** Whoever sent the batch is gone, and its limit is not. */
    @Test
    void anItemOfABatchDoesNotOutliveItsWindow() throws Exception {
        String before = SERVER.newest();
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            Object items = List.of(Map.of("cmd", "echo item; sleep 804"));
            send(caller, "/v1/commands/batch", Map.of("yield_time_ms", 1000, "items", items));
            String id = SERVER.awaitNewer(before);
            await().atMost(Calls.PATIENCE)
                    .until(() -> Files.exists(SERVER.taskFolder(id).resolve("pid")));

            killAndStart();

            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("ended_by").asText()).isEqualTo("timeout");
            assertThat(ended.path("status").asText()).isEqualTo("failed");
        }
    }

    @Test
    void aForegroundCommandThatTheCrashCaughtBecomesATask() throws Exception {
        String before = SERVER.newest();
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            send(caller, "/v1/commands", command("echo caught; sleep 3; exit 5", "labels", Map.of("case", "caught")));
            Path out = SERVER.taskFolder(SERVER.awaitNewer(before)).resolve("out");
            await().until(() -> Files.exists(out) && Files.size(out) > 0);
            killAndStart();
        }

        JsonNode task = http.get("/v1/tasks?status=all&label=case%3Dcaught").at("/tasks/0");
        JsonNode ended = http.awaitEnd(task.path("task_id").asText());
        assertThat(ended.path("exit_status").asInt()).isEqualTo(5);
        assertThat(http.output(ended.path("task_id").asText())).isEqualTo("caught\n");
    }

    /** The same, and its end comes while no server runs. */
    @Test
    void whatEndedMeanwhileWasATaskByThen() throws Exception {
        String before = SERVER.newest();
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            send(caller, "/v1/commands", command("until test -e meanwhile; do sleep 0.02; done"));
            String id = SERVER.awaitNewer(before);
            Path pid = SERVER.taskFolder(id).resolve("pid");
            await().until(() -> Files.exists(pid) && Files.readAllLines(pid).size() == 2);
            SERVER.kill();
            Files.writeString(SERVER.workspace().resolve("meanwhile"), "");
            await().until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
            SERVER.start();

            JsonNode task = http.task(id);
            assertThat(task.path("status").asText()).isEqualTo("completed");
            assertThat(task.path("promoted_at")).isEqualTo(task.path("ended_at"));
            assertThat(task.path("updated_at")).isEqualTo(task.path("ended_at"));
        }
    }

    /** Its window was its life: its caller has no other name for it, and he went with the server. */
    @Test
    void whatEndsWithItsCallerEndsWithHisServer() throws Exception {
        String before = SERVER.newest();
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            Object program = Map.of("executable", "sleep", "argv", List.of("805"));
            send(caller, "/v1/tools/shell_exec?profile=classic", program);
            String id = SERVER.awaitNewer(before);
            await().until(() -> !Processes.running("sleep 805").isEmpty());

            killAndStart();

            JsonNode ended = http.awaitEnd(id);
            assertThat(ended.path("status").asText()).isEqualTo("cancelled");
            assertThat(ended.path("ended_by").asText()).isEqualTo("stop");
            assertThat(Processes.running("sleep 805")).isEmpty();
        }
    }

    private static void send(RawHttp caller, String path, Object body) throws IOException {
        caller.send(
                Json.write(body),
                "POST " + path + " HTTP/1.1",
                "Host: 127.0.0.1:" + SERVER.port(),
                "Authorization: Bearer " + SERVER.token(),
                "Content-Type: application/json");
    }

    @Test
    void aPoliteStopLeavesTasksRunningAndSaysSo() throws Exception {
        String id = http.start("sleep 804");
        long pid = http.pid(id);

        SERVER.terminate();
        assertThat(Processes.alive(pid)).isTrue();
        assertThat(SERVER.log()).contains(id);
        SERVER.start();

        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
    }

    @Test
    void aSecondServerOnTheSameDataRefusesToStart() throws Exception {
        Process second = SERVER.launch();

        assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isNotZero();
        assertThat(SERVER.log()).contains(Long.toString(SERVER.pid()));
        assertThat(http.run("echo alive").completed().text("/stdout_preview")).contains("alive");
    }

    @Test
    void anEndedTaskIsStillThere() throws Exception {
        String id = http.start("echo over; exit 2");
        JsonNode before = http.awaitEnd(id);

        killAndStart();

        assertThat(http.task(id)).isEqualTo(before);
        assertThat(http.output(id)).isEqualTo("over\n");
        assertThat(Files.exists(SERVER.taskFolder(id))).isTrue();
    }
}
