package dev.holdfast.api.security;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.task.Sha256;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Who is signed in with a browser. A session stands for the token that began it: it is whoever bears that token now,
 * and nobody when the token is gone. Those that began are in {@code <data>/sessions}, mode 0600, by their digests
 * alone, and survive a restart. Thread-safe; only beginning and ending one writes to the disk.
 */
@Singleton
public final class Sessions {
    /** How long one holds, whatever is done with it. */
    public static final Duration LIFE = Duration.ofHours(12);

    private static final Logger LOG = Logger.getLogger(Sessions.class);
    /** Of one token; one more ends the oldest. */
    private static final int MOST = 50;
    /** The digests of its id and of its token, and its end in milliseconds since 1970. */
    private static final Pattern LINE = Pattern.compile("([0-9a-f]{64}) ([0-9a-f]{64}) (\\d{1,15})");

    private final Path file;
    private final Tokens tokens;
    private final InstantSource clock;
    private final Map<String, Session> byDigest = new ConcurrentHashMap<>();

    /** @param token its digest */
    private record Session(String token, Instant ends) {}

    /** Who is signed in, and until when. */
    public record SignedIn(Actor actor, Instant ends) {}

    public Sessions(HoldfastConfig config, Tokens tokens, InstantSource clock) {
        this.file = config.dataDir().resolve("sessions");
        this.tokens = tokens;
        this.clock = clock;
        read();
    }

    /**
     * @param token that is presented
     * @return what the browser keeps; nothing for a token that nobody bears
     */
    public Optional<String> begin(String token) {
        return tokens.bearer(token).map(actor -> begun(Sha256.of(token)));
    }

    /** For the token with that digest, which may be gone: then the session is nobody's. */
    synchronized String begun(String token) {
        String id = Tokens.random();
        Instant now = clock.instant();
        byDigest.values().removeIf(session -> !session.ends.isAfter(now));
        byDigest.entrySet().stream()
                .filter(session -> session.getValue().token.equals(token))
                .sorted(Comparator.comparing((Map.Entry<String, Session> session) -> session.getValue().ends)
                        .reversed())
                .skip(MOST - 1)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(byDigest::remove);
        byDigest.put(Sha256.of(id), new Session(token, now.plus(LIFE)));
        write();
        return id;
    }

    /** Nobody for one that was never begun here, has ended, or whose token is gone. */
    public Optional<SignedIn> find(String id) {
        return Optional.ofNullable(byDigest.get(Sha256.of(id)))
                .filter(session -> clock.instant().isBefore(session.ends))
                .flatMap(session -> tokens.bearerOf(session.token).map(actor -> new SignedIn(actor, session.ends)));
    }

    public synchronized void end(String id) {
        if (byDigest.remove(Sha256.of(id)) != null) {
            write();
        }
    }

    private void read() {
        try {
            for (String line : Files.readAllLines(file)) {
                var parts = LINE.matcher(line);
                if (parts.matches()) {
                    Instant ends = Instant.ofEpochMilli(Long.parseLong(parts.group(3)));
                    byDigest.put(parts.group(1), new Session(parts.group(2), ends));
                }
            }
        } catch (NoSuchFileException none) {
            // Nobody has signed in yet.
        } catch (IOException e) {
            LOG.warnf("%s cannot be read (%s): whoever was signed in signs in again", file, e.getMessage());
        }
    }

    private void write() {
        List<String> lines = byDigest.entrySet().stream()
                .map(session -> session.getKey() + " " + session.getValue().token + " "
                        + session.getValue().ends.toEpochMilli())
                .toList();
        try {
            OwnFiles.write(file, lines.stream().collect(Collectors.joining("\n", "", "\n")));
        } catch (IOException e) {
            LOG.warnf("%s cannot be written (%s): sessions are as they are until a restart", file, e.getMessage());
        }
    }
}
