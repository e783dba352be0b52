package dev.holdfast.api;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.inject.Singleton;

/**
 * How the server's connections are set up: little is buffered for a client that does not read, and a WebSocket has no
 * compression, which would only delay keystrokes.
 */
@Singleton
public final class ConnectionOptions implements HttpServerOptionsCustomizer {
    /**
     * Of an answer that is not read, in bytes; the kernel takes twice as much, socket(7). By itself it takes megabytes
     * for each client, and all callers wait for what makes them.
     */
    private static final int SEND_BUFFER = 128 * 1024;

    private static final int MAX_MESSAGE = 1 << 20;
    /** Netty's wildcard: a browser wants the subprotocol accepted by name, and tokens come and go. */
    private static final String WHATEVER_IS_OFFERED = "*";

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        options.setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(MAX_MESSAGE)
                .setMaxWebSocketMessageSize(MAX_MESSAGE)
                .addWebSocketSubProtocol(WHATEVER_IS_OFFERED)
                .setSendBufferSize(SEND_BUFFER);
    }

    @Override
    public void customizeHttpsServer(HttpServerOptions options) {
        customizeHttpServer(options);
    }
}
