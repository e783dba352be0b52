package dev.holdfast.api.terminal;

import dev.holdfast.api.security.Tokens;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * How the server agrees on a WebSocket: no compression, which would only delay keystrokes, and the subprotocol that
 * carries the token is accepted by name, as a browser insists on.
 */
@Singleton
public final class WebSocketOptions implements HttpServerOptionsCustomizer {
    private static final int MAX_MESSAGE = 1 << 20;

    private final Tokens tokens;

    @Inject
    public WebSocketOptions(Tokens tokens) {
        this.tokens = tokens;
    }

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        options.setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(MAX_MESSAGE)
                .setMaxWebSocketMessageSize(MAX_MESSAGE)
                .addWebSocketSubProtocol(tokens.subprotocol());
    }

    @Override
    public void customizeHttpsServer(HttpServerOptions options) {
        customizeHttpServer(options);
    }
}
