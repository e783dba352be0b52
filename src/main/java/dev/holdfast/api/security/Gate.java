package dev.holdfast.api.security;

import dev.holdfast.api.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a request's line and headers alone whether it goes on: Host, then Origin, then the token. Health needs no
 * token. Immutable.
 */
public final class Gate {
    private static final String BEARER = "bearer ";
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    private final Callers callers;
    private final Tokens tokens;

    /**
     * What the decision looks at.
     *
     * @param path normalised
     * @param hosts every {@code Host} header, exactly one is right
     * @param subprotocols the {@code Sec-WebSocket-Protocol} header when the request asks for a WebSocket
     * @param port that it came to
     */
    public record Request(
            String path,
            List<String> hosts,
            List<String> origins,
            @Nullable String authorization,
            @Nullable String subprotocols,
            int port) {}

    public Gate(Callers callers, Tokens tokens) {
        this.callers = callers;
        this.tokens = tokens;
    }

    /** Why the request does not go on; nothing when it may. */
    public Optional<Problem> refuses(Request request) {
        if (request.hosts().size() != 1 || !callers.hostAllowed(request.hosts().getFirst())) {
            return Optional.of(Problem.forbidden(
                    "This server is not addressed by that Host.",
                    "Call it by 127.0.0.1 or localhost, or add the name to holdfast.http.allowed-hosts."));
        }
        for (String origin : request.origins()) {
            if (!callers.originAllowed(origin, request.port())) {
                return Optional.of(Problem.forbidden(
                        "Pages of this Origin may not call this server.",
                        "Call without an Origin header, or add the origin to holdfast.http.allowed-origins."));
            }
        }
        return isHealth(request.path()) || carriesToken(request)
                ? Optional.empty()
                : Optional.of(Problem.unauthorized());
    }

    private static boolean isHealth(String path) {
        return path.equals("/q/health") || path.startsWith("/q/health/");
    }

    private boolean carriesToken(Request request) {
        String header = request.authorization();
        if (header != null) {
            return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    && tokens.accepts(header.substring(BEARER.length()).strip());
        }
        String offered = request.subprotocols();
        return offered != null
                && COMMA.splitAsStream(offered.strip())
                        .filter(protocol -> protocol.startsWith("bearer."))
                        .anyMatch(protocol -> tokens.accepts(protocol.substring("bearer.".length())));
    }
}
