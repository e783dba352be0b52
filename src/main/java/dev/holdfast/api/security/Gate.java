package dev.holdfast.api.security;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Caller;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a request's line and headers alone whether it goes on, and whose it is: Host, then Origin, then the token
 * or the session, then what its bearer may. Health, the console's pages and signing in need neither. Immutable.
 */
public record Gate(Callers callers, Tokens tokens, Sessions sessions) {
    /** Where a browser signs in and out. */
    public static final String SESSION = "/v1/console/session";

    private static final String BEARER = "bearer ";
    private static final Set<String> LOOKING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> READING = Set.of("GET", "HEAD");
    /** What takes a body and changes nothing, and the doors to tools, of which each says itself what it does. */
    private static final Pattern LOOKS =
            Pattern.compile("/v1/(wait|policy/check|tools/[^/]+|console/(session|keys))|/mcp(/.*)?");

    /**
     * @param path normalised
     * @param port that it came to
     */
    public record Request(String method, String path, MultiMap headers, int port) {
        private boolean isLooking() {
            return LOOKING.contains(method);
        }

        private boolean isPage() {
            return (ConsolePaths.isOpen(path) && isLooking())
                    || (ConsolePaths.isAstray(path, headers) && READING.contains(method));
        }

        /** A browser's question whether a page of another origin may send what it is about to; it carries no token. */
        private boolean isPreflight() {
            return method.equals("OPTIONS")
                    && headers.contains("Origin")
                    && headers.contains("Access-Control-Request-Method");
        }

        private boolean isUpgrade() {
            return "websocket".equalsIgnoreCase(headers.get("Upgrade"));
        }

        /** Those that are no header's. */
        private List<String> tokens() {
            return isUpgrade() ? Subprotocols.behind(Subprotocols.TOKEN, headers) : List.of();
        }
    }

    /** What becomes of a request. */
    public sealed interface Passage {
        record Refused(Problem problem) implements Passage {}

        /** The page may ask; its request is decided when it comes. */
        record Preflight() implements Passage {}

        /** @param actor null where it is not asked: for health, pages and signing in */
        record Admitted(@Nullable Actor actor) implements Passage {}
    }

    public Passage decide(Request request) {
        MultiMap headers = request.headers();
        List<String> hosts = headers.getAll("Host");
        if (hosts.size() != 1 || !callers.hostAllowed(hosts.getFirst())) {
            return new Passage.Refused(Problem.forbidden(
                    "This server is not addressed by that Host.",
                    "Call it by 127.0.0.1 or localhost, or add the name to holdfast.http.allowed-hosts."));
        }
        for (String origin : headers.getAll("Origin")) {
            if (!callers.originAllowed(origin, request.port())) {
                return new Passage.Refused(Problem.forbidden(
                        "Pages of this Origin may not call this server.",
                        "Call without an Origin header, or add the origin to holdfast.http.allowed-origins."));
            }
        }
        if (request.isPreflight()) {
            return new Passage.Preflight();
        }
        if (isHealth(request.path()) || request.isPage()) {
            return new Passage.Admitted(null);
        }
        if (request.path().equals(SESSION) && request.method().equals("POST")) {
            boolean browser = headers.contains("Origin") || headers.contains("Sec-Fetch-Site");
            return browser && !SameOrigin.allows(headers, true) ? elsewhere() : new Passage.Admitted(null);
        }
        if (headers.contains("Authorization") || !request.tokens().isEmpty()) {
            return bearer(request)
                    .map(actor -> decide(request, actor))
                    .orElseGet(() -> new Passage.Refused(Problem.unauthorized()));
        }
        return ofSession(request);
    }

    private Passage ofSession(Request request) {
        Optional<SessionHalves> halves =
                request.path().startsWith("/v1/") ? SessionHalves.of(request.headers()) : Optional.empty();
        Optional<Actor> signedIn = halves.flatMap(sessions::find).map(Sessions.SignedIn::actor);
        boolean isHalf = halves.isPresent() && halves.get().page() == null;
        if (signedIn.isEmpty() || (isHalf && request.path().equals(SESSION))) { // a page asks: it is to sign in anew
            return new Passage.Refused(Problem.unauthorized());
        }
        boolean changes = !request.isLooking() || request.isUpgrade();
        boolean isOwn = SameOrigin.allows(request.headers(), changes) && !(changes && isHalf);
        return isOwn ? decide(request, signedIn.get()) : elsewhere();
    }

    private static Passage elsewhere() {
        return new Passage.Refused(Problem.forbidden(
                "A session is for this server's own pages, and the request does not say that one of them made it.",
                "Use the console, behind a proxy that passes Host on; a program sends Authorization: Bearer <token>."));
    }

    private static Passage decide(Request request, Actor actor) {
        boolean looks = request.isLooking() || LOOKS.matcher(request.path()).matches();
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
        String header = request.headers().get("Authorization");
        if (header != null) {
            return token(header).flatMap(tokens::bearer);
        }
        return request.tokens().stream()
                .flatMap(token -> tokens.bearer(token).stream())
                .findFirst();
    }

    /** The token in an {@code Authorization} header. */
    public static Optional<String> token(String header) {
        return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(header.substring(BEARER.length()).strip())
                : Optional.empty();
    }
}
