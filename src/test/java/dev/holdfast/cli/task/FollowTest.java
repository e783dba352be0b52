package dev.holdfast.cli.task;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Failure;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a task printed, from a server of our own making. */
@Timeout(60)
class FollowTest {
    private static final String ID = "task_01J00000000000000000000000";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Map<String, String> headers = Map.of();
    private String answer = "";
    private HttpServer server;
    private Follow follow;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", call -> {
            headers.forEach((name, value) -> call.getResponseHeaders().add(name, value));
            call.sendResponseHeaders(200, answer.length());
            call.getResponseBody().write(answer.getBytes(UTF_8));
            call.close();
        });
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        follow = new Follow(new Api(Map.of("HOLDFAST_URL", url, "HOLDFAST_TOKEN", "x")), ID);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void whatEndsIsWrittenToItsEnd() throws Exception {
        answer = "printed";
        headers = Map.of("Holdfast-Next-Cursor", "7", "Holdfast-End", "true");
        assertThat(follow.stream("stdout", 0, true, out)).isEqualTo(7);
        assertThat(out).hasToString("printed");
    }

    /** It was printed again and again, as what a task had to say. */
    @Test
    void anAnswerWithoutACursorIsOfNoHoldfastAndIsNotPrinted() {
        answer = "{}";
        headers = Map.of("Holdfast-End", "false");
        assertThatThrownBy(() -> follow.stream("stdout", 0, true, out))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is no Holdfast, or another version")
                .hasMessageContaining("Holdfast-Next-Cursor");
        headers = Map.of("Holdfast-Next-Cursor", "soon", "Holdfast-End", "false");
        assertThatThrownBy(() -> follow.stream("stdout", 0, true, out)).isInstanceOf(Failure.class);
        assertThat(out).hasToString("");
    }

    @Test
    void theLastLinesAreFoundAndNoneOfThemIsTheEnd() throws Exception {
        answer = "{\"status\": \"running\", \"output\": {\"stdout_bytes\": 40}}";
        assertThat(follow.tail("stdout", 0)).isEqualTo(40);
        answer = "{}";
        assertThatThrownBy(() -> follow.tail("stdout", 0)).isInstanceOf(Failure.class);
    }
}
