package dev.holdfast.policy.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.task.Sandbox;
import dev.holdfast.task.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who bears which token, when the file is read, and what becomes of one that can't be used. */
class TokenFileTest {
    /** {@code printf %s secret | sha256sum}. */
    private static final String OF_SECRET = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
    /** {@code printf %s other | sha256sum}. */
    private static final String OF_OTHER = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa";

    @TempDir
    Path folder;

    private final AtomicLong clock = new AtomicLong();
    private Path path = Path.of("tokens.yaml");

    @BeforeEach
    void place() {
        path = folder.resolve("tokens.yaml");
    }

    private TokenFile file(boolean optional) {
        return new TokenFile(path, optional, clock::get);
    }

    private void aSecondLater() {
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    private void write(String text) throws IOException {
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private static String token(String name, String sha256) {
        return "tokens:\n  - {name: " + name + ", sha256: " + sha256 + ", role: agent}\n";
    }

    private static Optional<Actor> bearer(TokenFile file, String token) {
        return file.bearer(Sha256.of(token));
    }

    private static String name(TokenFile file, String token) {
        return bearer(file, token).map(Actor::name).orElse("nobody");
    }

    @Test
    void aTokenIsItsBearers() throws IOException {
        write("""
                tokens:
                  - name: ci.bot-1
                    sha256: %s
                    role: agent
                    labels: {team: web, "on": call}
                    mode: ask_destructive
                    sandbox: workspace_write
                  - {name: watcher, sha256: %s, role: observer, sandbox: none}
                """.formatted(OF_SECRET, OF_OTHER.toUpperCase(java.util.Locale.ROOT)));
        TokenFile file = file(true);
        assertThat(bearer(file, "secret"))
                .contains(new Actor(
                        "ci.bot-1",
                        Role.AGENT,
                        Map.of("team", "web", "on", "call"),
                        Mode.ASK_DESTRUCTIVE,
                        new Sandbox(Sandbox.Files.WORKSPACE_WRITE, false)));
        assertThat(bearer(file, "other")).contains(new Actor("watcher", Role.OBSERVER, Map.of(), Mode.OPEN, null));
        assertThat(bearer(file, "Secret")).isEmpty();
        assertThat(bearer(file, OF_SECRET)).isEmpty();
        assertThat(bearer(file, "")).isEmpty();
    }

    @Test
    void oneThatIsNotThereLetsNobodyIn() throws IOException {
        TokenFile file = file(true);
        assertThat(file.isThere()).isFalse();
        assertThat(name(file, "secret")).isEqualTo("nobody");
        assertThat(file(false).isThere()).isTrue();
        write(token("a", OF_SECRET));
        assertThat(name(file, "secret")).isEqualTo("nobody");
        aSecondLater();
        assertThat(file.isThere()).isTrue();
        assertThat(name(file, "secret")).isEqualTo("a");
        Files.delete(path);
        aSecondLater();
        assertThat(name(file, "secret")).isEqualTo("a");
        aSecondLater();
        assertThat(name(file, "secret")).isEqualTo("nobody");
    }

    @Test
    void aBrokenOneKeepsTheOldTokensUntilItIsMended() throws IOException {
        write(token("a", OF_SECRET));
        TokenFile file = file(true);
        write("tokens: [\n");
        aSecondLater();
        assertThat(name(file, "secret")).isEqualTo("a");
        write(token("bee", OF_OTHER));
        aSecondLater();
        assertThat(name(file, "secret")).isEqualTo("nobody");
        assertThat(name(file, "other")).isEqualTo("bee");
    }

    /** The server was killed while it wrote: what it left goes with the next change. */
    @Test
    void whatWasNotWrittenToItsEndIsNotLeft() throws IOException {
        Path unfinished = Files.writeString(folder.resolve("tokens.yaml.new"), "tokens:\n  - {na");
        TokenFile file = file(true);

        file.add(new Actor("alice", Role.AGENT, Map.of(), Mode.OPEN, null), OF_SECRET);

        assertThat(unfinished).doesNotExist();
        assertThat(folder).isDirectoryContaining(found -> found.equals(path));
        assertThat(Files.getPosixFilePermissions(path)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(bearer(file, "secret")).isPresent();
    }

    @Test
    void oneThatWasNeverWellLetsNobodyIn() throws IOException {
        write(token("a", OF_SECRET) + "  - {name: a, sha256: " + OF_OTHER + ", role: agent}\n");
        TokenFile file = file(true);
        assertThat(file.isThere()).isTrue();
        assertThat(name(file, "secret")).isEqualTo("nobody");
        write(token("a", OF_SECRET));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--rw-"));
        assertThat(name(file(true), "secret")).isEqualTo("nobody");
        Files.delete(path);
        Files.createDirectory(path);
        assertThat(name(file(true), "secret")).isEqualTo("nobody");
    }

    /** What is wrong in the second of two tokens is told with its line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: a, sha256: OTHER, role: agent} | the name `a` stands there twice",
                "{name: b, sha256: SECRET, role: agent} | `sha256` stands there twice",
                "{name: b, sha256: abc, role: agent} | `sha256` is no SHA-256",
                "{name: b, sha256: OTHER0, role: agent} | `sha256` is no SHA-256",
                "{name: b, sha256: 17, role: agent} | `sha256` must be a text",
                "{name: b, sha256: OTHER, role: king} | `role` is not `king`. Write one of operator, agent, observer",
                "{name: b, sha256: OTHER} | a token has no `role`",
                "{sha256: OTHER, role: agent} | a token has no `name`",
                "{name: b, role: agent} | a token has no `sha256`",
                "{name: b, sha256: OTHER, role: agent, mode: shut} | `mode` is not `shut`",
                "{name: b, sha256: OTHER, role: agent, sandbox: iron} | `sandbox` is not `iron`",
                "{name: b, sha256: OTHER, role: agent, sandbox: wall} | `sandbox` is not",
                "{name: b, sha256: OTHER, role: agent, colour: red} | `colour` is no key of `tokens`",
                "{name: b, sha256: OTHER, role: agent, labels: [x]} | `labels` must be a mapping",
                "{name: b, sha256: OTHER, role: agent, labels: {x=y: z}} | is no label",
                "{name: operator, sha256: OTHER, role: agent} | `name` must not be `operator`",
                "{name: Operator, sha256: OTHER, role: agent} | `name` must not be `Operator`",
                "{name: system, sha256: OTHER, role: agent} | `name` must not be `system`",
                "{name: Holdfast, sha256: OTHER, role: agent} | `name` must not be `Holdfast`",
                "{name: a b, sha256: OTHER, role: agent} | `name` is no name for a token",
                "{name: ../b, sha256: OTHER, role: agent} | `name` is no name for a token",
                "{name: LONG, sha256: OTHER, role: agent} | `name` is no name for a token",
                "{name: '', sha256: OTHER, role: agent} | `name` must not be blank",
                "b | must be a mapping",
            })
    void badInputIsToldWithItsLine(String token, String problem) {
        String second =
                token.replace("SECRET", OF_SECRET).replace("OTHER", OF_OTHER).replace("LONG", "n".repeat(65));
        assertThatThrownBy(() -> TokenFile.parse(token("a", OF_SECRET) + "  - " + second + "\n"))
                .isInstanceOf(PolicyFileException.class)
                .hasMessageContaining("line 3: ")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | Begin with `tokens:`",
                "{} | `tokens` is missing",
                "tokens: {} | `tokens` must be a list",
                "{version: 1, tokens: []} | `version` is no key",
            })
    void theWholeIsReadStrictlyToo(String text, String problem) {
        assertThatThrownBy(() -> TokenFile.parse(text))
                .isInstanceOf(PolicyFileException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aNameHasUpTo64Characters() throws PolicyFileException {
        String name = "n".repeat(64);
        assertThat(TokenFile.parse(token(name, OF_SECRET)).get(OF_SECRET))
                .extracting(Actor::name)
                .isEqualTo(name);
        assertThat(TokenFile.parse("tokens: []")).isEmpty();
    }
}
