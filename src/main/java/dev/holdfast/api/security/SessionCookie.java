package dev.holdfast.api.security;

import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The cookie that carries one half of a session. Its name has the port that the browser calls, since cookies are kept
 * by the name of a machine alone: two servers there would else overwrite each other's.
 */
public final class SessionCookie {
    private static final String ATTRIBUTES = "; Path=/v1; HttpOnly; SameSite=Strict";
    private static final Pattern SEMICOLON = Pattern.compile(";");
    private static final Pattern PORT = Pattern.compile("(?<=:)\\d+$");

    private SessionCookie() {}

    /** The cookie's half; nothing where the request has none, or several, which is no browser's doing. */
    static Optional<String> half(MultiMap headers) {
        String name = name(headers) + "=";
        List<String> found = headers.getAll("Cookie").stream()
                .flatMap(SEMICOLON::splitAsStream)
                .map(String::strip)
                .filter(cookie -> cookie.startsWith(name))
                .map(cookie -> cookie.substring(name.length()))
                .toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    /** A {@code Set-Cookie} header. */
    public static String kept(MultiMap headers, SessionHalves halves, boolean https) {
        return name(headers) + "=" + halves.cookie() + ATTRIBUTES + "; Max-Age=" + Sessions.LIFE.toSeconds()
                + (https ? "; Secure" : "");
    }

    /** The same that ends it. */
    public static String forgotten(MultiMap headers) {
        return name(headers) + "=" + ATTRIBUTES + "; Max-Age=0";
    }

    private static String name(MultiMap headers) {
        var port = PORT.matcher(headers.get("Host"));
        return port.find() ? "holdfast_" + port.group() : "holdfast";
    }
}
