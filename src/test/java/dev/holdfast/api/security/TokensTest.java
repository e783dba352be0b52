package dev.holdfast.api.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import dev.holdfast.config.HoldfastConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    @TempDir
    Path folder;

    private HoldfastConfig config(String... more) {
        var values = new java.util.HashMap<String, String>();
        values.put("holdfast.data-dir", data().toString());
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        return new SmallRyeConfigBuilder()
                .withMapping(HoldfastConfig.class)
                .addDefaultInterceptors()
                .withSources(new PropertiesConfigSource(Map.of("user.home", "/nowhere"), "home", 1))
                .withSources(new PropertiesConfigSource(values, "test", 100))
                .build()
                .getConfigMapping(HoldfastConfig.class);
    }

    private Path data() {
        return folder.resolve("data");
    }

    private String file() throws IOException {
        return Files.readString(data().resolve("token")).strip();
    }

    @Test
    void theFirstStartMakesATokenThatOnlyItsOwnerReads() throws IOException {
        Tokens tokens = new Tokens(config());

        assertThat(tokens.accepts(file())).isTrue();
        assertThat(file()).hasSizeGreaterThanOrEqualTo(43);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data().resolve("token"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data()))).isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(data())) {
            assertThat(files).hasSize(1);
        }
        assertThat(tokens.toString()).doesNotContain(file());
    }

    @Test
    void theSecondStartKeepsIt() throws IOException {
        new Tokens(config());
        String first = file();

        assertThat(new Tokens(config()).accepts(first)).isTrue();
        assertThat(file()).isEqualTo(first);
    }

    @Test
    void aFileThatOthersCouldReadIsClosed() throws IOException {
        Files.createDirectories(data());
        Path token = Files.writeString(data().resolve("token"), "mine\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(new Tokens(config()).accepts("mine")).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token))).isEqualTo("rw-------");
    }

    @Test
    void aConfiguredTokenNeedsNoFile() {
        Tokens tokens = new Tokens(config("holdfast.token", "abc"));

        assertThat(tokens.accepts("abc")).isTrue();
        assertThat(tokens.subprotocol()).isEqualTo("bearer.abc");
        assertThat(data()).doesNotExist();
        assertThatThrownBy(() -> new Tokens(config("holdfast.token", "a b")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEmptyFileIsNotTakenForAToken() throws IOException {
        Files.createDirectories(data());
        Files.writeString(data().resolve("token"), "\n");

        assertThatThrownBy(() -> new Tokens(config())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void startsAtOnceAgreeOnOneToken() throws Exception {
        Callable<Tokens> start = () -> new Tokens(config());
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (var started : threads.invokeAll(List.of(start, start, start, start, start, start, start, start))) {
                assertThat(started.get().accepts(file())).isTrue();
            }
        }
    }
}
