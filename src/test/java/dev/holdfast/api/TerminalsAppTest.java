package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.acceptance.TerminalClient;
import dev.holdfast.config.HoldfastConfig;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TerminalsAppTest {
    private static final String TTY = "\"tty\":true";
    private static final int TOO_BIG = 1009;

    @Inject
    HoldfastConfig config;

    @TestHTTPResource
    @SuppressWarnings("NullAway.Init")
    URI base;

    private Caller caller;

    @BeforeEach
    void calls() {
        caller = new Caller(base, config);
    }

    /** What a client of a terminal has seen so far. */
    private static final class Screen implements WebSocket.Listener {
        private final AtomicReference<String> seen = new AtomicReference<>("");
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            String more = StandardCharsets.UTF_8.decode(data).toString();
            seen.updateAndGet(before -> before + more);
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            closed.complete(code);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            closed.completeExceptionally(failure);
        }

        void shows(String text) {
            await().until(() -> seen.get().contains(text));
        }

        /** Painted, so that what is between them is how the cursor gets to the next row. */
        void showsTwice(String text) {
            await().until(() -> seen.get().split(text, -1).length == 3);
        }
    }

    private URI terminal(String id) {
        return URI.create("ws://" + base.getAuthority() + "/v1/tasks/" + id + "/terminal");
    }

    private WebSocket connect(String id, Screen screen) {
        return TerminalClient.asked()
                .header("Authorization", "Bearer " + caller.token())
                .buildAsync(terminal(id), screen)
                .join();
    }

    private static void type(WebSocket socket, String text) {
        socket.sendBinary(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), true)
                .join();
    }

    private void stop(String id) {
        assertThat(caller.post("/v1/tasks/" + id + "/stop", "{\"force\":true}").statusCode())
                .isEqualTo(200);
    }

    /** The JDK's client sends it in pieces, each of which could be taken. */
    @Test
    void whoSendsTooMuchAtOnceIsTold() {
        String id = caller.task("stty raw -echo; echo ready; cat", TTY);
        Screen screen = new Screen();
        WebSocket socket = connect(id, screen);
        screen.shows("ready");
        var _ = socket.sendBinary(ByteBuffer.allocate((1 << 20) + 1), true);

        assertThat(screen.closed.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(TOO_BIG);
        stop(id);
    }

    /** In one frame, and by one who reads nothing before all of it is sent. */
    @Test
    void whoSendsMuchMoreAtOnceIsToldTheSame() throws IOException {
        String id = caller.task("stty raw -echo; cat", TTY);
        try (Socket client = new Socket(base.getHost(), base.getPort())) {
            client.setSoTimeout(20_000);
            OutputStream out = client.getOutputStream();
            out.write(String.join(
                            "\r\n",
                            "GET " + terminal(id).getPath() + " HTTP/1.1",
                            "Host: " + base.getAuthority(),
                            "Authorization: Bearer " + caller.token(),
                            "Connection: Upgrade",
                            "Upgrade: websocket",
                            "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                            "",
                            "")
                    .getBytes(StandardCharsets.US_ASCII));
            awaitText(client, "\r\n\r\n");
            int length = 16 << 20;
            out.write(ByteBuffer.allocate(14)
                    .put((byte) 0x82) // RFC 6455, section 5.2: all of a binary message,
                    .put((byte) 0xff) // masked, with its length in the next eight bytes, and the mask
                    .putLong(length)
                    .array());
            out.write(new byte[length]);

            awaitText(
                    client, (char) (TOO_BIG >> 8) + "" + (char) (TOO_BIG & 0xff) + "a message may have a MiB at most");
        }
        stop(id);
    }

    /** Byte for byte. */
    private static void awaitText(Socket client, String text) throws IOException {
        StringBuilder got = new StringBuilder();
        while (got.indexOf(text) < 0) {
            int next = client.getInputStream().read();
            assertThat(next).as(got.toString()).isNotNegative();
            got.append((char) next);
        }
    }

    @Test
    void severalTypeAndWatchOneTerminal() {
        String id = caller.task("echo before; cat", TTY);
        Screen first = new Screen();
        WebSocket one = connect(id, first);
        first.shows("before");
        type(one, "typed\r");
        first.shows("typed\r\ntyped\r\n");

        Screen second = new Screen();
        WebSocket two = connect(id, second);
        second.shows("before");
        second.showsTwice("typed");
        type(two, "more\r");
        first.shows("more\r\nmore\r\n");
        second.shows("more\r\nmore\r\n");

        one.abort();
        type(two, "alone\r");
        second.shows("alone\r\nalone\r\n");
        type(two, "\u0004");
        assertThat(second.closed.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(1000);
        assertThat(caller.ended(id).path("status").asText()).isEqualTo("completed");
    }

    @Test
    void aTextFrameResizes() {
        String id = caller.task("trap 'stty size' WINCH; echo ready; while :; do sleep 0.2; done", TTY);
        Screen screen = new Screen();
        WebSocket socket = connect(id, screen);
        screen.shows("ready");

        socket.sendText("{\"rows\":33,\"cols\":77}", true).join();
        screen.shows("33 77");
        assertThat(caller.call("PUT", "/v1/tasks/" + id + "/terminal-size", "{\"rows\":34,\"cols\":78}")
                        .statusCode())
                .isEqualTo(200);
        screen.shows("34 78");

        socket.sendText("{\"rows\":0}", true).join();
        assertThat(screen.closed.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(1007);
        stop(id);
    }

    @Test
    void theTokenMayComeAsSubprotocolWhichIsEchoed() {
        String id = caller.task("cat", TTY);
        WebSocket socket = TerminalClient.asked()
                .subprotocols("bearer." + caller.token())
                .buildAsync(terminal(id), new Screen())
                .join();

        assertThat(socket.getSubprotocol()).isEqualTo("bearer." + caller.token());
        socket.abort();
        stop(id);
    }

    private int refused(String id, String... header) {
        WebSocket.Builder builder = TerminalClient.asked();
        for (int i = 0; i < header.length; i += 2) {
            builder.header(header[i], header[i + 1]);
        }
        CompletionException failure = catchThrowableOfType(
                CompletionException.class,
                () -> builder.buildAsync(terminal(id), new Screen()).join());
        assertThat(failure.getCause()).isInstanceOf(WebSocketHandshakeException.class);
        var response = Objects.requireNonNull((WebSocketHandshakeException) failure.getCause())
                .getResponse();
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        return response.statusCode();
    }

    @Test
    void whatIsNoTerminalIsRefusedBeforeTheHandshake() {
        String authorization = "Bearer " + caller.token();
        String id = caller.task("sleep 63", "");

        assertThat(refused(id)).isEqualTo(401);
        assertThat(refused(id, "Authorization", "Bearer wrong")).isEqualTo(401);
        assertThat(refused(id, "Authorization", authorization, "Origin", "http://evil.example"))
                .isEqualTo(403);
        assertThat(refused(id, "Authorization", authorization)).isEqualTo(409);
        assertThat(refused("task_01ARZ3NDEKTSV4RRFFQ69G5FAV", "Authorization", authorization))
                .isEqualTo(404);
        assertThat(caller.get("/v1/tasks/" + id + "/terminal").statusCode()).isEqualTo(426);
        stop(id);
    }

    @Test
    void keysAreForTerminals() {
        String id = caller.task("echo ready; cat -v", TTY);
        Screen screen = new Screen();
        WebSocket socket = connect(id, screen);
        screen.shows("ready");

        assertThat(caller.post("/v1/tasks/" + id + "/input", "{\"keys\":[\"up\",\"enter\"]}")
                        .statusCode())
                .isEqualTo(200);
        screen.shows("^[[A");
        caller.post("/v1/tasks/" + id + "/input", "{\"keys\":[\"ctrl-c\"]}");
        assertThat(caller.ended(id).path("exit_signal").asText()).isEqualTo("SIGINT");
        socket.abort();
    }
}
