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
import org.jspecify.annotations.Nullable;

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
    /** The digests of its cookie, of what its page keeps and of its token, and its end in milliseconds since 1970. */
    private static final Pattern LINE = Pattern.compile("([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{64}) (\\d{1,15})");

    private final Path file;
    private final Tokens tokens;
    private final InstantSource clock;
    private final Map<String, Session> byCookie = new ConcurrentHashMap<>();

    /** @param page the digest of what its page keeps, as {@code token} is the token's */
    private record Session(String page, String token, Instant ends) {
        boolean isOf(@Nullable String secret) {
            return secret == null || page.equals(Sha256.of(secret));
        }
    }

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
    public Optional<SessionHalves> begin(String token) {
        return tokens.bearer(token).map(actor -> begun(Sha256.of(token)));
    }

    /** For the token with that digest, which may be gone: then the session is nobody's. */
    synchronized SessionHalves begun(String token) {
        String secret = Tokens.random();
        SessionHalves halves = new SessionHalves(Tokens.random(), secret);
        Instant now = clock.instant();
        byCookie.values().removeIf(session -> !session.ends.isAfter(now));
        byCookie.entrySet().stream()
                .filter(session -> session.getValue().token.equals(token))
                .sorted(Comparator.comparing((Map.Entry<String, Session> session) -> session.getValue().ends)
                        .reversed())
                .skip(MOST - 1)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(byCookie::remove);
        byCookie.put(Sha256.of(halves.cookie()), new Session(Sha256.of(secret), token, now.plus(LIFE)));
        write();
        return halves;
    }

    /**
     * By its cookie, and where there is one by the page's half. Nobody for one that was never begun here, has ended, or
     * whose token is gone.
     */
    public Optional<SignedIn> find(SessionHalves halves) {
        return Optional.ofNullable(byCookie.get(Sha256.of(halves.cookie())))
                .filter(session -> session.isOf(halves.page()))
                .filter(session -> clock.instant().isBefore(session.ends))
                .flatMap(session -> tokens.bearerOf(session.token).map(actor -> new SignedIn(actor, session.ends)));
    }

    public synchronized void end(SessionHalves halves) {
        if (find(halves).isPresent()) {
            byCookie.remove(Sha256.of(halves.cookie()));
            write();
        }
    }

    private void read() {
        try {
            for (String line : Files.readAllLines(file)) {
                var parts = LINE.matcher(line);
                if (parts.matches()) {
                    Instant ends = Instant.ofEpochMilli(Long.parseLong(parts.group(4)));
                    byCookie.put(parts.group(1), new Session(parts.group(2), parts.group(3), ends));
                }
            }
        } catch (NoSuchFileException none) {
            // Nobody has signed in yet.
        } catch (IOException e) {
            LOG.warnf("%s cannot be read (%s): whoever was signed in signs in again", file, e.getMessage());
        }
    }

    private void write() {
        List<String> lines = byCookie.entrySet().stream()
                .map(one -> String.join(
                        " ",
                        one.getKey(),
                        one.getValue().page,
                        one.getValue().token,
                        Long.toString(one.getValue().ends.toEpochMilli())))
                .toList();
        try {
            OwnFiles.write(file, lines.stream().collect(Collectors.joining("\n", "", "\n")));
        } catch (IOException e) {
            LOG.warnf("%s cannot be written (%s): sessions are as they are until a restart", file, e.getMessage());
        }
    }
}
