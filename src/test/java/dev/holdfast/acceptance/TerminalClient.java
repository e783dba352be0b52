package dev.holdfast.acceptance;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A watcher of a terminal over the WebSocket: what it was sent, and its keyboard. */
public final class TerminalClient implements WebSocket.Listener, AutoCloseable {
    private static final int MIB = 1 << 20;
    /**
     * For WebSockets alone: on a connection that was used before, what comes with the handshake may begin at the end of
     * a buffer. Seen: of the first message all behind that end was lost (the JDK's client offers the next buffer to who
     * has just left).
     */
    private static final HttpClient SOCKETS = HttpClient.newHttpClient();

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Nullable
    private WebSocket socket;

    public static TerminalClient open(PackagedServer server, String id) {
        return connect(server, id, builder -> builder.header("Authorization", "Bearer " + server.token()));
    }

    /** How a connection is asked for: headers and subprotocols. */
    public interface Handshake {
        WebSocket.Builder with(WebSocket.Builder builder);
    }

    public static TerminalClient connect(PackagedServer server, String id, Handshake handshake) {
        var client = new TerminalClient();
        URI uri = URI.create("ws://127.0.0.1:" + server.port() + "/v1/tasks/" + id + "/terminal");
        client.socket = handshake
                .with(asked())
                .buildAsync(uri, client)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        return client;
    }

    /** For a WebSocket that this is not the client of. */
    public static WebSocket.Builder asked() {
        return SOCKETS.newWebSocketBuilder();
    }

    /** The HTTP status with which a connection is refused, or 101 when it is not. */
    public static int refusal(PackagedServer server, String id, Handshake handshake) {
        try {
            connect(server, id, handshake).close();
            return 101;
        } catch (CompletionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                return refused.getResponse().statusCode();
            }
            throw e;
        }
    }

    /** The head of its request, for who sends that himself. */
    static String[] upgrade(PackagedServer server, String id) {
        return new String[] {
            "GET /v1/tasks/" + id + "/terminal HTTP/1.1",
            "Host: 127.0.0.1:" + server.port(),
            "Authorization: Bearer " + server.token(),
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        };
    }

    public void type(String text) {
        open().sendBinary(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), true)
                .join();
    }

    /**
     * Sends it in messages of a MiB, each when there is room for it.
     *
     * @param sent is told how many have gone
     */
    public void paste(byte[] bytes, AtomicInteger sent) {
        CompletableFuture<WebSocket> last = CompletableFuture.completedFuture(open());
        for (int at = 0; at < bytes.length; at += MIB) {
            ByteBuffer message = ByteBuffer.wrap(bytes, at, Math.min(MIB, bytes.length - at));
            last = last.thenCompose(client -> client.sendBinary(message, true));
            last = last.whenComplete((client, failure) -> sent.incrementAndGet());
        }
    }

    public void text(String frame) {
        open().sendText(frame, true).join();
    }

    public String screen() {
        synchronized (received) {
            return received.toString(StandardCharsets.UTF_8);
        }
    }

    public String await(String wanted) {
        return Awaitility.await("terminal shows " + wanted)
                .atMost(Calls.PATIENCE)
                .pollInterval(java.time.Duration.ofMillis(10))
                .until(this::screen, screen -> screen.contains(wanted));
    }

    /** Waits on the processor, for measuring. */
    public void spinUntil(String wanted) {
        long limit = System.nanoTime() + Calls.PATIENCE.toNanos();
        while (!screen().contains(wanted)) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("terminal never showed " + wanted);
            }
            Thread.onSpinWait();
        }
    }

    /** The close code, once the server closed. */
    public int awaitClosed() {
        return closed.orTimeout(20, TimeUnit.SECONDS).join();
    }

    public String subprotocol() {
        return open().getSubprotocol();
    }

    private WebSocket open() {
        if (socket == null) {
            throw new IllegalStateException("not connected");
        }
        return socket;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        synchronized (received) {
            received.writeBytes(bytes);
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.completeExceptionally(error);
    }

    @Override
    public void close() {
        open().abort();
    }
}
