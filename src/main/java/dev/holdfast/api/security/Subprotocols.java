package dev.holdfast.api.security;

import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a WebSocket brings to be let in: a page can give it no headers, but names of subprotocols. */
public final class Subprotocols {
    /** Before a token. */
    static final String TOKEN = "bearer.";
    /** Before the half of a session that its page keeps. */
    static final String PAGE = "page.";

    private static final String OFFERED = "Sec-WebSocket-Protocol";
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    private Subprotocols() {}

    /** What follows that beginning in those that have it. */
    static List<String> behind(String beginning, MultiMap headers) {
        return offered(headers)
                .filter(protocol -> protocol.startsWith(beginning))
                .map(protocol -> protocol.substring(beginning.length()))
                .toList();
    }

    /** Leaves of the offered ones only those that let in: one of them is accepted, whatever it holds. */
    public static void offerKnown(MultiMap headers) {
        List<String> known = offered(headers)
                .filter(protocol -> protocol.startsWith(TOKEN) || protocol.startsWith(PAGE))
                .toList();
        headers.remove(OFFERED);
        if (!known.isEmpty()) {
            headers.set(OFFERED, String.join(", ", known));
        }
    }

    private static Stream<String> offered(MultiMap headers) {
        return COMMA.splitAsStream(
                Objects.requireNonNullElse(headers.get(OFFERED), "").strip());
    }
}
