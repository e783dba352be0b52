package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.task.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is signed in, for how long, and with which keys. */
class SessionsTest {
    private static final Actor AGENT = new Actor("ci", Role.AGENT, Map.of(), Mode.OPEN, null);

    @TempDir
    Path data;

    private final Map<String, Actor> others = new HashMap<>(Map.of(Sha256.of("of-ci"), AGENT));
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private Sessions start() {
        Tokens tokens = new Tokens("of-operator", digest -> Optional.ofNullable(others.get(digest)));
        return new Sessions(RuntimeFixture.config(data), tokens, () -> now);
    }

    private static Optional<Actor> actor(Sessions sessions, SessionHalves id) {
        return sessions.find(id).map(Sessions.SignedIn::actor);
    }

    @Test
    void oneIsWhoeverBearsItsToken() {
        Sessions sessions = start();
        assertThat(actor(sessions, sessions.begin("of-operator").orElseThrow())).contains(Actor.OPERATOR);
        assertThat(actor(sessions, sessions.begin("of-ci").orElseThrow())).contains(AGENT);
        assertThat(sessions.begin("of-nobody")).isEmpty();
        assertThat(actor(sessions, new SessionHalves("never", null))).isEmpty();
    }

    @Test
    void itsPageHasNoOtherHalf() {
        Sessions sessions = start();
        SessionHalves halves = sessions.begin("of-ci").orElseThrow();
        SessionHalves others = sessions.begin("of-ci").orElseThrow();
        assertThat(actor(sessions, new SessionHalves(halves.cookie(), null))).contains(AGENT);
        assertThat(actor(sessions, new SessionHalves(halves.cookie(), others.page())))
                .isEmpty();
        assertThat(actor(sessions, new SessionHalves(halves.cookie(), ""))).isEmpty();
        sessions.end(new SessionHalves(halves.cookie(), others.page()));
        assertThat(actor(sessions, halves)).contains(AGENT);
    }

    @Test
    void itHoldsForTwelveHours() {
        Sessions sessions = start();
        SessionHalves id = sessions.begin("of-ci").orElseThrow();
        assertThat(sessions.find(id).orElseThrow().ends()).isEqualTo(now.plus(Duration.ofHours(12)));
        now = now.plus(Duration.ofHours(12)).minusMillis(1);
        assertThat(actor(sessions, id)).contains(AGENT);
        now = now.plusMillis(1);
        assertThat(actor(sessions, id)).isEmpty();
        assertThat(actor(start(), id)).isEmpty();
    }

    @Test
    void itSurvivesARestartAndItsEndDoesToo() {
        Sessions before = start();
        SessionHalves id = before.begin("of-ci").orElseThrow();
        SessionHalves ended = before.begin("of-ci").orElseThrow();
        before.end(ended);
        assertThat(actor(before, ended)).isEmpty();
        Sessions after = start();
        assertThat(actor(after, id)).contains(AGENT);
        assertThat(actor(after, ended)).isEmpty();
    }

    @Test
    void itEndsWithItsToken() {
        Sessions sessions = start();
        SessionHalves id = sessions.begin("of-ci").orElseThrow();
        others.clear();
        assertThat(actor(sessions, id)).isEmpty();
        assertThat(actor(start(), id)).isEmpty();
    }

    @Test
    void theFileIsItsOwnersAndTellsNoHalf() throws IOException {
        SessionHalves id = start().begin("of-ci").orElseThrow();
        Path file = data.resolve("sessions");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).doesNotContain(id.cookie(), id.page(), "of-ci");
        try (Stream<Path> files = Files.list(data)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void whatIsBrokenInItIsPassedOver() throws IOException {
        SessionHalves id = start().begin("of-ci").orElseThrow();
        Path file = data.resolve("sessions");
        Files.writeString(file, "x\n" + Files.readString(file) + "a b 9999999999999999999\n\n");
        assertThat(actor(start(), id)).contains(AGENT);
        Files.write(file, new byte[] {(byte) 0xff, 0, 10});
        Sessions sessions = start();
        assertThat(actor(sessions, id)).isEmpty();
        assertThat(actor(sessions, sessions.begin("of-ci").orElseThrow())).contains(AGENT);
    }

    @Test
    void whereItCannotBeWrittenOneHoldsUntilARestart() throws IOException {
        Sessions sessions = start();
        Files.createDirectories(data.resolve("sessions").resolve("in the way"));
        assertThat(actor(sessions, sessions.begin("of-ci").orElseThrow())).contains(AGENT);
    }

    @Test
    void aTokenHasFiftyAtOnce() {
        Sessions sessions = start();
        SessionHalves others = sessions.begin("of-operator").orElseThrow();
        List<SessionHalves> all = new ArrayList<>();
        for (int i = 0; i < 51; i++) {
            now = now.plusMillis(1);
            all.add(sessions.begin("of-ci").orElseThrow());
        }
        assertThat(all.stream().filter(id -> sessions.find(id).isPresent())).isEqualTo(all.subList(1, 51));
        assertThat(actor(sessions, others)).contains(Actor.OPERATOR);
    }

    @Test
    void aKeyWorksOnce() {
        Sessions sessions = start();
        OneTimeKeys keys = new OneTimeKeys(sessions, () -> now);
        OneTimeKeys.Made made = keys.make("of-ci", "192.0.2.1");
        assertThat(made.ends()).isEqualTo(now.plusSeconds(60));
        assertThat(keys.use(made.key(), "192.0.2.1").flatMap(id -> actor(sessions, id)))
                .contains(AGENT);
        assertThat(keys.use(made.key(), "192.0.2.1")).isEmpty();
        assertThat(keys.use("never", "192.0.2.1")).isEmpty();
        assertThat(new OneTimeKeys(sessions, () -> now).use(made.key(), "192.0.2.1"))
                .isEmpty();
    }

    @Test
    void andForAMinute() {
        OneTimeKeys keys = new OneTimeKeys(start(), () -> now);
        String inTime = keys.make("of-ci", "192.0.2.1").key();
        String late = keys.make("of-ci", "192.0.2.1").key();
        now = now.plusSeconds(60).minusMillis(1);
        assertThat(keys.use(inTime, "192.0.2.1")).isPresent();
        now = now.plusMillis(1);
        assertThat(keys.use(late, "192.0.2.1")).isEmpty();
    }

    @Test
    void andFromTheAddressThatAskedForIt() {
        OneTimeKeys keys = new OneTimeKeys(start(), () -> now);
        String stolen = keys.make("of-ci", "192.0.2.1").key();
        assertThat(keys.use(stolen, "192.0.2.2")).isEmpty();
        assertThat(keys.use(stolen, "192.0.2.1")).as("it is used up").isEmpty();
        assertThat(keys.use(keys.make("of-ci", "127.0.0.1").key(), "0:0:0:0:0:0:0:1"))
                .isPresent();
        assertThat(keys.use(keys.make("of-ci", "127.0.0.1").key(), "192.0.2.1")).isEmpty();
    }
}
