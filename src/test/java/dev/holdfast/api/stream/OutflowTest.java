package dev.holdfast.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutflowTest {
    private static final int PART = 64 * 1024;
    private static final long TOTAL = 256L << 20;
    private static final long BOUND = 1 << 20;

    /** What the kernel holds for a connection on both sides, generously. */
    private static final long KERNEL = 32L << 20;

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong offered = new AtomicLong();
    private final CompletableFuture<Boolean> whole = new CompletableFuture<>();
    private int port;

    @BeforeEach
    void serves() {
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> Thread.startVirtualThread(() -> write(
                        new Outflow(request.response().putHeader("Content-Length", Long.toString(TOTAL)), BOUND))));
        port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    @AfterEach
    void closes() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void write(Outflow client) {
        try {
            boolean there = true;
            while (there && offered.get() < TOTAL) {
                there = client.write(Buffer.buffer(new byte[PART]));
                offered.addAndGet(PART);
            }
            whole.complete(there);
        } catch (InterruptedException e) {
            whole.completeExceptionally(e);
        }
    }

    private Socket asks() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void aClientThatDoesNotReadIsNotBufferedFor() throws IOException {
        try (Socket client = asks()) {
            await().until(() -> offered.get() > BOUND);
            AtomicLong before = new AtomicLong(-1);
            await().during(Duration.ofMillis(300)).until(() -> before.getAndSet(offered.get()) == offered.get());
            assertThat(offered.get()).isLessThan(BOUND + KERNEL);

            InputStream in = client.getInputStream();
            long read = 0;
            byte[] buffer = new byte[PART];
            while (read < TOTAL) {
                read += in.read(buffer);
            }
            assertThat(whole.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        }
    }

    @Test
    void aClientThatGoesAwayIsNoticed() throws IOException {
        try (Socket client = asks()) {
            assertThat(client.getInputStream().read()).isPositive();
        }
        assertThat(whole.orTimeout(20, TimeUnit.SECONDS).join()).isFalse();
        assertThat(offered.get()).isLessThan(TOTAL);
    }
}
