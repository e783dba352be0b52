package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The {@code holdfast} command before a server that is of another version, or another program. */
@Timeout(120)
class StrangeServersIT {
    private static final String ID = "task_01J00000000000000000000000";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Cli cli = new Cli(SERVER);
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Function<String, String> answers = call -> "{}";
    private HttpServer stranger;

    @BeforeEach
    void listen() throws Exception {
        stranger = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        stranger.setExecutor(threads);
        stranger.createContext("/", exchange -> {
            String call = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            asked.add(call);
            byte[] answer = answers.apply(call).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        stranger.start();
    }

    @AfterEach
    void end() {
        cli.end();
        stranger.stop(0);
        threads.shutdownNow();
    }

    /** Of that command to the stranger. */
    private String[] words(String command) {
        int port = stranger.getAddress().getPort();
        return ("--url http://127.0.0.1:" + port + " --token x " + command).split(" ", -1);
    }

    /** It looked like a task that prints {@code {}} for ever, a stop that is done, and a console without address. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ps",
                "status " + ID,
                "logs -f " + ID,
                "search " + ID + " x",
                "screen " + ID,
                "wait " + ID,
                "stop " + ID,
                "signal INT " + ID,
                "send " + ID + " x",
                "approvals",
                "approve x",
                "check ls",
                "audit",
                "console",
                "token list",
                "run true",
                "--json run true"
            })
    void anEmptyAnswerIsOfNoHoldfast(String command) throws Exception {
        Cli.Ran ran = cli.run(words(command));
        assertThat(ran.exit()).as(ran.err()).isEqualTo(1);
        assertThat(ran.err())
                .startsWith("holdfast: what answers at http://127.0.0.1:")
                .contains("is no Holdfast");
        assertThat(ran.text()).isEmpty();
    }

    @Test
    void aTimeThatIsNoneIsToldAsItIs() throws Exception {
        answers = call ->
                "{\"tasks\": [{\"task_id\": \"%s\", \"status\": \"running\", \"created_at\": \"noon\"}]}".formatted(ID);
        Cli.Ran ran = cli.run(words("ps"));
        assertThat(ran.exit()).isZero();
        assertThat(ran.text()).contains(ID, "noon");
    }

    @Test
    void theConsolesAddressIsTheOneThatWasCalled() throws Exception {
        answers = call -> "{\"key\": \"k\", \"url\": \"http://behind-a-proxy:7420/#key=k\"}";
        assertThat(cli.run(words("console")).text())
                .isEqualTo("http://127.0.0.1:" + stranger.getAddress().getPort() + "/#key=k\n");
    }

    @Test
    void allPagesOfAListAreOne() throws Exception {
        answers = call -> "{\"tasks\": [{\"task_id\": \"%s\"}], \"next_cursor\": %s}"
                .formatted(ID, call.contains("cursor=more") ? "null" : "\"more\"");
        JsonNode all = Json.read(cli.run(words("--json ps -a")).text());
        assertThat(all.path("tasks")).hasSize(2);
        assertThat(all.path("next_cursor").isNull()).isTrue();
    }

    @Test
    void whatIsInterruptedBeforeItHasAnIdIsInterruptedThen() throws Exception {
        var known = new CountDownLatch(1);
        answers = call -> {
            if (call.equals("POST /v1/commands")) {
                awaitUninterruptibly(known);
                return "{\"disposition\": \"promoted_to_task\", \"task_handle\": {\"task_id\": \"%s\"}}".formatted(ID);
            }
            return "{\"task_id\": \"%s\"}".formatted(ID);
        };
        Process run = cli.begin(words("run -d true"));
        await().atMost(Calls.PATIENCE).until(() -> asked.contains("POST /v1/commands"));

        new ProcessBuilder("kill", "-INT", Long.toString(run.pid())).start().waitFor();
        assertThat(run.errorReader().readLine()).contains("its id is not known yet");
        known.countDown();

        assertThat(run.inputReader().readLine()).isEqualTo(ID);
        assertThat(run.waitFor()).isZero();
        assertThat(asked).contains("POST /v1/tasks/" + ID + "/signal");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
