package dev.holdfast.api.security;

import dev.holdfast.task.Sha256;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keys that let a browser in once: for a minute, from the address that asked for one, as whoever bears the token that
 * it was asked for with. They are in memory, by their digests, so that the time of finding one tells nothing of any.
 * Thread-safe.
 */
@Singleton
public final class OneTimeKeys {
    private static final Duration LIFE = Duration.ofMinutes(1);

    private final Sessions sessions;
    private final InstantSource clock;
    private final Map<String, Door> byDigest = new ConcurrentHashMap<>();

    /** @param token its digest */
    private record Door(String token, String address, Instant ends) {}

    /** @param ends from when on it opens nothing */
    public record Made(String key, Instant ends) {}

    public OneTimeKeys(Sessions sessions, InstantSource clock) {
        this.sessions = sessions;
        this.clock = clock;
    }

    /**
     * @param token of whoever it is for
     * @param address of who asks, in figures
     */
    public Made make(String token, String address) {
        Instant now = clock.instant();
        byDigest.values().removeIf(door -> !door.ends.isAfter(now));
        var made = new Made(Tokens.random(), now.plus(LIFE));
        byDigest.put(Sha256.of(made.key), new Door(Sha256.of(token), machine(address), made.ends));
        return made;
    }

    /**
     * Uses the key up, also where it opens nothing. A session, as {@link Sessions#begin}; nothing for a key that is not
     * right.
     */
    public Optional<SessionHalves> use(String key, String address) {
        return Optional.ofNullable(byDigest.remove(Sha256.of(key)))
                .filter(door -> clock.instant().isBefore(door.ends) && door.address.equals(machine(address)))
                .map(door -> sessions.begun(door.token));
    }

    /** A browser may find this machine by another of its loopback addresses than the command does. */
    private static String machine(String address) {
        try {
            return InetAddress.ofLiteral(address).isLoopbackAddress() ? "loopback" : address;
        } catch (IllegalArgumentException noAddress) {
            return address;
        }
    }
}
