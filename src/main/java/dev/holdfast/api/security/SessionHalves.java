package dev.holdfast.api.security;

import io.vertx.core.MultiMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a browser keeps of a session, in two places. The cookie goes to every port of this machine, so to what a task
 * serves there too; alone it changes nothing. The page's half goes with the requests of this server's own pages alone;
 * but a script in the page can read it, and the cookie it cannot. Immutable.
 *
 * @param page what the page keeps; null where a request has the cookie alone
 */
public record SessionHalves(String cookie, @Nullable String page) {
    private static final String HEADER = "Holdfast-Page-Secret";

    /** Those that a request has; nothing where it has no cookie. */
    public static Optional<SessionHalves> of(MultiMap headers) {
        String page = Optional.ofNullable(headers.get(HEADER))
                .or(() ->
                        Subprotocols.behind(Subprotocols.PAGE, headers).stream().findFirst())
                .orElse(null);
        return SessionCookie.half(headers).map(cookie -> new SessionHalves(cookie, page));
    }
}
