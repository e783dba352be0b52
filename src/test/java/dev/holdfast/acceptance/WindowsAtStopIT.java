package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server that is stopped closes every open window at once: each caller has its answer, the command lives on with the
 * next server, and nobody who listens delays the end.
 */
class WindowsAtStopIT {
    private static final int LONG = 600_000;
    /** Longer than a server may take to end, and over soon. */
    private static final int GRACE = 15_000;

    private static final Pattern ACTIVE = Pattern.compile("(?m)^http_server_active_requests\\{.*} (\\d+)");

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();
    private int opened;

    @AfterEach
    void end() throws Exception {
        if (!SERVER.server().isAlive()) {
            SERVER.start(); // a test that failed left it stopped
        }
        http.stopAll();
    }

    private static CompletableFuture<Answer> later(Supplier<Answer> call) {
        return CompletableFuture.supplyAsync(call, Thread::startVirtualThread);
    }

    /** Waits until the server has so many more requests open, besides the one that asks. */
    private void awaitOpen(int more) {
        int requests = opened += more;
        await(requests + " open requests")
                .atMost(Calls.PATIENCE)
                .until(
                        () -> ACTIVE.matcher(http.get("/q/metrics").body())
                                .results()
                                .mapToInt(found -> Integer.parseInt(found.group(1)))
                                .sum(),
                        open -> open == requests + 1);
    }

    private static void allHaveTheirAnswers() throws InterruptedException {
        SERVER.terminate();
        assertThat(SERVER.log()).doesNotContain("ERROR").doesNotContain("cut off");
    }

    /** The last has a clock that runs. */
    @TestFactory
    Stream<DynamicTest> allAreAnsweredAtOnce() throws Throwable {
        return Story.over(
                SERVER,
                WindowsAtStopIT::allHaveTheirAnswers,
                aCommandIsATaskAndLivesOnWithTheNextServer(),
                whoWaitsIsAnsweredAsAtATimeOut(),
                aQuestionStaysOpen(),
                anItemOfABatchRunsOnAndTheRestIsSkipped(),
                whoListensIsLetGo(),
                whoHungUpDelaysNothing(),
                whoStopsWhatWasLeftIsAnsweredAndTheStopGoesOn(),
                whoStopsIsAnsweredAndTheStopGoesOn(),
                whoFeedsIsToldWhatWasTaken());
    }

    private Story aCommandIsATaskAndLivesOnWithTheNextServer() {
        CompletableFuture<Answer> plain =
                later(() -> http.run("echo here; touch here; sleep 600", "yield_time_ms", LONG));
        CompletableFuture<Answer> conditioned = later(
                () -> http.run("sleep 601", "yield_time_ms", LONG, "yield_when", Map.of("output_matches", "never")));
        CompletableFuture<Answer> keyed = later(() ->
                http.post("/v1/commands", Calls.command("sleep 602", "yield_time_ms", LONG), "Idempotency-Key", "k"));
        McpClient model = McpClient.of(SERVER);
        CompletableFuture<Answer> mcp =
                model.later(model.call("ExecCommand", Calls.command("sleep 603", "yield_time_ms", 50_000), Map.of()));
        awaitOpen(4);
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.workspace().resolve("here")));

        return new Story("a command is a task and lives on with the next server", () -> {
            assertThat(plain.join().text("/promoted_because")).isEqualTo("yield_time");
            assertThat(plain.join().text("/initial_output_preview")).contains("here");
            assertThat(McpClient.last(mcp.join()).at("/result/content/0/text").asText())
                    .startsWith("Command promoted to background task");
            for (CompletableFuture<Answer> answer : List.of(plain, conditioned, keyed)) {
                String id = answer.join().promoted();
                assertThat(http.task(id).path("status").asText()).isEqualTo("running");
                assertThat(Processes.alive(http.pid(id))).isTrue();
            }
        });
    }

    private Story whoWaitsIsAnsweredAsAtATimeOut() {
        String id = http.start("sleep 604");
        Object end = List.of(Map.of("task_id", id, "until", "end"));
        CompletableFuture<Answer> wait =
                later(() -> http.post("/v1/wait", Json.object("any", end, "timeout_ms", LONG)));
        CompletableFuture<Answer> output = later(() -> http.get("/v1/tasks/" + id + "/output?wait_ms=" + LONG));
        CompletableFuture<Answer> tool =
                later(() -> http.post("/v1/tools/TaskOutput", Json.object("task_id", id, "timeout_ms", LONG)));
        CompletableFuture<Answer> waitTool =
                later(() -> http.post("/v1/tools/Wait", Json.object("any", end, "timeout_ms", LONG)));
        awaitOpen(4);

        return new Story("who waits is answered as at a time-out", () -> {
            assertThat(wait.join().at("/timed_out").asBoolean()).isTrue();
            assertThat(wait.join().at("/tasks/0/status").asText()).isEqualTo("running");
            assertThat(output.join().hasStatus(200).text("/status")).isEqualTo("running");
            assertThat(tool.join().text("/result/retrieval_status")).isEqualTo("timeout");
            assertThat(waitTool.join().at("/result/timed_out").asBoolean()).isTrue();
            assertThat(http.task(id).path("status").asText()).isEqualTo("running");
        });
    }

    /** Of a task that does not go when asked; the next server sees to its end. */
    private Story whoStopsIsAnsweredAndTheStopGoesOn() {
        String first = http.start("trap '' TERM; echo up; while :; do sleep 0.1; done");
        String second = http.start("trap '' TERM; echo up; while :; do sleep 0.2; done");
        http.awaitOutput(first, "up");
        http.awaitOutput(second, "up");
        CompletableFuture<Answer> stop = later(() -> http.stop(first, "grace_ms", GRACE));
        CompletableFuture<Answer> tool =
                later(() -> http.post("/v1/tools/TaskStop", Json.object("task_id", second, "grace_ms", GRACE)));
        for (String id : List.of(first, second)) {
            http.awaitTask(id, task -> task.path("status").asText().equals("cancelling"));
        }

        return new Story("who stops is answered and the stop goes on", () -> {
            Answer answer = stop.join().hasStatus(200);
            assertThat(answer.at("/stop_requested").asBoolean()).isTrue();
            assertThat(answer.text("/task/status")).isEqualTo("cancelling");
            assertThat(answer.text("/summary_text")).contains("is being stopped");
            assertThat(tool.join().text("/text")).startsWith("Task is being stopped");
            for (String id : List.of(first, second)) {
                assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("cancelled");
                assertThat(Processes.running(id)).isEmpty();
            }
        });
    }

    /** By a task that ended before, and what it left does not go when asked either. */
    private Story whoStopsWhatWasLeftIsAnsweredAndTheStopGoesOn() throws IOException {
        String first = leftDeaf();
        String second = leftDeaf();
        String third = leftDeaf();
        CompletableFuture<Answer> stop = later(() -> http.stop(first, "grace_ms", GRACE));
        CompletableFuture<Answer> tool =
                later(() -> http.post("/v1/tools/TaskStop", Json.object("task_id", second, "grace_ms", GRACE)));
        Cli cli = new Cli(SERVER);
        Process command = cli.begin("stop", "--grace", "15s", third);
        for (String id : List.of(first, second, third)) {
            await().atMost(Calls.PATIENCE)
                    .until(() -> Files.exists(SERVER.taskFolder(id).resolve("asked")));
        }

        return new Story("who stops what an ended task left is answered and the stop goes on", () -> {
            Answer answer = stop.join().hasStatus(200);
            assertThat(answer.at("/stop_requested").asBoolean()).isFalse();
            assertThat(answer.text("/task/status")).isEqualTo("completed");
            assertThat(answer.at("/task/left_running")).isNotEmpty();
            assertThat(answer.at("/ended_leftovers")).isEmpty();
            assertThat(answer.text("/summary_text")).contains("what it left running is being stopped");
            assertThat(tool.join().text("/text"))
                    .startsWith("Task had ended before; what it left running is being stopped");
            Cli.Ran ran = Cli.finish(command);
            assertThat(ran.exit()).isZero();
            assertThat(ran.text()).isEqualTo(third + " completed\n");
            assertThat(ran.err()).contains("what it left running is being stopped");
            for (String id : List.of(first, second, third)) {
                await().atMost(Calls.PATIENCE)
                        .until(() -> Processes.marked("HOLDFAST_TASK", id).isEmpty());
                assertThat(http.task(id).path("status").asText()).isEqualTo("completed");
            }
        });
    }

    /** By a program that does not read; with no stop they would be told so after five seconds. */
    private Story whoFeedsIsToldWhatWasTaken() {
        String piped = http.start("sleep 615", "accepts_input", true);
        String typed = http.start("stty raw -echo; echo up; sleep 616", "tty", true);
        http.awaitOutput(typed, "up");
        String text = "x".repeat(3 << 20);
        CompletableFuture<Answer> intoPipe = later(() -> http.input(piped, "text", text));
        CompletableFuture<Answer> intoTerminal = later(() -> http.input(typed, "text", text));
        // Told just before it is written.
        await().atMost(Calls.PATIENCE).until(() -> fed(piped) + fed(typed) == 2);

        return new Story("who feeds is told what was taken", () -> {
            for (CompletableFuture<Answer> feeding : List.of(intoPipe, intoTerminal)) {
                Answer answer = feeding.join().refused(409, "input_not_consumed");
                assertThat(answer.at("/details/bytes_written").asInt(-1)).isBetween(1, text.length() - 1);
                assertThat(answer.text("/detail")).endsWith(" bytes; the call was ended before it took the rest.");
            }
            for (String id : List.of(piped, typed)) {
                assertThat(http.task(id).path("status").asText()).isEqualTo("running");
            }
        });
    }

    private long fed(String id) {
        return http.get("/v1/audit?task_id=" + id)
                .at("/entries")
                .valueStream()
                .filter(entry -> entry.path("action").asText().equals("input"))
                .count();
    }

    private String leftDeaf() {
        return http.run("rm -f deaf; sh -c 'trap \"\" TERM; touch deaf; while :; do sleep 0.2; done' &\n"
                        + "until [ -e deaf ]; do sleep 0.05; done")
                .completed()
                .text("/task_id");
    }

    private Story aQuestionStaysOpen() throws IOException {
        askFor("mkdir");
        CompletableFuture<Answer> answer = later(() -> http.run("mkdir asked", "yield_time_ms", LONG));
        await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/approvals").at("/approvals").size() == 1);
        awaitOpen(1);

        return new Story("a question stays open", () -> {
            Answer awaiting = answer.join().hasStatus(202);
            assertThat(awaiting.text("/disposition")).isEqualTo("awaiting_approval");
            String task = http.post("/v1/approvals/" + awaiting.text("/approval_id"), Json.object("decision", "allow"))
                    .text("/task_id");
            assertThat(http.awaitEnd(task).path("status").asText()).isEqualTo("completed");
            assertThat(SERVER.workspace().resolve("asked")).exists();
        });
    }

    private void askFor(String program) throws IOException {
        Files.writeString(
                SERVER.data().resolve("policy.yaml"),
                "version: 1\nrules: [{id: files, match: {executable: " + program + "}, decision: ask}]\n");
        await().atMost(Calls.PATIENCE)
                .until(() -> http.post("/v1/policy/check", Json.object("cmd", program + " x"))
                        .text("/decision")
                        .equals("ask"));
    }

    private Story anItemOfABatchRunsOnAndTheRestIsSkipped() {
        CompletableFuture<Answer> batch = later(() -> http.post(
                "/v1/commands/batch",
                Json.object(
                        "yield_time_ms",
                        LONG,
                        "login",
                        false,
                        "items",
                        List.of(Map.of("cmd", "touch begun; sleep 605"), Map.of("cmd", "touch skipped")))));
        await().atMost(Calls.PATIENCE)
                .until(() -> batch.isDone() || Files.exists(SERVER.workspace().resolve("begun")));
        assertThat(batch).isNotDone();

        return new Story("an item of a batch runs on and the rest is skipped", () -> {
            JsonNode items = batch.join().hasStatus(200).at("/items");
            assertThat(items.at("/0/status").asText()).isEqualTo("failed");
            assertThat(items.at("/0/error_message").asText()).contains("did not end before its batch had to answer");
            assertThat(items.at("/1/status").asText()).isEqualTo("skipped");
            assertThat(SERVER.workspace().resolve("skipped")).doesNotExist();
            JsonNode task = http.get("/v1/tasks?q=605").at("/tasks/0");
            assertThat(task.path("status").asText()).isEqualTo("running");
            assertThat(task.at("/command/timeout_ms").isNumber()).isFalse();
            assertThat(items.at("/0/error_message").asText())
                    .contains(task.path("task_id").asText());
        });
    }

    private Story whoListensIsLetGo() throws Exception {
        String id = http.start("exec sh", "tty", true);
        EventStream all = EventStream.open(SERVER, "/v1/events");
        EventStream one = EventStream.open(SERVER, "/v1/tasks/" + id + "/events");
        TerminalClient terminal = TerminalClient.open(SERVER, id);
        one.awaitType("status");

        return new Story("who listens is let go", () -> {
            try (all;
                    one;
                    terminal) {
                all.awaitOver();
                one.awaitOver();
                assertThat(terminal.awaitClosed()).isEqualTo(1001);
            }
        });
    }

    /** What nobody reads the answer of is no longer waited for. */
    private Story whoHungUpDelaysNothing() throws Exception {
        String id = http.start("sleep 606");
        for (String body : List.of(
                Json.write(Json.object("any", List.of(Map.of("task_id", id, "until", "end")), "timeout_ms", LONG)),
                Json.write(Calls.command("touch hung; sleep 607", "yield_time_ms", LONG)))) {
            String path = body.contains("any") ? "/v1/wait" : "/v1/commands";
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                caller.post(SERVER, path, body);
            }
        }
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(SERVER.workspace().resolve("hung")));

        return new Story("who hung up delays nothing", () -> {
            for (String cmd : List.of("606", "607")) {
                assertThat(http.get("/v1/tasks?q=sleep+" + cmd).at("/tasks")).hasSize(1);
            }
        });
    }
}
