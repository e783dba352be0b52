package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The official clients of MCP, each in its own process ({@code src/test/npm}). They come from npm's registry; without
 * Node 20 they are not run, unless {@code HOLDFAST_TEST_NODE} says that they are required; the last lines of the build
 * say so.
 */
@Timeout(180)
class NpmClientsIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private static final Path CLIENTS = Path.of("target", "npm").toAbsolutePath();
    private static final String INSPECTOR =
            "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    private static final String ASKS = """
            version: 1
            rules:
              - id: ask-touch
                match: {command: "touch *"}
                decision: ask
            """;

    @BeforeAll
    static void install() throws Exception {
        if (System.getenv("HOLDFAST_TEST_NODE") == null) {
            Assumptions.assumeTrue(
                    Stream.of(System.getenv("PATH").split(":"))
                            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "npm"))),
                    "no npm on the PATH");
        }
        Files.createDirectories(CLIENTS);
        try (Stream<Path> files = Files.list(Path.of("src", "test", "npm"))) {
            for (Path file : files.toList()) {
                Files.write(CLIENTS.resolve(file.getFileName()), Files.readAllBytes(file));
            }
        }
        int tries = 0;
        while (!installed()) {
            assertThat(++tries)
                    .as(() -> "npm ci:\n" + text(CLIENTS.resolve("install.log")))
                    .isLessThan(3);
        }
        Path policy = SERVER.data().resolve("policy.yaml");
        Files.writeString(policy, ASKS);
        await().atMost(Calls.PATIENCE)
                .until(() -> SERVER.calls()
                        .post("/v1/policy/check", Json.object("cmd", "touch x"))
                        .json()
                        .path("decision")
                        .asText()
                        .equals("ask"));
    }

    /** A registry may stop in the midst of an answer; what came before is kept, so that the next try asks for the rest. */
    private static boolean installed() throws Exception {
        Process npm = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
                .directory(CLIENTS.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(CLIENTS.resolve("install.log").toFile()))
                .start();
        try {
            return npm.waitFor(2, TimeUnit.MINUTES) && npm.exitValue() == 0;
        } finally {
            npm.destroyForcibly();
        }
    }

    /** All at once: most of their time each waits for progress, which is told every five seconds. */
    @TestFactory
    Stream<DynamicTest> aClientIsServed() throws Throwable {
        List<Client> clients = new ArrayList<>();
        for (String how : List.of("http", "stdio")) {
            clients.add(Client.begun("sdk.mjs", how));
            clients.add(Client.begun("client.mjs", how));
        }
        await().atMost(Calls.PATIENCE).until(() -> clients.stream().allMatch(client -> client.served.isDone()));
        return Story.over(
                SERVER, SERVER::kill, clients.stream().map(Client::goesOn).toArray(Story[]::new));
    }

    private record Client(String name, Process process, Future<JsonNode> served) {
        static Client begun(String client, String how) throws IOException {
            Process process = new ProcessBuilder(
                            "node", client, how, SERVER.uri("").toString(), SERVER.token(), Cli.SCRIPT)
                    .directory(CLIENTS.toFile())
                    .redirectError(Redirect.INHERIT)
                    .start();
            var served = new FutureTask<>(() -> isServed(process));
            Thread.startVirtualThread(served);
            return new Client(client + " " + how, process, served);
        }

        private static JsonNode isServed(Process process) throws IOException {
            BufferedReader out = process.inputReader();
            assertThat(step(out, "tools")).hasSize(9);
            assertThat(text(step(out, "answered"))).contains("hi");
            JsonNode refused = step(out, "refused");
            assertThat(refused.path("isError").asBoolean()).isTrue();
            assertThat(text(refused)).contains("workdir");
            assertThat(step(out, "progress").asInt()).isPositive();

            String started = text(step(out, "started"));
            tell(
                    process,
                    started.lines()
                            .filter(line -> line.startsWith("Task: "))
                            .findFirst()
                            .orElseThrow());
            assertThat(step(out, "cancelled").asText()).contains("abort");
            assertThat(text(step(out, "lives"))).contains("Status: Running");

            String file = "asked-for-" + process.pid();
            assertThat(step(out, "asked").asText()).contains("touch " + file);
            assertThat(step(out, "allowed").path("isError").asBoolean()).isFalse();
            assertThat(SERVER.workspace().resolve(file)).exists();
            return step(out, "restart");
        }

        private Story goesOn() {
            return new Story(name, () -> {
                served.get();
                tell(process, "on");
                BufferedReader out = process.inputReader();
                step(out, "gone");
                assertThat(text(step(out, "again"))).contains("again");
                assertThat(process.waitFor()).isZero();
            });
        }

        private static void tell(Process process, String line) {
            new PrintWriter(process.outputWriter(), true).println(line);
        }
    }

    @Test
    void theInspectorListsAndCallsTools() throws Exception {
        assertThat(inspector("http", "tools/list").path("tools").findValuesAsText("name"))
                .contains("ExecCommand", "Wait");
        for (String how : List.of("http", "stdio")) {
            JsonNode answer = inspector(how, "tools/call", "--tool-name", "ExecCommand", "--tool-arg", "cmd=echo hi");
            assertThat(text(answer)).contains("hi");
        }
    }

    private static JsonNode inspector(String how, String method, String... more) throws Exception {
        List<String> argv = new ArrayList<>(List.of("node", INSPECTOR, "--cli"));
        if (how.equals("http")) {
            argv.addAll(List.of(SERVER.uri("/mcp").toString(), "--transport", "http"));
            argv.addAll(List.of("--header", "Authorization: Bearer " + SERVER.token()));
        } else {
            argv.addAll(List.of("-e", "HOLDFAST_URL=" + SERVER.uri(""), "-e", "HOLDFAST_TOKEN=" + SERVER.token()));
            argv.addAll(List.of(Cli.SCRIPT, "mcp"));
        }
        argv.addAll(List.of("--method", method));
        argv.addAll(List.of(more));
        Process process = new ProcessBuilder(argv)
                .directory(CLIENTS.toFile())
                .redirectError(Redirect.INHERIT)
                .start();
        return Json.read(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    /** What came back at the next step, which is this one. */
    private static JsonNode step(BufferedReader out, String name) throws IOException {
        String line = out.readLine();
        assertThat(line).as("step " + name).isNotNull();
        JsonNode step = Json.read(line);
        assertThat(step.path("step").asText()).as(line).isEqualTo(name);
        return step.path("result");
    }

    private static String text(JsonNode result) {
        return result.at("/content/0/text").asText();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException none) {
            return none.toString();
        }
    }
}
