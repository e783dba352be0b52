package dev.holdfast.api.security;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.policy.Actor;
import dev.holdfast.policy.Role;
import dev.holdfast.runtime.Caller;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a request's line and headers alone whether it goes on, and whose it is: Host, then Origin, then the token, then
 * what its bearer may. Health needs no token. Immutable.
 */
public final class Gate {
    private static final String BEARER = "bearer ";
    private static final String SUBPROTOCOL = "bearer.";
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");
    private static final Set<String> LOOKING = Set.of("GET", "HEAD", "OPTIONS");
    /** What takes a body and changes nothing, and the doors to tools, of which each says itself what it does. */
    private static final Pattern LOOKS = Pattern.compile("/v1/(wait|policy/check|tools/[^/]+)|/mcp(/.*)?");

    private final Callers callers;
    private final Tokens tokens;

    /**
     * What the decision looks at.
     *
     * @param path normalised
     * @param method such as {@code GET}
     * @param hosts every {@code Host} header, exactly one is right
     * @param subprotocols the {@code Sec-WebSocket-Protocol} header when the request asks for a WebSocket
     * @param port that it came to
     */
    public record Request(
            String method,
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

    /** What becomes of a request. */
    public sealed interface Passage {
        record Refused(Problem problem) implements Passage {}

        /** @param actor null where it is not asked: for health */
        record Admitted(@Nullable Actor actor) implements Passage {}
    }

    public Passage decide(Request request) {
        if (request.hosts().size() != 1 || !callers.hostAllowed(request.hosts().getFirst())) {
            return new Passage.Refused(Problem.forbidden(
                    "This server is not addressed by that Host.",
                    "Call it by 127.0.0.1 or localhost, or add the name to holdfast.http.allowed-hosts."));
        }
        for (String origin : request.origins()) {
            if (!callers.originAllowed(origin, request.port())) {
                return new Passage.Refused(Problem.forbidden(
                        "Pages of this Origin may not call this server.",
                        "Call without an Origin header, or add the origin to holdfast.http.allowed-origins."));
            }
        }
        if (isHealth(request.path())) {
            return new Passage.Admitted(null);
        }
        return bearer(request)
                .map(actor -> decide(request, actor))
                .orElseGet(() -> new Passage.Refused(Problem.unauthorized()));
    }

    private static Passage decide(Request request, Actor actor) {
        boolean looks = LOOKING.contains(request.method())
                || LOOKS.matcher(request.path()).matches();
        if (!looks && !actor.role().changes()) {
            return new Passage.Refused(Problem.of(Caller.looksOnly(actor)));
        }
        if (actor.role() == Role.AGENT && request.path().startsWith("/q/metrics")) {
            return new Passage.Refused(Problem.forbidden(
                    "The metrics count all tasks, and an agent sees its own.",
                    "List your tasks with GET /v1/tasks; an operator or an observer may read the metrics."));
        }
        return new Passage.Admitted(actor);
    }

    private static boolean isHealth(String path) {
        return path.equals("/q/health") || path.startsWith("/q/health/");
    }

    private Optional<Actor> bearer(Request request) {
        String header = request.authorization();
        if (header != null) {
            return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    ? tokens.bearer(header.substring(BEARER.length()).strip())
                    : Optional.empty();
        }
        String offered = request.subprotocols();
        return offered == null
                ? Optional.empty()
                : COMMA.splitAsStream(offered.strip())
                        .filter(protocol -> protocol.startsWith(SUBPROTOCOL))
                        .flatMap(protocol -> tokens.bearer(protocol.substring(SUBPROTOCOL.length())).stream())
                        .findFirst();
    }
}
