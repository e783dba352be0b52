package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnFilesTest {
    @TempDir
    Path folder;

    @Test
    void isForNobodyElse() throws IOException {
        Path inner = folder.resolve("outer").resolve("inner");
        OwnFiles.folder(inner);
        OwnFiles.folder(inner);
        OwnFiles.write(inner.resolve("file"), "text");

        assertThat(rights(inner.getParent())).isEqualTo("rwx------");
        assertThat(rights(inner)).isEqualTo("rwx------");
        assertThat(rights(inner.resolve("file"))).isEqualTo("rw-------");
    }

    @Test
    void takesThePlaceOfWhatWasThere() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "before");
        Files.writeString(folder.resolve("file.new"), "of a server that was killed here");
        OwnFiles.write(file, "after", "r-x------");

        assertThat(file).hasContent("after");
        assertThat(rights(file)).isEqualTo("r-x------");
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }

    private static String rights(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
