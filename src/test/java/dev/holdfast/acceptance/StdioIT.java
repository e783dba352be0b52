package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;

/** {@code holdfast mcp}: MCP over stdio, as a client's process has it. */
@Timeout(120)
class StdioIT {

    @RegisterExtension
    static final PackagedServer SHARED = PackagedServer.shared();

    private final PackagedServer own = new PackagedServer();
    private PackagedServer server = SHARED;
    private Process bridge;
    private Writer in;
    private BufferedReader out;
    private int ids;

    /** Another session. */
    private StdioIT beside;

    @AfterEach
    void end() throws Exception {
        if (beside != null) {
            beside.hangUp();
        }
        hangUp();
        own.afterAll();
    }

    private void hangUp() throws Exception {
        if (bridge != null) {
            bridge.destroyForcibly().waitFor();
        }
    }

    private ProcessBuilder bridge(String... options) throws Exception {
        List<String> words =
                Stream.concat(Stream.of(Cli.SCRIPT, "mcp"), Stream.of(options)).toList();
        return server.command(List.of()).command(words).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    private static Map<String, ?> beginning(Map<String, ?> capabilities) {
        return Map.of(
                "protocolVersion",
                "2025-06-18",
                "capabilities",
                capabilities,
                "clientInfo",
                Map.of("name", "test", "version", "1"));
    }

    private JsonNode connect(String... options) throws Exception {
        return connect(bridge(options));
    }

    private JsonNode connect(ProcessBuilder started) throws Exception {
        return connect(started, Map.of());
    }

    private JsonNode connect(ProcessBuilder started, Map<String, ?> capabilities) throws Exception {
        bridge = started.start();
        in = bridge.outputWriter(StandardCharsets.UTF_8);
        out = bridge.inputReader(StandardCharsets.UTF_8);
        JsonNode begun = ask("initialize", beginning(capabilities));
        say(Map.of("jsonrpc", "2.0", "method", "notifications/initialized"));
        return begun;
    }

    private void say(Map<String, ?> message) throws Exception {
        in.write(Json.write(message) + "\n");
        in.flush();
    }

    private Map<String, Object> request(String method, Map<String, ?> params) {
        return Map.of("jsonrpc", "2.0", "id", "id-" + ++ids, "method", method, "params", params);
    }

    private JsonNode ask(String method, Map<String, ?> params) throws Exception {
        Map<String, Object> request = request(method, params);
        say(request);
        JsonNode answer = answer();
        assertThat(answer.path("id").asText()).isEqualTo(request.get("id"));
        return answer;
    }

    /** What comes next but progress, of which more is told the slower the machine is. */
    private JsonNode answer() throws Exception {
        JsonNode next = Json.read(out.readLine());
        while (next.path("method").asText().equals("notifications/progress")) {
            next = Json.read(out.readLine());
        }
        return next;
    }

    private JsonNode call(String tool, Map<String, ?> input) throws Exception {
        return ask("tools/call", Map.of("name", tool, "arguments", input));
    }

    @Test
    void aSessionIsAsOverHttp() throws Exception {
        assertThat(connect().at("/result/serverInfo/name").asText()).isEqualTo("holdfast");

        assertThat(ask("tools/list", Map.of()).at("/result/tools"))
                .isEqualTo(McpClient.of(server).list());
        assertThat(call("ExecCommand", Map.of("cmd", "echo größe", "login", false, "yield_time_ms", 60_000))
                        .at("/result/content/0/text")
                        .asText())
                .isEqualTo("Process exited with code 0\n\nstdout:\ngröße");
        assertThat(call("None", Map.of()).at("/error/code").asInt()).isEqualTo(-32602);
    }

    /** Not even one that is refused: a session that took the place of one that is gone has been told of its beginning. */
    @Test
    void aNotificationIsNeverAnswered() throws Exception {
        connect();
        say(Map.of("jsonrpc", "2.0", "method", "notifications/initialized"));

        assertThat(call("TaskList", Map.of()).path("result").isObject()).isTrue();
        in.close();
        assertThat(out.lines()).isEmpty();
    }

    /** A call whose window is longer than any test, and which tells its progress. */
    private Map<String, Object> slow(String cmd) {
        return request(
                "tools/call",
                Map.of(
                        "name", "ExecCommand",
                        "arguments", Map.of("cmd", cmd, "yield_time_ms", 600_000),
                        "_meta", Map.of("progressToken", "p")));
    }

    @Test
    void aCancelledCallIsPassedOnAndOthersAnswerMeanwhile() throws Exception {
        connect();
        String before = server.newest();
        Map<String, Object> slow = slow("sleep 91");
        say(slow);
        String id = server.awaitNewer(before);
        assertThat(call("TaskList", Map.of()).path("result").isObject()).isTrue();

        say(Map.of(
                "jsonrpc", "2.0", "method", "notifications/cancelled", "params", Map.of("requestId", slow.get("id"))));

        JsonNode answer = answer();
        assertThat(answer.path("id").asText()).isEqualTo(slow.get("id"));
        server.calls().awaitTask(id, task -> task.path("status").asText().equals("running"));
    }

    /** Each agent of a machine starts one of its own, where there is none: the first time, and when it was killed. */
    @TestFactory
    Stream<DynamicTest> whereNoneRunsItIsStarted() throws Exception {
        server = own;
        server.prepare();
        beside = new StdioIT();
        beside.server = own;

        severalAtOnceStartOne();
        Executable theSessionGoesOn = theSessionGoesOn();
        Executable anAnswerIsForTheServerThatAsked = beside.anAnswerIsForTheServerThatAsked();
        long pid =
                Long.parseLong(Files.readString(server.data().resolve("lock")).strip());
        Processes.kill(pid);
        Processes.awaitGone(pid);

        return Stream.of(
                DynamicTest.dynamicTest(
                        "a server that is killed is started again and the session goes on", theSessionGoesOn),
                DynamicTest.dynamicTest("an answer is for the server that asked", anAnswerIsForTheServerThatAsked));
    }

    private void severalAtOnceStartOne() throws Exception {
        List<Process> bridges = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                bridges.add(bridge("--profile", "codex").start());
            }
            for (Process each : bridges) {
                Writer to = each.outputWriter(StandardCharsets.UTF_8);
                to.write(Json.write(request("initialize", beginning(Map.of()))) + "\n");
                to.flush();
            }
            for (Process each : bridges) {
                assertThat(Json.read(each.inputReader(StandardCharsets.UTF_8).readLine())
                                .at("/result/serverInfo/name")
                                .asText())
                        .isEqualTo("holdfast");
            }
        } finally {
            bridges.forEach(each -> each.destroyForcibly().onExit().join());
        }
        Path log = server.data().resolve("server.log");
        // It answers before it says that it listens.
        await().atMost(Calls.PATIENCE).until(() -> Files.readString(log).contains("Listening on"));
        assertThat(Files.readString(log)).containsOnlyOnce("Listening on").doesNotContain("in use");
    }

    private Executable theSessionGoesOn() throws Exception {
        connect();
        String before = server.newest();
        Map<String, Object> slow = slow("sleep 92");
        say(slow);
        assertThat(Json.read(out.readLine()).path("method").asText()).isEqualTo("notifications/progress");
        String id = server.awaitNewer(before);

        return () -> {
            JsonNode answer = answer();
            assertThat(answer.path("id").asText()).isEqualTo(slow.get("id"));
            assertThat(answer.at("/error/message").asText())
                    .contains("no answer came", "list the tasks", "holdfast ps -a");
            assertThat(call("TaskList", Map.of()).at("/result/content/0/text").asText())
                    .contains(id);
            assertThat(call("TaskStatus", Map.of("task_id", id))
                            .at("/result/_meta/holdfast~1result/status")
                            .asText())
                    .isEqualTo("running");
            assertThat(Files.readString(server.data().resolve("server.log"))).contains("holdfast");
            bridge.outputWriter().close();
            assertThat(bridge.waitFor()).isZero();
            server.calls().get("/v1/tasks/" + id).hasStatus(200);
        };
    }

    /** A person who answers late answers what he was asked: not what the next server asks. */
    private Executable anAnswerIsForTheServerThatAsked() throws Exception {
        Files.writeString(server.data().resolve("policy.yaml"), "version: 1\ndefault: ask\n");
        await().atMost(Calls.PATIENCE)
                .until(() -> server.calls()
                        .post("/v1/policy/check", Map.of("cmd", "mkdir first"))
                        .text("/decision")
                        .equals("ask"));
        connect(bridge(), Map.of("elicitation", Map.of()));
        JsonNode first = asked("mkdir first");

        return () -> {
            assertThat(Json.read(out.readLine()).at("/error/message").asText()).contains("no answer came");

            JsonNode second = asked("mkdir second");
            say(allowed(first));
            assertThat(ask("tools/list", Map.of()).has("result")).isTrue();
            say(Map.of("jsonrpc", "2.0", "id", second.path("id"), "result", Map.of("action", "decline")));

            JsonNode answer = Json.read(out.readLine());
            assertThat(answer.at("/result/content/0/text").asText()).contains("A person denied `mkdir second`");
            assertThat(server.workspace()).isEmptyDirectory();
        };
    }

    /** What the person at the client is asked of a command. */
    private JsonNode asked(String cmd) throws Exception {
        Map<String, Object> input = Map.of("cmd", cmd, "login", false, "yield_time_ms", 50_000);
        say(request("tools/call", Map.of("name", "ExecCommand", "arguments", input)));
        JsonNode question = Json.read(out.readLine());
        assertThat(question.at("/params/message").asText()).contains(cmd);
        return question;
    }

    private static Map<String, ?> allowed(JsonNode question) {
        Map<String, ?> said = Map.of("action", "accept", "content", Map.of("decision", "allow once"));
        return Map.of("jsonrpc", "2.0", "id", question.path("id"), "result", said);
    }

    @Test
    void aSessionThatCouldNotBeginBeginsWithTheNextMessage() throws Exception {
        int port = PackagedServer.freePort();
        ProcessBuilder named = bridge();
        named.environment().put("HOLDFAST_URL", "http://127.0.0.1:" + port);
        assertThat(connect(named).at("/error/message").asText())
                .contains("no server answers at", "nothing has been started")
                .doesNotContain("goes on");

        try (var door = new ServerSocket(port, 9, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> server.passOn(door));
            assertThat(ask("tools/list", Map.of()).at("/result/tools").isEmpty())
                    .isFalse();
        }
    }

    /** A client gives up after a minute. */
    @Test
    void aServerOfTheFolderThatListensElsewhereIsSaidToBeThere() throws Exception {
        ProcessBuilder elsewhere = bridge();
        elsewhere.environment().put("QUARKUS_HTTP_PORT", Integer.toString(PackagedServer.freePort()));
        long began = System.nanoTime();
        assertThat(connect(elsewhere).at("/error/message").asText())
                .contains("a server has the data folder", "set HOLDFAST_URL, or QUARKUS_HTTP_PORT");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(40));
    }

    /** A client ends us by the end of our input: what it waited for is hung up, and a program ends with its caller. */
    @Test
    void whatIsStillWaitedForAtTheEndOfTheInputIsHungUp() throws Exception {
        connect("--profile", "classic");
        String before = server.newest();
        say(request(
                "tools/call",
                Map.of("name", "shell_exec", "arguments", Map.of("executable", "sleep", "argv", List.of("93")))));
        String id = server.awaitNewer(before);

        in.close();

        assertThat(bridge.waitFor(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        server.calls().awaitTask(id, task -> task.path("status").asText().equals("cancelled"));
    }

    @Test
    void whatIsNotUtf8IsRefused() throws Exception {
        connect();
        String before = server.newest();
        var raw = bridge.getOutputStream();
        raw.write(Json.write(
                        request("tools/call", Map.of("name", "ExecCommand", "arguments", Map.of("cmd", "echo \u00e9"))))
                .getBytes(StandardCharsets.ISO_8859_1));
        raw.write('\n');
        raw.flush();

        JsonNode answer = Json.read(out.readLine());

        assertThat(answer.path("id").asText()).isEqualTo("id-" + ids);
        assertThat(answer.at("/error/message").asText()).contains("not UTF-8");
        assertThat(server.newest()).isEqualTo(before);
        assertThat(call("ExecCommand", Map.of("cmd", "echo \u00e9", "login", false, "yield_time_ms", 60_000))
                        .at("/result/content/0/text")
                        .asText())
                .endsWith("\u00e9");
    }

    @Test
    void aMessageThatIsTooLongIsRefusedAndTheSessionGoesOn() throws Exception {
        connect();

        assertThat(call("ExecCommand", Map.of("cmd", "x".repeat(60_000_000)))
                        .at("/error/message")
                        .asText())
                .contains("longer than 4 MiB", "Write it to a file");

        assertThat(call("TaskList", Map.of()).path("result").isObject()).isTrue();
    }

    @Test
    void longMessagesAtOnceAreAllAnsweredAndTheSessionGoesOn() throws Exception {
        connect();
        Map<String, ?> call = Map.of("name", "ExecCommand", "arguments", Map.of("cmd", "x".repeat(4_000_000)));
        List<Object> asked = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            Map<String, Object> request = request("tools/call", call);
            asked.add(request.get("id"));
            say(request);
        }

        List<Object> answered = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            answered.add(Json.read(out.readLine()).path("id").asText());
        }
        assertThat(answered).containsExactlyInAnyOrderElementsOf(asked);
        assertThat(call("TaskList", Map.of()).path("result").isObject()).isTrue();
    }

    @Test
    void whatEndsWithItsInputIsAnsweredBefore() throws Exception {
        connect();
        Map<String, ?> input = Map.of("cmd", "touch begun; sleep 0.3; echo last", "login", false);
        say(request("tools/call", Map.of("name", "ExecCommand", "arguments", input)));
        // From the end of the input on there are five seconds, in which a busy machine may not even start it.
        await().atMost(Calls.PATIENCE)
                .until(() -> Files.exists(server.workspace().resolve("begun")));
        in.close();

        assertThat(out.readLine()).contains("last");
        assertThat(out.readLine()).isNull();
    }
}
