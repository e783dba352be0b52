package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 13, tokens: an agent's world is its own tasks, in every door; an observer sees all and changes nothing. */
class TokensOfAgentsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    /** An id that never was. */
    static final String NEVER = "task_01JABCDEFGHJKMNPQRSTVWXYZ0";

    private final Instant begun = Instant.now();
    private final Calls operator = SERVER.calls();
    private PackagedServer aliceServer = SERVER;
    private PackagedServer bobServer = SERVER;
    private Calls alice = SERVER.calls();
    private Calls bob = SERVER.calls();
    private Calls watcher = SERVER.calls();

    @BeforeAll
    static void tokens() throws IOException {
        TokensFile.write(SERVER, tokens(""));
        await().atMost(Calls.PATIENCE)
                .until(() -> new Calls(SERVER.calledWith("of-alice"))
                                .get("/v1/tasks")
                                .status()
                        == 200);
    }

    /** Those of the tests, and more. */
    private static String tokens(String more) {
        return "tokens:\n"
                + TokensFile.entry("alice", "agent")
                + TokensFile.entry("bob", "agent")
                + TokensFile.entry("watcher", "observer")
                + TokensFile.entry("second", "operator")
                + more;
    }

    @BeforeEach
    void bearers() {
        aliceServer = SERVER.calledWith("of-alice");
        bobServer = SERVER.calledWith("of-bob");
        alice = new Calls(aliceServer);
        bob = new Calls(bobServer);
        watcher = new Calls(SERVER.calledWith("of-watcher"));
    }

    @AfterEach
    void nothingRuns() {
        operator.stopAll();
    }

    /** The answer that an id is told which never was, but for the id. */
    static void assertUnknown(Answer answer, Answer never, String id) {
        answer.refused(404, "task_not_found");
        assertThat(answer.body().replace(id, NEVER)).isEqualTo(never.body());
    }

    private static List<String> ids(Answer list) {
        return StreamSupport.stream(list.hasStatus(200).at("/tasks").spliterator(), false)
                .map(task -> task.path("task_id").asText())
                .toList();
    }

    @Test
    void anothersTaskIsAsIfItWereNotThere() {
        String own = bob.start("sleep 600 # of bob");
        String id = alice.start("sleep 600 # of alice");
        String ended = alice.start("echo over");
        alice.awaitEnd(ended);
        for (String hidden : List.of(id, ended)) {
            for (String look : List.of(
                    "",
                    "?fresh=true",
                    "/output",
                    "/output?wait_ms=1000",
                    "/output?stream=stdout&view=raw",
                    "/output/search?pattern=over",
                    "/screen",
                    "/events")) {
                assertUnknown(bob.get("/v1/tasks/" + hidden + look), bob.get("/v1/tasks/" + NEVER + look), hidden);
            }
            assertUnknown(bob.raw(hidden, ""), bob.raw(NEVER, ""), hidden);
            assertUnknown(bob.input(hidden, "text", "x\n"), bob.input(NEVER, "text", "x\n"), hidden);
            List<String> keys = List.of("enter");
            assertUnknown(bob.input(hidden, "keys", keys), bob.input(NEVER, "keys", keys), hidden);
            assertUnknown(bob.signal(hidden, "KILL"), bob.signal(NEVER, "KILL"), hidden);
            assertUnknown(bob.stop(hidden, "force", true), bob.stop(NEVER, "force", true), hidden);
            Map<String, Object> size = Map.of("rows", 10, "cols", 10);
            assertUnknown(
                    bob.put("/v1/tasks/" + hidden + "/terminal-size", size),
                    bob.put("/v1/tasks/" + NEVER + "/terminal-size", size),
                    hidden);
            assertUnknown(bob.delete("/v1/tasks/" + hidden), bob.delete("/v1/tasks/" + NEVER), hidden);
            assertUnknown(wait(bob, hidden), wait(bob, NEVER), hidden);
        }
        assertThat(bob.get("/v1/tasks/" + id).at("/details/running"))
                .isEqualTo(Json.read("[{\"task_id\": \"" + own + "\", \"command\": \"sleep 600 # of bob\"}]"));
        assertThat(alice.task(id).path("status").asText()).isEqualTo("running");
        assertThat(alice.output(ended)).isEqualTo("over\n");
    }

    private static Answer wait(Calls http, String id) {
        return http.post(
                "/v1/wait", Json.object("any", List.of(Map.of("task_id", id, "until", "end")), "timeout_ms", 1000));
    }

    @Test
    void aListHoldsItsOwnAndCountsThem() {
        String ofAlice = alice.start("sleep 600 # listed", "labels", Map.of("shared", "yes"));
        String ofBob = bob.start("sleep 600 # listed", "labels", Map.of("shared", "yes"));
        String operators = operator.start("sleep 600 # listed", "labels", Map.of("shared", "yes"));
        for (String query : List.of("", "?status=all", "?status=running", "?label=shared=yes", "?q=listed")) {
            assertThat(ids(alice.get("/v1/tasks" + query))).contains(ofAlice).doesNotContain(ofBob, operators);
            assertThat(ids(bob.get("/v1/tasks" + query))).contains(ofBob).doesNotContain(ofAlice, operators);
            for (Calls seesAll : List.of(operator, watcher, new Calls(SERVER.calledWith("of-second")))) {
                assertThat(ids(seesAll.get("/v1/tasks" + query))).contains(operators, ofBob, ofAlice);
            }
        }
        assertThat(alice.get("/v1/tasks").at("/total_active").asInt()).isEqualTo(1);
        assertThat(operator.get("/v1/tasks").at("/total_active").asInt()).isEqualTo(3);
        alice.stop(ofAlice, "force", true).hasStatus(200);
        assertThat(ids(alice.get("/v1/tasks?status=ended&ended_after=2020-01-01T00:00:00Z")))
                .contains(ofAlice);
        assertThat(ids(bob.get("/v1/tasks?status=ended&ended_after=2020-01-01T00:00:00Z")))
                .doesNotContain(ofAlice);
    }

    @Test
    void thatItWasForgottenIsToldToItsOwner() {
        String id = alice.start("true");
        alice.awaitEnd(id);
        alice.delete("/v1/tasks/" + id).hasStatus(204);
        assertThat(alice.get("/v1/tasks/" + id).refused(404, "task_not_found").text("/details/forgotten_at"))
                .isNotEmpty();
        assertThat(watcher.get("/v1/tasks/" + id).text("/details/forgotten_at")).isNotEmpty();
        assertUnknown(bob.get("/v1/tasks/" + id), bob.get("/v1/tasks/" + NEVER), id);
    }

    @Test
    void eventsAreOfItsOwnTasks() throws Exception {
        try (EventStream ofBob = EventStream.open(bobServer, "/v1/events");
                EventStream all = EventStream.open(SERVER.calledWith("of-watcher"), "/v1/events")) {
            String hidden = alice.start("echo hidden");
            all.await("the hidden one", event -> isOf(event, hidden) && event.ended());
            String own = bob.start("echo own");
            ofBob.await("its own", event -> isOf(event, own) && event.ended());
            assertThat(ofBob.events()).allMatch(event -> isOf(event, own));

            String first = all.events().getFirst().id();
            try (EventStream resumed = EventStream.open(bobServer, "/v1/events", "Last-Event-ID", first)) {
                resumed.await("its own", event -> isOf(event, own) && event.ended());
                assertThat(resumed.events()).allMatch(event -> isOf(event, own));
            }
            try (EventStream late = EventStream.open(bobServer, "/v1/events", "Last-Event-ID", "1")) {
                late.awaitType("resync");
                assertThat(late.events()).noneMatch(event -> isOf(event, hidden));
            }
            try (EventStream one = EventStream.open(bobServer, "/v1/tasks/" + own + "/events")) {
                one.awaitOver();
                assertThat(one.output("stdout")).isEqualTo("own\n");
            }
        }
    }

    private static boolean isOf(EventStream.Event event, String id) {
        return event.text("task_id").equals(id);
    }

    @Test
    void keysAndClaimsAreItsOwn() {
        String[] key = {"Idempotency-Key", "the same text"};
        String ofAlice = alice.post("/v1/commands", Calls.command("sleep 601", "yield_time_ms", 0), key)
                .promoted();
        String ofBob = bob.post("/v1/commands", Calls.command("sleep 601", "yield_time_ms", 0), key)
                .promoted();
        String operators = operator.post("/v1/commands", Calls.command("sleep 602", "yield_time_ms", 0), key)
                .promoted();
        assertThat(List.of(ofAlice, ofBob, operators)).doesNotHaveDuplicates();
        assertThat(alice.post("/v1/commands", Calls.command("sleep 601", "yield_time_ms", 0), key)
                        .promoted())
                .isEqualTo(ofAlice);
        assertThat(alice.run("sleep 601", "yield_time_ms", 0).alreadyRunning()).isEqualTo(ofAlice);
        assertThat(bob.run("sleep 601", "yield_time_ms", 0).alreadyRunning()).isEqualTo(ofBob);
        operator.run("sleep 601", "yield_time_ms", 0).promoted();
        alice.post("/v1/commands", Calls.command("sleep 603", "yield_time_ms", 0), key)
                .refused(409, "idempotency_key_reused");
    }

    @Test
    void toolsOfEveryDesignKnowItsOwnTasksAlone() {
        String own = bob.start("sleep 600 # of bob");
        String id = alice.start("echo of alice; sleep 600");
        alice.awaitOutput(id, "of alice");
        ToolCalls tools = new ToolCalls(bob, "holdfast");
        String lower = id.toLowerCase(java.util.Locale.ROOT);
        for (String written : List.of(id, lower, id.substring(0, id.length() - 1), lower.substring(5))) {
            for (String tool : List.of("TaskStatus", "TaskOutput", "TaskStop", "TaskScreen")) {
                assertThat(tools.error("task_not_found", tool, "task_id", written)
                                .at("/error/details/running"))
                        .isEqualTo(Json.read("[{\"task_id\": \"" + own + "\", \"command\": \"sleep 600 # of bob\"}]"));
            }
            tools.error("task_not_found", "TaskInput", "task_id", written, "input", "x");
            tools.error("task_not_found", "Wait", "any", List.of(Map.of("task_id", written, "until", "end")));
        }
        assertThat(tools.text("TaskList")).contains(own).doesNotContain(id);
        ToolCalls claude = new ToolCalls(bob, "claude");
        assertThat(claude.error("task_not_found", "TaskOutput", "task_id", id)
                        .path("text")
                        .asText())
                .contains(own)
                .doesNotContain("of alice");
        claude.error("task_not_found", "TaskStop", "task_id", id);
        ToolCalls gemini = new ToolCalls(bob, "gemini");
        assertThat(gemini.text("list_background_processes")).contains("of bob").doesNotContain("of alice");
        assertThat(gemini.error("task_not_found", "read_background_output", "pid", alice.pid(id))
                        .path("text")
                        .asText())
                .contains("of bob")
                .doesNotContain("of alice");
        long session = new ToolCalls(alice, "codex")
                .success("exec_command", "cmd", "sleep 600", "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        new ToolCalls(bob, "codex").error("task_not_found", "write_stdin", "session_id", session);
        new ToolCalls(alice, "codex").success("write_stdin", "session_id", session);
        assertThat(alice.task(id).path("status").asText()).isEqualTo("running");
    }

    /** What somebody else was told of a session, its own model was not. */
    @Test
    void whatAnOperatorReadsOfASessionIsStillNewToItsAgent() {
        ToolCalls hers = new ToolCalls(alice, "codex");
        long session = hers.success(
                        "exec_command", "cmd", "read x; echo got $x; cat", "tty", true, "yield_time_ms", 250)
                .at("/result/session_id")
                .asLong();
        String id = ids(alice.get("/v1/tasks")).getFirst();
        alice.input(id, "text", "water\n").hasStatus(200);
        alice.awaitOutput(id, "got water");

        assertThat(new ToolCalls(operator, "codex").text("write_stdin", "session_id", session, "chars", "one\n"))
                .contains("got water");
        assertThat(hers.text("write_stdin", "session_id", session, "chars", "two\n"))
                .contains("got water");
        assertThat(hers.text("write_stdin", "session_id", session, "chars", "three\n"))
                .doesNotContain("got water");
    }

    /** A session of the tool {@code bash} has a name that its caller chose. */
    @Test
    void aShellSessionIsItsOwn() throws IOException {
        Path folder = Files.createDirectories(SERVER.workspace().resolve("of-alice"));
        new ToolCalls(alice, "classic").success("bash", "command", "cd " + folder, "session", "main");
        assertThat(new ToolCalls(alice, "classic").text("bash", "command", "pwd", "session", "main"))
                .contains(folder.toString());
        assertThat(new ToolCalls(bob, "classic").text("bash", "command", "pwd", "session", "main"))
                .doesNotContain(folder.toString());
    }

    @Test
    void overMcpToo() {
        McpClient ofAlice = McpClient.of(aliceServer);
        McpClient ofBob = McpClient.of(bobServer);
        ofAlice.call("ExecCommand", Map.of("cmd", "echo over mcp; sleep 600", "yield_time_ms", 0));
        String id = ids(alice.get("/v1/tasks?q=mcp")).getFirst();
        assertThat(ofAlice.call("TaskStatus", Map.of("task_id", id))
                        .path("isError")
                        .asBoolean())
                .isFalse();
        assertThat(ofBob.call("TaskStatus", Map.of("task_id", id)).toString()).contains("There is no task " + id);
        assertThat(ofBob.call("TaskList", Map.of("status", "all")).toString()).doesNotContain(id);
        McpClient inHerSession = new McpClient(bobServer, "/mcp").joining(ofAlice);
        assertThatThrownBy(() -> inHerSession.call("TaskStop", Map.of("task_id", id)))
                .hasMessageContaining("There is no such session");
        assertThat(alice.task(id).path("status").asText()).isEqualTo("running");

        McpClient looking = McpClient.of(SERVER.calledWith("of-watcher"));
        assertThat(looking.call("TaskStatus", Map.of("task_id", id))
                        .path("isError")
                        .asBoolean())
                .isFalse();
        assertThat(looking.call("TaskStop", Map.of("task_id", id)).toString()).contains("is an observer's");
        assertThat(looking.call("ExecCommand", Map.of("cmd", "touch never"))
                        .path("isError")
                        .asBoolean())
                .isTrue();
        assertThat(SERVER.workspace().resolve("never")).doesNotExist();
    }

    @Test
    void aTerminalIsItsOwners() {
        String id = alice.start("read x; echo got $x; sleep 600", "tty", true);
        assertThat(TerminalClient.refusal(bobServer, id, with -> with.subprotocols("bearer.of-bob")))
                .isEqualTo(404);
        assertThat(TerminalClient.refusal(bobServer, NEVER, with -> with.subprotocols("bearer.of-bob")))
                .isEqualTo(404);
        assertThat(TerminalClient.refusal(SERVER, id, with -> with.subprotocols("bearer.of-nobody")))
                .isEqualTo(401);
        PackagedServer watching = SERVER.calledWith("of-watcher");
        try (TerminalClient looks = TerminalClient.open(watching, id);
                TerminalClient types = TerminalClient.connect(
                        aliceServer, id, with -> with.subprotocols("another", "bearer.of-alice"))) {
            assertThat(types.subprotocol()).isEqualTo("bearer.of-alice");
            looks.type("not this\n");
            looks.text("{\"rows\": 11, \"cols\": 33}");
            types.type("this\n");
            types.await("got this");
            looks.await("got this");
            types.text("{\"rows\": 12, \"cols\": 34}");
            await().atMost(Calls.PATIENCE)
                    .until(() ->
                            alice.get("/v1/tasks/" + id + "/screen").at("/rows").asInt() == 12);
        }
    }

    @Test
    void anObserverSeesAllAndChangesNothing() {
        String id = alice.start("cat", "accepts_input", true);
        String ended = alice.start("echo seen");
        alice.awaitEnd(ended);
        String task = "/v1/tasks/" + id;
        List<Answer> refused = List.of(
                watcher.run("touch never"),
                watcher.post("/v1/commands/batch", Map.of("items", List.of(Map.of("cmd", "touch never")))),
                watcher.input(id, "text", "x\n"),
                watcher.signal(id, "KILL"),
                watcher.stop(id),
                watcher.stop(NEVER),
                watcher.put(task + "/terminal-size", Map.of("rows", 1, "cols", 1)),
                watcher.delete("/v1/tasks/" + ended));
        for (Answer answer : refused) {
            assertThat(answer.refused(403, "forbidden").text("/recovery_hint")).contains("agent's or an operator's");
        }
        assertThat(watcher.output(ended)).isEqualTo("seen\n");
        assertThat(watcher.get("/v1/tasks/" + ended + "/output/search?pattern=seen")
                        .at("/matches"))
                .hasSize(1);
        wait(watcher, ended).hasStatus(200);
        watcher.post("/v1/policy/check", Map.of("cmd", "ls")).hasStatus(200);
        watcher.get("/q/metrics").hasStatus(200);
        alice.get("/q/metrics").refused(403, "forbidden");
        ToolCalls tools = new ToolCalls(watcher, "holdfast");
        tools.success("TaskStatus", "task_id", id);
        tools.error("forbidden", "ExecCommand", "cmd", "touch never");
        tools.error("forbidden", "TaskInput", "task_id", id, "input", "x");
        tools.error("forbidden", "TaskStop", "task_id", id);
        assertThat(SERVER.workspace().resolve("never")).doesNotExist();
        assertThat(alice.task(id).path("status").asText()).isEqualTo("running");
        assertThat(alice.output(id)).isEmpty();
    }

    @Test
    void whatATokenSaysHoldsForItsCommands() throws IOException {
        TokensFile.write(
                SERVER,
                tokens(TokensFile.entry("planner", "agent", ", mode: plan, labels: {team: web, who: planner}")));
        Calls planner = new Calls(SERVER.calledWith("of-planner"));
        await().atMost(Calls.PATIENCE).until(() -> planner.get("/v1/tasks").status() == 200);
        assertThat(planner.run("touch never").refused(403, "command_denied").text("/details/rule"))
                .isEqualTo("mode.plan");
        assertThat(planner.post("/v1/policy/check", Map.of("cmd", "touch never"))
                        .text("/mode"))
                .isEqualTo("plan");
        planner.run("ls").completed();
        alice.run("touch there").completed();

        Map<String, String> asked = new java.util.HashMap<>();
        for (int i = 0; i < 15; i++) {
            asked.put("label" + i, "" + i);
        }
        asked.put("who", "somebody else");
        String id = planner.start("cat", "accepts_input", true, "labels", asked);
        JsonNode labels = planner.task(id).path("labels");
        assertThat(labels).hasSize(17);
        assertThat(labels.path("who").asText()).isEqualTo("planner");
        assertThat(labels.path("team").asText()).isEqualTo("web");
        assertThat(ids(operator.get("/v1/tasks?label=who=planner"))).containsExactly(id);
        planner.stop(id, "force", true).hasStatus(200);
        TokensFile.write(SERVER, tokens(""));
        await().atMost(Calls.PATIENCE).until(() -> planner.get("/v1/tasks").status() == 401);
    }

    @Test
    void aWaitEndsWithTheToken() throws Exception {
        TokensFile.write(SERVER, tokens(TokensFile.entry("waiter", "agent")));
        Calls waiter = new Calls(SERVER.calledWith("of-waiter"));
        await().atMost(Calls.PATIENCE).until(() -> waiter.get("/v1/tasks").status() == 200);
        String id = waiter.start("sleep 600");
        Map<String, String> until = Map.of("task_id", id, "until", "output_matches", "pattern", "x");
        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(operator) == 0);
        var waits = CompletableFuture.supplyAsync(
                () -> waiter.post("/v1/wait", Map.of("any", List.of(until), "timeout_ms", 600_000)));
        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(operator) > 0);
        TokensFile.write(SERVER, tokens(""));

        assertThat(waits.get(20, TimeUnit.SECONDS).at("/timed_out").asBoolean()).isTrue();
        operator.stop(id, "force", true).hasStatus(200);
    }

    /** Also of one that goes on when its caller is gone. */
    @Test
    void theRestOfABatchIsNotBegun() throws Exception {
        TokensFile.write(SERVER, tokens(TokensFile.entry("waiter", "agent")));
        Calls waiter = new Calls(SERVER.calledWith("of-waiter"));
        await().atMost(Calls.PATIENCE).until(() -> waiter.get("/v1/tasks").status() == 200);
        Path begun = SERVER.workspace().resolve("batch-begun");
        Path on = SERVER.workspace().resolve("batch-on");
        String first = "touch " + begun + "; until [ -e " + on + " ]; do sleep 0.1; done";
        List<Map<String, String>> items = List.of(Map.of("cmd", first), Map.of("cmd", "touch batch-rest"));
        var answer = CompletableFuture.supplyAsync(
                () -> new ToolCalls(waiter, "holdfast").success("ExecCommandBatch", "items", items));
        await().atMost(Calls.PATIENCE).until(() -> Files.exists(begun));
        TokensFile.write(SERVER, tokens(""));
        await().atMost(Calls.PATIENCE).until(() -> waiter.get("/v1/tasks").status() == 401);
        Files.createFile(on);

        JsonNode result = answer.get(20, TimeUnit.SECONDS).path("result");
        assertThat(result.path("completed_count").asInt()).isEqualTo(1);
        assertThat(result.path("skipped_count").asInt()).isEqualTo(1);
        assertThat(SERVER.workspace().resolve("batch-rest")).doesNotExist();
    }

    /** A call that waits, and the stream of its session. */
    @Test
    void soDoesAllThatIsOpenOverMcp() throws Exception {
        TokensFile.write(SERVER, tokens(TokensFile.entry("waiter", "agent")));
        PackagedServer waiters = SERVER.calledWith("of-waiter");
        Calls waiter = new Calls(waiters);
        await().atMost(Calls.PATIENCE).until(() -> waiter.get("/v1/tasks").status() == 200);
        String id = waiter.start("sleep 600");
        McpClient client = McpClient.of(waiters);
        Map<String, String> until = Map.of("task_id", id, "until", "output_matches", "pattern", "x");
        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(operator) == 0);
        var waits = client.later(
                client.call("Wait", Map.of("any", List.of(until), "timeout_ms", 600_000), Map.of("progressToken", 1)));
        await().atMost(Calls.PATIENCE).until(() -> ServerUsage.outputWatches(operator) > 0);
        try (EventStream stream = EventStream.open(waiters, "/mcp", "Mcp-Session-Id", client.session())) {
            TokensFile.write(SERVER, tokens(""));

            await().atMost(Calls.PATIENCE).until(waits::isCompletedExceptionally);
            stream.awaitOver();
        }
        operator.stop(id, "force", true).hasStatus(200);
    }

    @Test
    void whatATokenSaysByNowHoldsForWhatItAskedBefore() throws IOException {
        String asks = "true; touch by-hasty; curl -s http://127.0.0.1:9/ | sh";
        Map<String, String> allow = Map.of("decision", "allow");
        for (String now : List.of("agent|, mode: plan", "observer|", "")) {
            TokensFile.write(SERVER, tokens(TokensFile.entry("hasty", "agent")));
            Calls hasty = new Calls(SERVER.calledWith("of-hasty"));
            await().atMost(Calls.PATIENCE).until(() -> check(hasty).equals("open"));
            String asked = hasty.run(asks, "yield_time_ms", 0).hasStatus(202).text("/approval_id");
            String[] parts = now.split("\\|", -1);
            TokensFile.write(SERVER, tokens(now.isEmpty() ? "" : TokensFile.entry("hasty", parts[0], parts[1])));
            await().atMost(Calls.PATIENCE).until(() -> !check(hasty).equals("open"));

            Answer answer = operator.post("/v1/approvals/" + asked, allow);
            answer.refused(403, "command_denied");
            assertThat(operator.get("/v1/audit?limit=1000&since=" + begun).at("/entries"))
                    .filteredOn(entry -> entry.path("detail").asText().equals(asked))
                    .extracting(entry -> entry.path("actor").asText() + " "
                            + entry.path("action").asText() + " "
                            + entry.path("decision").asText())
                    .containsExactly("operator approval allow", "hasty decision deny");
            assertThat(operator.get("/v1/approvals/" + asked).text("/start_error"))
                    .isNotBlank();
        }
        assertThat(Files.exists(SERVER.workspace().resolve("by-hasty"))).isFalse();
        TokensFile.write(SERVER, tokens(""));
    }

    /** The mode that its commands are held to, or why it starts none. */
    private static String check(Calls who) {
        int status = who.run("true").status();
        return status == 200
                ? who.post("/v1/policy/check", Map.of("cmd", "true"))
                        .at("/mode")
                        .asText()
                : "" + status;
    }

    /**
     * Its own are an agent's to see and nobody's but an operator's to answer; what starts then is whose it was asked
     * for.
     */
    @Test
    void whatIsAskedForBelongsToWhoAsks() {
        Calls second = new Calls(SERVER.calledWith("of-second"));
        String asks = "false && curl -s http://127.0.0.1:9/ | sh; sleep 603";
        String ofAlice = alice.run(asks, "yield_time_ms", 0).hasStatus(202).text("/approval_id");
        String operators = operator.run(asks, "yield_time_ms", 0).hasStatus(202).text("/approval_id");

        assertThat(alice.get("/v1/approvals").at("/approvals")).hasSize(1);
        assertThat(bob.get("/v1/approvals?state=all").at("/approvals")).isEmpty();
        bob.get("/v1/approvals/" + ofAlice).refused(404, "approval_not_found");
        assertThat(watcher.get("/v1/approvals/" + ofAlice).text("/requested_by"))
                .isEqualTo("alice");
        Map<String, String> allow = Map.of("decision", "allow");
        for (Calls who : List.of(alice, bob, watcher)) {
            who.post("/v1/approvals/" + ofAlice, allow).refused(403, "forbidden");
        }

        for (String approval : List.of(ofAlice, operators)) {
            String id = second.post("/v1/approvals/" + approval, allow)
                    .hasStatus(200)
                    .text("/task_id");
            String asker = approval.equals(ofAlice) ? "alice" : "operator";
            JsonNode told = operator.get("/v1/audit?task_id=" + id).at("/entries");
            assertThat(told.path(0).path("action").asText()).isEqualTo("decision");
            assertThat(told.path(0).path("detail").asText()).isEqualTo(approval + " by second");
            assertThat(told.path(1).path("action").asText()).isEqualTo("start");
            assertThat(told.path(1).path("actor").asText()).isEqualTo(asker);
            bob.get("/v1/tasks/" + id).refused(404, "task_not_found");
            operator.stop(id, "force", true).hasStatus(200);
        }
    }

    @Test
    void aRuleNamesATokenAsItsActor() throws IOException {
        Path policy = SERVER.data().resolve("policy.yaml");
        Files.writeString(policy, """
                version: 1
                rules:
                  - {id: not-alice, match: {command: "touch *", actor: alice}, decision: deny}
                """);
        Map<String, String> touch = Map.of("cmd", "touch x");
        await().atMost(Calls.PATIENCE)
                .until(() ->
                        alice.post("/v1/policy/check", touch).text("/decision").equals("deny"));
        assertThat(alice.run("touch x").refused(403, "command_denied").text("/details/rule"))
                .isEqualTo("not-alice");
        bob.run("touch x").completed();
        operator.run("touch x").completed();
        Files.delete(policy);
        await().atMost(Calls.PATIENCE)
                .until(() ->
                        alice.post("/v1/policy/check", touch).text("/decision").equals("allow"));
    }

    /** Where there are tokens, what changes which program runs is asked about, with and without a policy file. */
    @Test
    void whatHijacksIsAskedAbout() {
        assertThat(alice.post("/v1/policy/check", Map.of("cmd", "ls", "env", Map.of("LD_PRELOAD", "x.so")))
                        .text("/rule"))
                .isEqualTo("builtin.env-hijack");
    }

    @Test
    void aFileThatBreaksKeepsItsTokensAndSaysWhy() throws IOException {
        TokensFile.write(SERVER, "tokens:\n  - {name: alice, sha256: none, role: agent}\n");
        await().atMost(Calls.PATIENCE).until(() -> {
            alice.get("/v1/tasks").hasStatus(200);
            return SERVER.log().contains("line 2: `sha256` is no SHA-256");
        });
        bob.get("/v1/tasks").hasStatus(200);
        TokensFile.write(SERVER, tokens(TokensFile.entry("newcomer", "agent")));
        Calls newcomer = new Calls(SERVER.calledWith("of-newcomer"));
        await().atMost(Calls.PATIENCE).until(() -> newcomer.get("/v1/tasks").status() == 200);
        TokensFile.write(SERVER, tokens(""));
        await().atMost(Calls.PATIENCE).until(() -> newcomer.get("/v1/tasks").status() == 401);
    }

    /** For RestartIT, which kills the server. */
    Story ownersOutliveTheServer() throws IOException {
        tokens();
        bearers();
        String[] key = {"Idempotency-Key", "before the kill"};
        Map<String, Object> command = Calls.command("cat", "accepts_input", true, "yield_time_ms", 0);
        String id = alice.post("/v1/commands", command, key).promoted();
        String ended = alice.start("echo over");
        alice.awaitEnd(ended);

        return new Story("owners outlive the server", () -> {
            assertUnknown(bob.get("/v1/tasks/" + id), bob.get("/v1/tasks/" + NEVER), id);
            assertUnknown(bob.stop(id), bob.stop(NEVER), id);
            assertUnknown(bob.get("/v1/tasks/" + ended + "/output"), bob.get("/v1/tasks/" + NEVER + "/output"), ended);
            assertThat(ids(bob.get("/v1/tasks?status=all"))).doesNotContain(id, ended);
            assertThat(ids(alice.get("/v1/tasks?status=all"))).contains(id, ended);
            assertThat(alice.run("cat", "accepts_input", true).alreadyRunning()).isEqualTo(id);
            assertThat(alice.post("/v1/commands", command, key).promoted()).isEqualTo(id);
            assertThat(bob.post("/v1/commands", command, key).promoted()).isNotEqualTo(id);
            alice.input(id, "text", "still hers\n", "eof", true).hasStatus(200);
            alice.awaitEnd(id);
            assertThat(alice.output(id)).isEqualTo("still hers\n");
        });
    }

    @Test
    void aPortThatAnothersTaskHoldsIsHeldByNobodyOneKnows() {
        int port = PackagedServer.freePort();
        String cmd = "exec python3 -m http.server " + port + " --bind 127.0.0.1";
        String holder = alice.start(cmd);
        alice.awaitTask(holder, task -> task.path("ports").path(0).asInt() == port);
        Answer failed = bob.run(cmd).completed();
        assertThat(failed.body()).doesNotContain(holder);
        JsonNode owner = failed.at("/details/port_owner");
        assertThat(owner.path("port").asInt()).isEqualTo(port);
        assertThat(owner.path("pid").isIntegralNumber()).isFalse();
        assertThat(alice.run(cmd, "duplicate_policy", "start_new").completed().text("/details/port_owner/task_id"))
                .isEqualTo(holder);
    }
}
