package dev.holdfast.acceptance;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 13: what a person is asked, waits, is answered, remembered, and outlives the server. */
class ApprovalsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final Pattern ACTIVE = Pattern.compile("(?m)^http_server_active_requests\\{.*} (\\d+)");

    private final Calls http = SERVER.calls();
    private final Instant begun = Instant.now();

    /**
     * Everything of touch and mkdir asks, and of mkfifo: what is allowed until the server ends is that alone, for which
     * no other class has a rule.
     */
    @BeforeEach
    void rules() throws IOException {
        Path policy = SERVER.data().resolve("policy.yaml");
        if (!Files.exists(policy)) {
            Files.writeString(policy, """
                    version: 1
                    rules:
                      - id: files
                        match: {executable: [touch, mkdir, rmdir, mkfifo]}
                        decision: ask
                        reason: New files go through a person.
                    """);
            await().atMost(Calls.PATIENCE)
                    .untilAsserted(() -> assertThat(http.post("/v1/policy/check", Json.object("cmd", "touch x"))
                                    .text("/decision"))
                            .isEqualTo("ask"));
        }
    }

    private String ask(String cmd, Object... more) {
        Map<String, Object> body = Calls.command(cmd, "yield_time_ms", 0);
        body.putAll(Json.object(more));
        Answer answer = http.post("/v1/commands", body).hasStatus(202);
        assertThat(answer.text("/disposition")).isEqualTo("awaiting_approval");
        return answer.text("/approval_id");
    }

    private Answer decide(String id, Object... fields) {
        return http.post("/v1/approvals/" + id, Json.object(fields));
    }

    private JsonNode approval(String id) {
        return http.get("/v1/approvals/" + id).hasStatus(200).json();
    }

    private String onlyPending() {
        return await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/approvals").at("/approvals"), pending -> pending.size() == 1)
                .at("/0/approval_id")
                .asText();
    }

    private boolean exists(String name) {
        return Files.exists(SERVER.workspace().resolve(name));
    }

    @Test
    void whatIsAllowedInItsWindowGoesOnAsIfNothingHadBeen() {
        CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(
                () -> http.run("touch waited; echo done; exit 3", "yield_time_ms", 600_000));
        String id = onlyPending();
        assertThat(exists("waited")).isFalse();

        decide(id, "decision", "allow").hasStatus(200);

        Answer completed = answer.join().completed();
        assertThat(completed.at("/exit_status").asInt(-1)).isEqualTo(3);
        assertThat(completed.text("/stdout_preview")).isEqualTo("done\n");
        assertThat(exists("waited")).isTrue();
        assertThat(approval(id).path("state").asText()).isEqualTo("allowed");
    }

    @Test
    void whatNobodyAnswersInTheWindowStartsAsATaskOnceAllowed() {
        Answer awaiting =
                http.run("touch later; echo began", "yield_time_ms", 0).hasStatus(202);
        assertThat(awaiting.text("/rule")).isEqualTo("files");
        assertThat(awaiting.text("/reason")).isEqualTo("New files go through a person.");
        assertThat(awaiting.at("/suggested_rule").isNull()).isTrue();
        assertThat(awaiting.text("/expires_at")).isNotBlank();
        assertThat(awaiting.text("/summary_text")).contains("awaits approval");
        String id = awaiting.text("/approval_id");
        JsonNode asked = approval(id);
        assertThat(asked.path("cmd_preview").asText()).isEqualTo("touch later; echo began");
        assertThat(asked.path("requested_by").asText()).isEqualTo("operator");
        assertThat(asked.path("words").asText()).isEqualTo("touch later");
        assertThat(asked.path("workdir").asText()).isEqualTo(SERVER.workspace().toString());
        assertThat(exists("later")).isFalse();

        String task = decide(id, "decision", "allow").hasStatus(200).text("/task_id");

        assertThat(http.awaitEnd(task).path("status").asText()).isEqualTo("completed");
        assertThat(http.output(task)).isEqualTo("began\n");
        assertThat(exists("later")).isTrue();
        JsonNode told = http.get("/v1/audit?task_id=" + task).at("/entries");
        assertThat(told).extracting(entry -> entry.path("action").asText()).containsExactly("decision", "start", "end");
        assertThat(told.path(0).path("decision").asText()).isEqualTo("allow");
        assertThat(told.path(0).path("detail").asText()).isEqualTo(id + " by operator");
    }

    @Test
    void whatIsDeniedLeavesNothingAndSaysWhy() {
        CompletableFuture<Answer> answer =
                CompletableFuture.supplyAsync(() -> http.run("touch never", "yield_time_ms", 600_000));
        String id = onlyPending();

        decide(id, "decision", "deny", "reason", "Use the build folder.").hasStatus(200);

        Answer refused = answer.join().refused(403, "command_denied");
        assertThat(refused.text("/detail")).contains("A person denied `touch never`. Use the build folder.");
        assertThat(refused.text("/details/rule")).isEqualTo("files");
        assertThat(refused.at("/details/words")).extracting(JsonNode::asText).containsExactly("touch", "never");
        assertThat(approval(id).path("decision_reason").asText()).isEqualTo("Use the build folder.");
        assertThat(exists("never")).isFalse();
        assertThat(http.get("/v1/tasks?status=all&q=never").at("/tasks")).isEmpty();
    }

    @Test
    void ofManyAnswersAtOnceOneWins() {
        String id = ask("touch once");
        List<CompletableFuture<Answer>> all = IntStream.range(0, 8)
                .mapToObj(i ->
                        CompletableFuture.supplyAsync(() -> decide(id, "decision", i % 2 == 0 ? "allow" : "deny")))
                .toList();
        List<Answer> answers = all.stream().map(CompletableFuture::join).toList();

        assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() != 200).allSatisfy(answer -> {
            answer.refused(409, "approval_decided");
            boolean allowed = approval(id).path("state").asText().equals("allowed");
            assertThat(answer.text("/details/decision")).isEqualTo(allowed ? "allow" : "deny");
        });
    }

    @Test
    void theSameCommandIsAskedForOnce() {
        String id = ask("touch same");
        assertThat(ask("touch same")).isEqualTo(id);
        assertThat(ask("touch same", "duplicate_policy", "start_new")).isNotEqualTo(id);
        assertThat(http.get("/v1/approvals?state=pending").at("/approvals")).hasSize(2);
        http.get("/v1/approvals")
                .at("/approvals")
                .forEach(one -> decide(one.path("approval_id").asText(), "decision", "deny")
                        .hasStatus(200));
    }

    @Test
    void aKeyGetsItsApprovalAndThenItsTask() {
        Map<String, Object> body = Calls.command("touch keyed", "yield_time_ms", 0);
        String[] key = {"Idempotency-Key", "one"};
        String id = http.post("/v1/commands", body, key).hasStatus(202).text("/approval_id");
        assertThat(http.post("/v1/commands", body, key).text("/approval_id")).isEqualTo(id);

        String task = decide(id, "decision", "allow").text("/task_id");

        http.awaitEnd(task);
        assertThat(http.post("/v1/commands", body, key)
                        .completed()
                        .at("/exit_status")
                        .asInt(-1))
                .isZero();
        assertThat(http.get("/v1/approvals").at("/approvals")).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> afterAKill() throws Throwable {
        return Story.over(
                SERVER,
                SERVER::kill,
                aKeyThatWasDeniedStaysDenied(),
                anAgentsKeyFindsItsQuestion(),
                whatIsAskedOutlivesTheServer(),
                whatAToolOfOtherDesignsAskedEndsWithItsCaller(),
                whatWasToldBeforeIsToldOnce());
    }

    /** Who repeats it is told the answer; the person is not asked again. */
    private Story aKeyThatWasDeniedStaysDenied() {
        Map<String, Object> body = Calls.command("touch denied-key", "yield_time_ms", 0);
        String[] key = {"Idempotency-Key", "denied"};
        String id = http.post("/v1/commands", body, key).hasStatus(202).text("/approval_id");
        decide(id, "decision", "deny", "reason", "Not today.").hasStatus(200);

        Answer again = http.post("/v1/commands", body, key).refused(403, "command_denied");
        assertThat(again.text("/detail")).contains("Not today.");
        assertThat(again.text("/details/approval_id")).isEqualTo(id);
        http.post("/v1/commands", Calls.command("touch other", "yield_time_ms", 0), key)
                .refused(409, "idempotency_key_reused");

        return new Story("a key that was denied stays denied", () -> {
            http.post("/v1/commands", body, key).refused(403, "command_denied");
            assertThat(http.get("/v1/approvals").at("/approvals"))
                    .noneMatch(one -> one.path("cmd").asText().contains("denied-key"));
            assertThat(exists("denied-key")).isFalse();
        });
    }

    @Test
    void aConditionEndsTheWindowOfWhatWasAllowedInIt() {
        CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(() -> http.run(
                "touch conditioned; echo it is ready; sleep 600",
                "yield_time_ms",
                600_000,
                "yield_when",
                Map.of("output_matches", "ready$")));

        decide(onlyPending(), "decision", "allow").hasStatus(200);

        String id = answer.join().promoted();
        assertThat(answer.join().text("/promoted_because")).isEqualTo("output_matches");
        assertThat(answer.join().text("/initial_output_preview")).contains("it is ready");
        http.stop(id, "force", true);
    }

    /** As after the 202 that he did not wait for. */
    @Test
    void whatIsAllowedForACallerWhoHasHungUpIsATask() throws Exception {
        String id;
        try (RawHttp caller = RawHttp.to(SERVER.port())) {
            caller.post(SERVER, "/v1/commands", Json.write(Calls.command("touch hung-up", "yield_time_ms", 600_000)));
            id = onlyPending();
        }
        await("nobody asks but we")
                .atMost(Calls.PATIENCE)
                .until(() -> ACTIVE.matcher(http.get("/q/metrics").body())
                                .results()
                                .mapToInt(found -> Integer.parseInt(found.group(1)))
                                .sum()
                        == 1);

        String task = decide(id, "decision", "allow").hasStatus(200).text("/task_id");

        assertThat(http.awaitEnd(task).path("status").asText()).isEqualTo("completed");
        assertThat(exists("hung-up")).isTrue();
    }

    /** The question, its answer, and the task it became; also to who follows what a token's tasks carry. */
    @Test
    void eachChangeOfAnApprovalIsToldOnce() throws Exception {
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens: [{name: carol, role: agent, labels: {team: web}, sha256: " + sha256("of-carol") + "}]\n");
        Calls agent = SERVER.calledWith("of-carol").calls();
        await().atMost(Calls.PATIENCE).until(() -> agent.get("/v1/tasks").status() == 200);
        try (EventStream all = EventStream.open(SERVER, "/v1/events");
                EventStream labelled = EventStream.open(SERVER, "/v1/events?label=team%3Dweb")) {
            String id = agent.post("/v1/commands", Calls.command("touch carols", "yield_time_ms", 0))
                    .hasStatus(202)
                    .text("/approval_id");
            String task = decide(id, "decision", "allow").text("/task_id");

            for (EventStream events : List.of(all, labelled)) {
                events.await(
                        "its end",
                        event -> event.ended() && event.text("task_id").equals(task));
                events.await( // which may be told after the end of what is short
                        "what it became",
                        event -> event.type().equals("approval")
                                && event.text("task_id").equals(task));
                assertThat(events.events())
                        .filteredOn(event -> event.type().equals("approval"))
                        .extracting(event -> event.text("state") + " " + event.text("task_id"))
                        .containsExactly("pending null", "allowed null", "allowed " + task);
            }
        } finally {
            Files.delete(SERVER.data().resolve("tokens.yaml"));
        }
    }

    @Test
    void whatCannotBeKeptForAlwaysIsNotAnswered() throws IOException {
        Path kept = SERVER.data().resolve("approved.yaml");
        Files.writeString(kept, "approved: [");
        String id = ask("rmdir kept");

        Answer refused = decide(id, "decision", "allow", "remember", "always").refused(400, "invalid_tool_input");

        assertThat(refused.text("/detail")).contains(kept.toString(), "line 1");
        assertThat(refused.text("/recovery_hint")).contains("session");
        assertThat(approval(id).path("state").asText()).isEqualTo("pending");
        assertThat(http.get("/q/health/well").body()).contains(kept.toString());
        assertThat(http.get("/q/health/well").status()).isEqualTo(503);
        http.get("/q/health/ready").hasStatus(200);

        Files.writeString(kept, "");
        http.get("/q/health/well").hasStatus(200);
        Answer allowed = decide(id, "decision", "allow", "remember", "always").hasStatus(200);
        assertThat(Files.readString(kept)).contains("\"rmdir kept\"");
        http.awaitEnd(allowed.text("/task_id"));
        http.run("rmdir kept").completed();
    }

    /** An agent that lost its connection, and a server that was started again: one question, one command. */
    private Story anAgentsKeyFindsItsQuestion() throws Exception {
        String ann = "of-ann";
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens: [{name: ann, role: agent, sha256: " + sha256(ann) + "}, {name: ben, role: agent, sha256: "
                        + sha256("of-ben") + "}]\n");
        Calls agent = SERVER.calledWith(ann).calls();
        await().atMost(Calls.PATIENCE).until(() -> agent.get("/v1/tasks").status() == 200);
        Map<String, Object> body = Calls.command("touch agents; echo once >> agents", "yield_time_ms", 0);
        String[] key = {"Idempotency-Key", "of an agent"};
        String id = agent.post("/v1/commands", body, key).hasStatus(202).text("/approval_id");

        return new Story("an agent's key finds its question", () -> {
            assertThat(agent.post("/v1/commands", body, key).hasStatus(202).text("/approval_id"))
                    .isEqualTo(id);
            agent.post("/v1/commands", Calls.command("touch others", "yield_time_ms", 0), key)
                    .refused(409, "idempotency_key_reused");
            String bens = SERVER.calledWith("of-ben")
                    .calls()
                    .post("/v1/commands", body, key)
                    .text("/approval_id");
            assertThat(bens).isNotEqualTo(id);
            decide(bens, "decision", "deny").hasStatus(200);
            String task = decide(id, "decision", "allow").hasStatus(200).text("/task_id");
            agent.awaitEnd(task);
            assertThat(agent.post("/v1/commands", body, key)
                            .completed()
                            .at("/exit_status")
                            .asInt(-1))
                    .isZero();
            assertThat(Files.readString(SERVER.workspace().resolve("agents"))).isEqualTo("once\n");
            Files.delete(SERVER.data().resolve("tokens.yaml"));
        });
    }

    private static String sha256(String token) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatIsRememberedHoldsForItsWordsAlone() throws IOException {
        String id = ask("mkfifo -m 600 a");
        assertThat(approval(id).path("suggested_rule").asText()).isEqualTo("mkfifo *");
        decide(id, "decision", "allow", "remember", "session").hasStatus(200);

        http.run("mkfifo -m 600 c && ls c").completed();
        assertThat(http.post("/v1/policy/check", Json.object("cmd", "mkfifo -m 600 c && ls c"))
                        .text("/decision"))
                .isEqualTo("allow");
        assertThat(exists("c")).isTrue();
        decide(ask("mkfifo d && touch d-x"), "decision", "deny").hasStatus(200);
        decide(ask("mkfifo d > d.log"), "decision", "deny").hasStatus(200);
        decide(ask("A=b mkfifo d"), "decision", "deny").hasStatus(200);
        assertThat(exists("d")).isFalse();

        decide(ask("rmdir a/b"), "decision", "allow", "remember", "always").hasStatus(200);
        assertThat(Files.readString(SERVER.data().resolve("approved.yaml"))).contains("\"rmdir a/b\"", "\"operator\"");
        String compound = ask("touch e; touch f");
        decide(compound, "decision", "allow", "remember", "always").refused(400, "invalid_tool_input");
        decide(compound, "decision", "deny").hasStatus(200);
        decide(compound, "decision", "deny").refused(409, "approval_decided");
    }

    @Test
    void aSecretIsInNothingThatIsSuggested() {
        String id = ask("sudo -u postgres touch asked-x --password hunter8");

        assertThat(approval(id).path("suggested_rule").isNull()).isTrue();
        assertThat(approval(id).toString()).contains("--password ***").doesNotContain("hunter8");
        decide(id, "decision", "allow", "remember", "always").refused(400, "invalid_tool_input");
        decide(id, "decision", "deny").hasStatus(200);
    }

    /** What lies behind a preview would be allowed unseen. */
    @Test
    void whoAllowsIsShownAllOfIt() {
        String cmd =
                "touch whole --password hunter9 && cat <<'END'\n" + "a line of it\n".repeat(40) + "END\ntouch last";
        String id = ask(cmd);
        String shown = cmd.replace("hunter9", "***");

        JsonNode listed = http.get("/v1/approvals").at("/approvals/0");
        assertThat(listed.path("cmd").asText()).isEqualTo(shown);
        assertThat(listed.path("cmd_preview").asText()).doesNotContain("a line of it");
        assertThat(approval(id).path("cmd").asText()).isEqualTo(shown);

        decide(id, "decision", "deny").hasStatus(200);
        assertThat(approval(id).path("cmd").asText()).isEqualTo(shown);
        assertThat(http.get("/v1/approvals?state=all").at("/approvals/0/cmd").isNull())
                .isTrue();
    }

    @Test
    void anAnswerIsWaitedFor() {
        String id = ask("touch waited-for; exit 4");
        assertThat(http.get("/v1/approvals/" + id + "?wait_ms=50").text("/state"))
                .isEqualTo("pending");
        CompletableFuture<Answer> waits =
                CompletableFuture.supplyAsync(() -> http.get("/v1/approvals/" + id + "?wait_ms=600000"));
        decide(id, "decision", "allow").hasStatus(200);
        String task = waits.join().text("/task_id");
        assertThat(http.awaitEnd(task).path("exit_status").asInt(-1)).isEqualTo(4);
        http.get("/v1/approvals/" + id + "?wait_ms=x").refused(400, "invalid_tool_input");
    }

    @Test
    void aFolderThatIsGoneIsToldToWhoAllows() throws IOException {
        Path folder = Files.createDirectory(SERVER.workspace().resolve("gone"));
        String id = ask("touch here", "workdir", "gone");
        Files.delete(folder);

        decide(id, "decision", "allow").refused(422, "workdir_not_found");

        assertThat(approval(id).path("state").asText()).isEqualTo("allowed");
        assertThat(approval(id).path("task_id").isNull()).isTrue();
        assertThat(approval(id).path("start_error").asText()).contains(folder.toString());
    }

    @Test
    void anItemOfABatchIsNotLeftBehind() {
        Answer batch = http.post(
                "/v1/commands/batch",
                Json.object(
                        "items", List.of(Map.of("cmd", "touch item", "yield_time_ms", 100), Map.of("cmd", "true"))));

        assertThat(batch.text("/items/0/error_kind")).isEqualTo("command_denied");
        assertThat(batch.text("/items/0/error_message")).endsWith(" Its batch does not wait any longer.");
        assertThat(batch.text("/items/1/status")).isEqualTo("completed");
        assertThat(http.get("/v1/approvals").at("/approvals")).isEmpty();
        assertThat(exists("item")).isFalse();
    }

    @Test
    void whoWatchesIsToldOfTheQuestionAndItsAnswer() throws IOException {
        try (EventStream events = EventStream.open(SERVER, "/v1/events")) {
            String id = ask("touch watched");
            events.await(
                    "the question",
                    event -> event.type().equals("approval")
                            && event.text("approval_id").equals(id)
                            && event.text("state").equals("pending"));
            decide(id, "decision", "deny");
            events.await(
                    "the answer",
                    event -> event.type().equals("approval")
                            && event.text("approval_id").equals(id)
                            && event.text("state").equals("denied"));
        }
    }

    @Test
    void aModelIsToldInText() {
        assertThat(http.receipt("touch text", "yield_time_ms", 0))
                .startsWith("Command awaits approval\nApproval: approval_")
                .contains("Rule: files", "starts as a task");
        Answer tool = http.post("/v1/tools/ExecCommand", Calls.command("touch text", "yield_time_ms", 0));
        assertThat(tool.text("/status")).isEqualTo("success");
        assertThat(tool.text("/result/disposition")).isEqualTo("awaiting_approval");
        decide(tool.text("/result/approval_id"), "decision", "deny").hasStatus(200);
    }

    @Test
    void anMcpClientThatCanIsAsked() throws Exception {
        McpClient client = new McpClient(SERVER, "/mcp");
        client.begin(Map.of("elicitation", Map.of()));
        BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        Map<String, Object> command =
                Calls.command("touch elicited; echo done #" + " long".repeat(60) + " end", "yield_time_ms", 50_000);

        client.stream(client.call("ExecCommand", command, Map.of()), messages::add);
        JsonNode question = messages.poll(60, SECONDS);

        assertThat(question).isNotNull();
        assertThat(question.path("method").asText()).isEqualTo("elicitation/create");
        assertThat(question.at("/params/message").asText())
                .contains("touch elicited; echo done", " long end", "New files go through a person.");
        assertThat(question.at("/params/requestedSchema/properties/decision/enum"))
                .extracting(JsonNode::asText)
                .containsExactly("allow once", "deny");
        client.post(Map.of(
                        "jsonrpc",
                        "2.0",
                        "id",
                        question.path("id").asInt(-1),
                        "result",
                        Map.of("action", "accept", "content", Map.of("decision", "allow once"))))
                .hasStatus(202);
        JsonNode answer = messages.poll(60, SECONDS);
        assertThat(answer).isNotNull();
        assertThat(answer.at("/result/content/0/text").asText()).contains("done");
        assertThat(exists("elicited")).isTrue();

        client.stream(client.call("ExecCommand", Calls.command("touch declined"), Map.of()), messages::add);
        JsonNode again = messages.poll(60, SECONDS);
        assertThat(again).isNotNull();
        client.post(Map.of("jsonrpc", "2.0", "id", again.path("id").asInt(-1), "result", Map.of("action", "decline")))
                .hasStatus(202);
        JsonNode refused = messages.poll(60, SECONDS);
        assertThat(refused).isNotNull();
        assertThat(refused.at("/result/isError").asBoolean()).isTrue();
        assertThat(exists("declined")).isFalse();
    }

    @Test
    void whatIsWrongIsSaid() {
        http.get("/v1/approvals/approval_none").refused(404, "approval_not_found");
        decide("approval_none", "decision", "allow").refused(404, "approval_not_found");
        http.get("/v1/approvals?state=open").refused(400, "invalid_tool_input");
        String id = ask("touch wrong");
        decide(id).refused(400, "invalid_tool_input");
        decide(id, "decision", "maybe").refused(400, "invalid_tool_input");
        decide(id, "decision", "deny", "remember", "always").refused(400, "invalid_tool_input");
        assertThat(approval(id).path("state").asText()).isEqualTo("pending");
        decide(id, "decision", "deny").hasStatus(200);
    }

    /** The server is killed where it has told of the decision and not yet begun: its key's file is one that waits. */
    private Story whatWasToldBeforeIsToldOnce() throws Exception {
        CompletableFuture<Answer> waits = CompletableFuture.supplyAsync(
                () -> http.run("touch told-once; echo once >> told; sleep 606", "yield_time_ms", 600_000));
        String id = pending("told-once");
        Path key = Files.createDirectories(SERVER.data().resolve("keys")).resolve(sha256(id));
        assertThat(new ProcessBuilder("mkfifo", key.toString()).start().waitFor())
                .isZero();
        decide(id, "decision", "allow").hasStatus(200);
        await().atMost(Calls.PATIENCE).until(() -> told(id).size() == 3);

        return new Story(
                "what was told before is told once",
                () -> {
                    assertThat(waits).failsWithin(Calls.PATIENCE).withThrowableOfType(ExecutionException.class);
                    Files.delete(key);
                },
                () -> {
                    String task = approval(id).path("task_id").asText();
                    assertThat(told(id)).containsExactly("decision ask ", "approval allow ", "decision allow " + task);
                    assertThat(http.get("/v1/audit?task_id=" + task).at("/entries"))
                            .extracting(entry -> entry.path("action").asText())
                            .containsExactly("decision", "start");
                    await().atMost(Calls.PATIENCE)
                            .untilAsserted(() -> assertThat(SERVER.workspace().resolve("told"))
                                    .hasContent("once"));
                    http.stop(task, "force", true).hasStatus(200);
                });
    }

    /** It has no word for what is yet to be allowed, so that nobody would hear of the answer. */
    private Story whatAToolOfOtherDesignsAskedEndsWithItsCaller() {
        var _ = CompletableFuture.supplyAsync(() -> http.post("/v1/tools/bash", Map.of("command", "touch of-a-tool")));
        String id = pending("of-a-tool");

        return new Story("what a tool of other designs asked ends with its caller", () -> {
            assertThat(approval(id).path("state").asText()).isEqualTo("expired");
            decide(id, "decision", "allow").refused(409, "approval_decided");
            assertThat(exists("of-a-tool")).isFalse();
        });
    }

    private String pending(String cmd) {
        return await().atMost(Calls.PATIENCE)
                .until(
                        () -> http.get("/v1/approvals").at("/approvals").findParents("cmd").stream()
                                .filter(one -> one.path("cmd").asText().contains(cmd))
                                .map(one -> one.path("approval_id").asText())
                                .findAny(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** What the journal has of a question: what was decided of its command, and each answer. */
    private List<String> told(String approval) {
        String preview = approval(approval).path("cmd_preview").asText();
        return StreamSupport.stream(
                        http.get("/v1/audit?limit=1000&since=" + begun)
                                .at("/entries")
                                .spliterator(),
                        false)
                .filter(entry -> entry.path("cmd_preview").asText().equals(preview))
                .filter(entry -> !entry.path("decision").isNull())
                .map(entry -> entry.path("action").asText() + " "
                        + entry.path("decision").asText() + " "
                        + entry.path("task_id").asText(""))
                .toList();
    }

    private Story whatIsAskedOutlivesTheServer() {
        String plain = ask("touch survived");
        String unset = ask("touch unset", "env", Json.object("A", null));
        String secret = ask("touch secret", "env", Map.of("A", "a value of mine"));
        decide(ask("rmdir none"), "decision", "allow", "remember", "always");
        decide(ask("rmdir t1"), "decision", "allow", "remember", "session").hasStatus(200);

        return new Story("what is asked outlives the server", () -> {
            assertThat(approval(plain).path("state").asText()).isEqualTo("pending");
            assertThat(approval(secret).path("state").asText()).isEqualTo("expired");
            assertThat(approval(secret).path("decision_reason").asText()).contains("environment");
            for (Path file : Folders.children(SERVER.data().resolve("approvals"))) {
                assertThat(Files.readString(file)).doesNotContain("a value of mine");
            }
            for (String id : List.of(plain, unset)) {
                http.awaitEnd(decide(id, "decision", "allow").hasStatus(200).text("/task_id"));
            }
            assertThat(exists("survived")).isTrue();
            assertThat(exists("unset")).isTrue();
            assertThat(exists("secret")).isFalse();
            http.run("rmdir none").completed();
            decide(ask("rmdir t2"), "decision", "deny").hasStatus(200);
        });
    }
}
