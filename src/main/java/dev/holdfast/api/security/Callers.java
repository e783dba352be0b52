package dev.holdfast.api.security;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * By which names this server may be addressed, and from which web origins. A name that is not known may be one that a
 * web page made point at this machine (DNS rebinding); an origin that is not known is a page that has no business here.
 * Immutable.
 */
public final class Callers {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Set<String> ANY_ADDRESS = Set.of("0.0.0.0", "::", "[::]");
    private static final int HTTP_PORT = 80;

    private final Set<String> hosts;
    private final Set<String> origins;

    /**
     * @param boundHost the address the server listens on; every address is no name
     * @param moreHosts names without a port
     * @param origins as a browser sends them: {@code scheme://host[:port]}
     */
    public Callers(String boundHost, Collection<String> moreHosts, Collection<String> origins) {
        Set<String> all = new HashSet<>(LOOPBACK);
        if (!ANY_ADDRESS.contains(boundHost)) {
            all.add(bracketed(boundHost));
        }
        moreHosts.forEach(host -> all.add(bracketed(host.strip())));
        this.hosts = Set.copyOf(all);
        this.origins = origins.stream()
                .map(origin -> origin.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String bracketed(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.indexOf(':') >= 0 && !lower.startsWith("[") ? "[" + lower + "]" : lower;
    }

    /** @param host the {@code Host} header: a name, perhaps with a port */
    public boolean hostAllowed(@Nullable String host) {
        return host != null && name(host).filter(hosts::contains).isPresent();
    }

    /** @param port the port that the request came to */
    public boolean originAllowed(String origin, int port) {
        String lower = origin.toLowerCase(Locale.ROOT);
        if (origins.contains(lower)) {
            return true;
        }
        String ending = port == HTTP_PORT ? "" : ":" + port;
        return hosts.stream().anyMatch(host -> lower.equals("http://" + host + ending));
    }

    /** The name in a {@code Host} header, in lower case; nothing when it is not of that form. */
    private static Optional<String> name(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        int from = lower.startsWith("[") ? lower.indexOf(']') : 0;
        int colon = from < 0 ? -1 : lower.indexOf(':', from);
        String port = colon < 0 ? "" : lower.substring(colon + 1);
        boolean digits = port.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? Optional.of(colon < 0 ? lower : lower.substring(0, colon)) : Optional.empty();
    }
}
