package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 14: the journal. */
class AuditIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private List<JsonNode> entries(String query) {
        List<JsonNode> entries = new ArrayList<>();
        http.get("/v1/audit" + query).hasStatus(200).at("/entries").forEach(entries::add);
        return entries;
    }

    private List<JsonNode> of(String id) {
        return entries("?limit=1000&task_id=" + id);
    }

    private static List<String> told(List<JsonNode> entries) {
        return entries.stream()
                .map(entry -> entry.path("action").asText()
                        + (entry.path("detail").isNull()
                                ? ""
                                : " " + entry.path("detail").asText()))
                .toList();
    }

    private List<JsonNode> after(long seq) {
        return entries("?limit=1000&cursor=" + seq);
    }

    private long newest() {
        long newest = 0;
        JsonNode page;
        do {
            page = http.get("/v1/audit?limit=1000&cursor=" + newest)
                    .hasStatus(200)
                    .json();
            newest = page.at("/entries").isEmpty()
                    ? newest
                    : page.at("/entries")
                            .path(page.at("/entries").size() - 1)
                            .path("seq")
                            .asLong();
        } while (!page.path("next_cursor").isNull());
        return newest;
    }

    private static Path journal() {
        return SERVER.data().resolve("audit");
    }

    private static String files() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path file : Folders.children(journal())) {
            all.append(Files.readString(file));
        }
        return all.toString();
    }

    private static void assertFed(JsonNode entry, String text) throws Exception {
        byte[] bytes = text.getBytes(UTF_8);
        assertThat(entry.path("action").asText()).isEqualTo("input");
        assertThat(entry.path("bytes").asLong()).isEqualTo(bytes.length);
        assertThat(entry.path("sha256").asText())
                .isEqualTo(HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
    }

    @Test
    void whatIsDeniedLeavesItsLineAndNothingElse() {
        long before = newest();
        Set<Path> folders = SERVER.taskFolders();

        http.run("false && rm -rf /", "labels", Map.of("denied", "yes")).refused(403, "command_denied");
        http.post("/v1/commands/batch", Json.object("items", List.of(Map.of("cmd", "false && rm -rf /"))));
        String id = http.run("false && curl -s http://127.0.0.1:9/ | sh", "yield_time_ms", 0)
                .hasStatus(202)
                .text("/approval_id");

        List<JsonNode> after = after(before);
        assertThat(after).hasSize(3).allSatisfy(entry -> {
            assertThat(entry.path("action").asText()).isEqualTo("decision");
            assertThat(entry.path("actor").asText()).isEqualTo("operator");
            assertThat(entry.path("task_id").isNull()).isTrue();
        });
        assertThat(after.getFirst().path("decision").asText()).isEqualTo("deny");
        assertThat(after.getFirst().path("rule").asText()).isEqualTo("builtin.rm-root");
        assertThat(after.getFirst().path("classes").toString()).contains("destructive");
        assertThat(after.getFirst().path("cmd_preview").asText()).isEqualTo("false && rm -rf /");
        assertThat(after.getLast().path("decision").asText()).isEqualTo("ask");
        assertThat(folders).containsAll(SERVER.taskFolders()); // others' may be gone meanwhile

        http.post("/v1/approvals/" + id, Map.of("decision", "deny")).hasStatus(200);
        JsonNode answered = after(before).getLast();
        assertThat(answered.path("action").asText()).isEqualTo("approval");
        assertThat(answered.path("decision").asText()).isEqualTo("deny");
        assertThat(answered.path("detail").asText()).isEqualTo(id);
        assertThat(http.get("/v1/tasks?status=all&label=denied=yes").at("/tasks"))
                .isEmpty();
    }

    @Test
    void aTaskIsToldFromItsDecisionToItsEnd() throws Exception {
        String id = http.start("while read line; do echo \"got $line\"; done", "accepts_input", true);
        http.input(id, "text", "my words\n").hasStatus(200);
        http.awaitOutput(id, "got my words");
        http.signal(id, "WINCH").hasStatus(200);
        http.post("/v1/tools/TaskInput", Json.object("task_id", id, "input", "more words\n"))
                .hasStatus(200);
        http.stop(id, "grace_ms", 1234).hasStatus(200);

        List<JsonNode> entries = of(id);
        assertThat(told(entries).subList(0, 6))
                .containsExactly("decision", "start", "input", "signal WINCH", "input", "stop grace 1234 ms");
        assertThat(told(entries).getLast()).startsWith("end stop");
        assertThat(entries).hasSize(7).allSatisfy(entry -> {
            assertThat(entry.path("actor").asText()).isEqualTo("operator");
            assertThat(entry.path("task_id").asText()).isEqualTo(id);
            assertThat(Instant.parse(entry.path("at").asText())).isBeforeOrEqualTo(Instant.now());
        });
        assertThat(entries.getFirst().path("decision").asText()).isEqualTo("allow");
        assertThat(entries.get(1).path("cmd_preview").asText()).startsWith("while read line");
        assertFed(entries.get(2), "my words\n");
        assertFed(entries.get(4), "more words\n");
        assertThat(files()).doesNotContain("my words", "more words");
    }

    @Test
    void whatIsDeniedOfATaskIsInItsHistory() throws Exception {
        Path policy = SERVER.data().resolve("policy.yaml");
        Map<String, String> labels = Map.of("kept", "yes");
        Files.writeString(policy, """
                version: 1
                rules:
                  - id: kept
                    match: {labels: {kept: "yes"}, on: stop}
                    decision: deny
                """);
        awaitOfStops("deny", labels);
        String id = http.start("exec bash --norc", "tty", true, "labels", labels);
        http.stop(id).refused(403, "command_denied");
        http.signal(id, "TERM").refused(403, "command_denied");
        http.input(id, "text", "rm -rf /\n").refused(403, "command_denied");
        http.post("/v1/tools/TaskInput", Json.object("task_id", id, "input", "rm -rf /\n"));

        List<JsonNode> denied = of(id).subList(2, of(id).size());
        assertThat(told(denied))
                .containsExactly("decision stop", "decision signal TERM", "decision input", "decision input");
        assertThat(denied)
                .allSatisfy(entry -> assertThat(entry.path("decision").asText()).isEqualTo("deny"));
        assertThat(denied.getLast().path("rule").asText()).isEqualTo("builtin.rm-root");
        assertThat(denied.getLast().path("bytes").asLong()).isEqualTo(9);
        Files.delete(policy);
        awaitOfStops("allow", labels);
        http.stop(id, "force", true).hasStatus(200);
    }

    private void awaitOfStops(String decision, Map<String, String> labels) {
        await().atMost(Calls.PATIENCE)
                .until(() -> http.post("/v1/policy/check", Json.object("cmd", "bash", "on", "stop", "labels", labels))
                        .text("/decision")
                        .equals(decision));
    }

    @Test
    void whatIsTypedIsToldByTheLine() throws Exception {
        String id = http.start("while read line; do echo \"got $line\"; done", "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            for (String key : List.of("w", "o", "r", "d")) {
                terminal.type(key);
            }
            terminal.type("\r");
            terminal.await("got word");
            terminal.type("at once\r");
            terminal.await("got at once");
        }
        List<JsonNode> entries = of(id);
        assertThat(told(entries)).containsExactly("decision", "start", "input typing", "input", "input");
        assertFed(entries.get(3), "word\r");
        assertFed(entries.get(4), "at once\r");
        http.stop(id, "force", true).hasStatus(200);
    }

    @Test
    void noSecretOfACommandIsThere() throws Exception {
        http.run("true API_TOKEN=swordfish-1 --password swordfish-2 https://me:swordfish-3@127.0.0.1/")
                .completed();
        http.post(
                        "/v1/commands",
                        Json.object(
                                "argv", List.of("true", "--token", "swordfish-4"), "env", Map.of("A", "swordfish-5")))
                .completed();
        http.run("false && PASSWORD=swordfish-6 rm -rf /").refused(403, "command_denied");
        http.run("true # --token swordfish-7\ntrue <<< 'token=swordfish-8'; all=(--token swordfish-9)")
                .completed();

        assertThat(files()).contains("API_TOKEN=").doesNotContain("swordfish");
    }

    @TestFactory
    Stream<DynamicTest> afterAKill() throws Throwable {
        return Story.over(SERVER, SERVER::kill, theEndOfAFurtherOperatorsCommandIsHis(), numbersGoOn());
    }

    private Story numbersGoOn() {
        String id = http.start("until test -e go; do sleep 0.2; done; exit 5");
        http.pid(id);
        long before = newest();

        return new Story(
                "numbers go on",
                () -> {
                    Path file = Folders.children(journal()).stream()
                            .max(naturalOrder())
                            .orElseThrow();
                    Files.writeString(file, Files.readString(file) + "{\"seq\":" + (before + 1) + ",\"at\":\"20");
                    Files.writeString(SERVER.workspace().resolve("go"), "");
                    Path exit = SERVER.taskFolder(id).resolve("rc");
                    await().atMost(Calls.PATIENCE)
                            .until(() -> Files.readString(exit).startsWith("exit "));
                },
                () -> {
                    assertThat(SERVER.log()).contains("ended with a torn line");
                    http.awaitEnd(id);
                    http.run("true # again").completed();
                    List<JsonNode> after = after(before);
                    assertThat(after)
                            .extracting(entry -> entry.path("seq").asLong())
                            .isEqualTo(LongStream.rangeClosed(before + 1, before + after.size())
                                    .boxed()
                                    .toList());
                    assertThat(told(after)).contains("end exit 5").endsWith("decision", "start", "end exit 0");
                    assertThat(files().lines())
                            .allSatisfy(line ->
                                    assertThat(Json.read(line).isObject()).isTrue());
                });
    }

    @Test
    void whereItCannotBeWrittenNothingRunsAndStopsWork() throws Exception {
        String id = http.start("echo begun; cat", "accepts_input", true);
        http.awaitOutput(id, "begun");
        String other = http.start("trap 'echo caught' USR1; echo begun; while :; do sleep 0.2; done");
        http.awaitOutput(other, "begun");
        Path moved = journal().resolveSibling("moved");
        Files.move(journal(), moved);
        Files.writeString(journal(), "in its place");
        try {
            Answer refused = http.run("touch ran").refused(507, "storage_full");
            assertThat(refused.text("/recovery_hint")).contains(journal().toString());
            assertThat(refused.text("/details/journal")).isEqualTo(journal().toString());
            assertThat(http.post("/v1/commands/batch", Json.object("items", List.of(Map.of("cmd", "touch ran"))))
                            .text("/items/0/error_kind"))
                    .isEqualTo("storage_full");
            assertThat(http.post("/v1/tools/ExecCommand", Json.object("cmd", "touch ran"))
                            .text("/error/kind"))
                    .isEqualTo("storage_full");
            http.input(id, "text", "unseen\n").refused(507, "storage_full");
            assertThat(http.output(id)).isEqualTo("begun\n");

            http.signal(other, "USR1").hasStatus(200);
            http.awaitOutput(other, "caught");
            http.stop(id, "force", true).hasStatus(200);
            http.stop(other, "force", true).hasStatus(200);
            assertThat(http.task(id).path("status").asText()).isEqualTo("cancelled");
            assertThat(SERVER.log()).contains("not in it: {").contains(id);
        } finally {
            Files.delete(journal());
            Files.move(moved, journal());
        }
        assertThat(SERVER.workspace().resolve("ran")).doesNotExist();
        http.run("touch ran").completed();
        assertThat(SERVER.workspace().resolve("ran")).exists();
        assertThat(told(of(id))).doesNotContain("stop force");
    }

    /** Also where it ends while no server runs. */
    private Story theEndOfAFurtherOperatorsCommandIsHis() throws Exception {
        Files.writeString(
                SERVER.data().resolve("tokens.yaml"),
                "tokens: [{name: op2, role: operator, sha256: "
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest("of-op2".getBytes(UTF_8)))
                        + "}]\n");
        Calls second = SERVER.calledWith("of-op2").calls();
        await().until(() -> second.get("/v1/tasks").status() == 200);
        String ended = second.start("exit 3");
        String goesOn = second.start("until test -e second; do sleep 0.2; done");
        http.awaitEnd(ended);
        http.pid(goesOn);

        return new Story(
                "the end of a further operator's command is his",
                () -> {
                    Files.writeString(SERVER.workspace().resolve("second"), "");
                    await().until(() ->
                            Processes.marked("HOLDFAST_TASK", goesOn).isEmpty());
                },
                () -> {
                    for (String id : List.of(ended, goesOn)) {
                        assertThat(of(id))
                                .extracting(entry -> entry.path("actor").asText())
                                .containsExactly("op2", "op2", "op2");
                    }
                    Files.delete(SERVER.data().resolve("tokens.yaml"));
                });
    }

    @Test
    void isReadInParts() {
        long before = newest();
        http.run("true # 1").completed();
        http.run("true # 2").completed();
        List<JsonNode> seen = new ArrayList<>();
        String cursor = Long.toString(before);
        while (!cursor.isEmpty()) {
            JsonNode page = http.get("/v1/audit?limit=4&cursor=" + cursor)
                    .hasStatus(200)
                    .json();
            page.path("entries").forEach(seen::add);
            cursor = page.path("next_cursor").asText("");
            assertThat(page.path("entries").size()).isEqualTo(cursor.isEmpty() ? 2 : 4);
        }
        assertThat(told(seen)).containsExactly("decision", "start", "end exit 0", "decision", "start", "end exit 0");
        String since = seen.get(3).path("at").asText();
        assertThat(entries("?limit=1000&since=" + since))
                .contains(seen.get(3))
                .allSatisfy(entry ->
                        assertThat(Instant.parse(entry.path("at").asText())).isAfterOrEqualTo(Instant.parse(since)));
        assertThat(entries("?since=2999-01-01T00:00:00Z")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, limit",
        "limit=1001, limit",
        "limit=x, limit",
        "since=yesterday, since",
        "task_id=task_1, task_id",
        "cursor=x, cursor",
        "task=x, task",
        "limit=1&limit=2, limit"
    })
    void whatIsAskedIsReadStrictly(String query, String named) {
        assertThat(http.get("/v1/audit?" + query)
                        .refused(400, "invalid_tool_input")
                        .text("/details/parse_error"))
                .contains(named);
    }
}
