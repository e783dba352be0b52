package dev.holdfast.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.recovery.DataFolder.UnusableException;
import dev.holdfast.runtime.RuntimeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which folders are refused, and with which remedy; what a server does then is for {@code DataFolderIT}. */
class DataFolderTest {
    private Path folder = Path.of("");

    @BeforeEach
    void makeFolder(@TempDir Path elsewhere) throws IOException {
        folder = Files.createDirectory(
                elsewhere.toRealPath().resolve("data"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static String refusal(Path folder) {
        var data = new DataFolder(RuntimeFixture.config(folder));
        var refused = catchThrowableOfType(UnusableException.class, data::open);
        assertThat(refused).as(folder.toString()).isNotNull();
        assertThat(refused.getMessage()).contains(folder.toString()).hasLineCount(1);
        return refused.getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-x---", "rwx---r--", "rwxrwxrwx"})
    void openToOthers(String mode) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));

        assertThat(refusal(folder)).contains("open to others (" + mode + ")", "chmod 700 " + folder);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void somebodyElses() throws IOException {
        boolean mayGive = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        if (mayGive) {
            Files.setAttribute(folder, "unix:uid", 65_533);
        }

        assertThat(refusal(mayGive ? folder : Path.of("/root")))
                .contains("belongs to", "not to", "Set HOLDFAST_DATA_DIR to a folder of your own.");
    }

    @Test
    void aFile() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "kept");

        assertThat(refusal(file)).contains("is not a folder", "Set HOLDFAST_DATA_DIR");
        assertThat(file).hasContent("kept");
        assertThat(refusal(file.resolve("below"))).contains("cannot be made (", "Set HOLDFAST_DATA_DIR");
    }

    @Test
    void whatIsInTheWayIsNamed() throws IOException {
        Path lock = Files.createDirectory(folder.resolve("lock"));
        assertThat(refusal(folder)).contains(lock + ": Is a directory");
        Files.delete(lock);
        Path tasks = Files.createFile(folder.resolve("tasks"));
        assertThat(refusal(folder)).contains(tasks + ": it is no folder");
    }

    @Test
    void aPathThatTheDatabaseCannotHave() {
        Path odd = folder.resolve("a;b");

        assertThat(refusal(odd)).contains("semicolon", "Set HOLDFAST_DATA_DIR");
        assertThat(odd).doesNotExist();
    }

    @Test
    void aPathTooLongForASocket() {
        int most = 103 - "/keeper/12345678.s".length();
        Path longer = folder.resolve("d".repeat(most + 5 - folder.toString().length() - 1));

        assertThat(refusal(longer)).contains("5 bytes too long", longer + "/keeper/12345678.s", "HOLDFAST_DATA_DIR");
        assertThat(longer).doesNotExist();
    }
}
