package dev.holdfast.tool.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.runtime.RuntimeFixture;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command may leave where its session's directory is kept: its shell writes there, and so may it. */
class BashSessionsTest {
    @TempDir
    Path data;

    private Path cwd = Path.of("cwd");

    @BeforeEach
    void begin() throws IOException {
        assertThat(next()).isNull();
        try (Stream<Path> files = Files.walk(data.resolve("shells"))) {
            cwd = files.filter(file -> file.endsWith("cwd")).findFirst().orElseThrow();
        }
    }

    private @Nullable String next() {
        return new BashSessions(() -> Actor.OPERATOR, RuntimeFixture.config(data))
                .place("s", null)
                .workdir();
    }

    private void assertItBeginsAnew() throws IOException {
        Refusal refusal = catchThrowableOfType(Refusal.class, this::next);

        assertThat(refusal).isNotNull();
        assertThat(refusal.kind()).isEqualTo(ErrorKind.WORKDIR_NOT_FOUND);
        assertThat(refusal.getMessage()).hasSizeLessThan(5000);
        assertThat(cwd).isEmptyFile();
        assertThat(next()).isNull();
    }

    @Test
    void aDirectoryIsGoneOnIn() throws IOException {
        Files.writeString(cwd, data + "\n");
        assertThat(next()).isEqualTo(data.toString());
        Files.writeString(cwd, data + "/gone\n");
        assertItBeginsAnew();
    }

    /** The name of a directory is any bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"/tmp/\u00e9\n", "/tmp/\0\n", "\0"})
    void aNameThatIsNoTextEndsNoSession(String latin) throws IOException {
        Files.write(cwd, latin.getBytes(StandardCharsets.ISO_8859_1));
        assertItBeginsAnew();
    }

    /** It may well be there. */
    @Test
    void aNameInOtherBytesIsSaidToBeThat() throws IOException {
        Files.write(cwd, "/tmp/\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));

        Refusal refusal = catchThrowableOfType(Refusal.class, this::next);

        assertThat(refusal).hasMessage("The name of this session's directory is not UTF-8; nothing was run.");
    }

    @Test
    void moreThanAPathIsNotRead() throws IOException {
        Files.writeString(cwd, data + "/".repeat(4096) + "\n");
        assertItBeginsAnew();
        try (var file = new RandomAccessFile(cwd.toFile(), "rw")) {
            file.setLength(3L << 30);
        }
        assertItBeginsAnew();
    }
}
