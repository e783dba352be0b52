package dev.holdfast.api.terminal;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How the server agrees on a WebSocket: no compression, which would only delay keystrokes, and the subprotocol that
 * carries a token is accepted by name, as a browser insists on.
 */
@Singleton
public final class WebSocketOptions implements HttpServerOptionsCustomizer {
    private static final int MAX_MESSAGE = 1 << 20;

    private static final String HEADER = "Sec-WebSocket-Protocol";
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");
    /** Netty's wildcard: tokens come and go while the server runs. */
    private static final String WHATEVER_IS_OFFERED = "*";

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        options.setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(MAX_MESSAGE)
                .setMaxWebSocketMessageSize(MAX_MESSAGE)
                .addWebSocketSubProtocol(WHATEVER_IS_OFFERED);
    }

    /** Leaves of the subprotocols that the client offers only those that carry a token: the gate has looked at it. */
    static void offerTokenAlone(HttpServerRequest request) {
        String offered = request.getHeader(HEADER);
        if (offered != null) {
            String tokens = COMMA.splitAsStream(offered.strip())
                    .filter(protocol -> protocol.startsWith("bearer."))
                    .collect(Collectors.joining(", "));
            if (tokens.isEmpty()) {
                request.headers().remove(HEADER);
            } else {
                request.headers().set(HEADER, tokens);
            }
        }
    }

    @Override
    public void customizeHttpsServer(HttpServerOptions options) {
        customizeHttpServer(options);
    }
}
