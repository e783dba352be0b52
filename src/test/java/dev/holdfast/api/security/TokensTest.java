package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.kernel.Names;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.task.Sha256;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    @TempDir
    Path folder;

    private static Optional<Actor> nobody(String token) {
        return Optional.empty();
    }

    private Tokens start() {
        return new Tokens("", data(), TokensTest::nobody);
    }

    private Path data() {
        return folder.resolve("data");
    }

    private String file() throws IOException {
        return Files.readString(data().resolve("token")).strip();
    }

    @Test
    void theFirstStartMakesATokenThatOnlyItsOwnerReads() throws IOException {
        Tokens tokens = start();

        assertThat(tokens.bearer(file())).contains(Actor.OPERATOR);
        assertThat(file()).hasSizeGreaterThanOrEqualTo(43);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data().resolve("token"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(data())) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void theSecondStartKeepsIt() throws IOException {
        assertThat(start()).isNotNull();
        String first = file();

        assertThat(start().bearer(first)).contains(Actor.OPERATOR);
        assertThat(file()).isEqualTo(first);
    }

    @Test
    void aFileThatOthersCouldReadIsClosed() throws IOException {
        Files.createDirectories(data());
        Path token = Files.writeString(data().resolve("token"), "mine\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(start().bearer("mine")).contains(Actor.OPERATOR);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
    }

    @Test
    void aConfiguredTokenNeedsNoFile() {
        Tokens tokens = new Tokens("abc", data(), TokensTest::nobody);

        assertThat(tokens.bearer("abc")).contains(Actor.OPERATOR);
        assertThat(data()).doesNotExist();
        assertThatThrownBy(() -> new Tokens("a b", data(), TokensTest::nobody))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void othersAreAskedForWhatIsNotTheOperators() {
        Actor agent = new Actor("ci", Role.AGENT, Map.of(), Mode.OPEN, null);
        Tokens tokens = new Tokens(
                "abc",
                data(),
                digest -> digest.equals(Sha256.of("abc")) || digest.equals(Sha256.of("def"))
                        ? Optional.of(agent)
                        : Optional.empty());
        assertThat(tokens.bearer("abc")).contains(Actor.OPERATOR);
        assertThat(tokens.bearer("def")).contains(agent);
        assertThat(tokens.bearer("ghi")).isEmpty();
        assertThat(tokens.bearer("")).isEmpty();
        assertThat(tokens.bearerOf(Sha256.of("abc"))).contains(Actor.OPERATOR);
        assertThat(tokens.bearerOf(Sha256.of("def"))).contains(agent);
        assertThat(tokens.bearerOf(Sha256.of("ghi"))).isEmpty();
    }

    @Test
    void anEmptyFileIsNotTakenForAToken() throws IOException {
        Files.createDirectories(data());
        Files.writeString(data().resolve("token"), "\n");

        assertThatThrownBy(this::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(data().resolve("token") + " (it is empty)");
    }

    @Test
    void bytesThatAreNoTextAreSaidToBeNone() throws IOException {
        Files.createDirectories(data());
        Files.write(data().resolve("token"), new byte[] {(byte) 0xff, (byte) 0xfe});

        assertThatThrownBy(this::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(data().resolve("token") + " (it is not text). Write one into it");
    }

    @Test
    void whatIsNoFileIsNotWaitedFor() throws IOException {
        Files.createDirectories(data());
        Names.fifo(data().resolve("token"));

        assertThatThrownBy(this::start)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("it is no file");
    }

    @Test
    void startsAtOnceAgreeOnOneToken() throws Exception {
        Callable<Tokens> start = this::start;
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var started : threads.invokeAll(List.of(start, start, start, start, start, start, start, start))) {
                assertThat(started.get().bearer(file())).contains(Actor.OPERATOR);
            }
        }
    }
}
