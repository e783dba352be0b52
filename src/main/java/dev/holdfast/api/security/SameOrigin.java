package dev.holdfast.api.security;

import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request that a browser may have been made to send comes from this server's own pages. The cookie's SameSite
 * does not say so: another port of this machine is another origin of the same site. Browsers say it by
 * {@code Sec-Fetch-Site}, older ones, and over plain HTTP from afar, by {@code Origin} alone.
 */
final class SameOrigin {
    private SameOrigin() {}

    /** @param changes whether it does more than to look: then one of the two headers is needed */
    static boolean allows(MultiMap headers, boolean changes) {
        String site = headers.get("Sec-Fetch-Site");
        List<String> origins = headers.getAll("Origin");
        if (changes && site == null && origins.isEmpty()) {
            return false;
        }
        return fromHere(site, changes) && origins.stream().allMatch(origin -> isOf(headers.get("Host"), origin));
    }

    /** What a person has typed into the address bar may look, for that is no page's doing. */
    private static boolean fromHere(@Nullable String site, boolean changes) {
        return site == null || site.equals("same-origin") || (!changes && site.equals("none"));
    }

    private static boolean isOf(@Nullable String host, String origin) {
        return Set.of("http", "https").stream().anyMatch(scheme -> origin.equalsIgnoreCase(scheme + "://" + host));
    }
}
