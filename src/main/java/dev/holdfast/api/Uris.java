package dev.holdfast.api;

import dev.holdfast.api.problem.Problem;
import dev.holdfast.runtime.call.Refusal;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Whether the address of a request can be read at all (RFC 3986), before anything takes it apart. Quarkus would look at
 * it in the same way, and answer a bare 400: that is switched off where the server begins.
 */
final class Uris {
    private Uris() {}

    /** @param uri of the request line */
    static boolean readable(String uri) {
        try {
            new URI(uri);
            return true;
        } catch (URISyntaxException unreadable) {
            return false;
        }
    }

    static Problem unreadable() {
        return Problem.of(
                Refusal.invalid(
                        "",
                        "The request's URI cannot be read.",
                        "Write every byte that a URI cannot hold, `%` itself too, as a percent sign and two hexadecimal digits."));
    }
}
