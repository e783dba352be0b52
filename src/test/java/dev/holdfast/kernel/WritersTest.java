package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WritersTest {
    @TempDir
    Path folder;

    @Test
    void tellsWhetherSomebodyCanWrite() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        assertThat(Writers.exist(file)).isFalse();

        try (FileChannel _ = FileChannel.open(file, StandardOpenOption.READ)) {
            assertThat(Writers.exist(file)).isFalse();
        }
        try (FileChannel _ = FileChannel.open(file, StandardOpenOption.APPEND)) {
            assertThat(Writers.exist(file)).isTrue();
        }
        assertThat(Writers.exist(file)).isFalse();
    }

    @Test
    void tellsOfAnotherProcess() throws Exception {
        Path file = folder.resolve("out");
        Process writer = new ProcessBuilder("sh", "-c", "exec cat >>\"$0\"", file.toString()).start();
        try {
            org.awaitility.Awaitility.await().until(() -> Writers.exist(file));
        } finally {
            writer.getOutputStream().close();
            writer.waitFor();
        }
        assertThat(Writers.exist(file)).isFalse();
    }

    @Test
    void aMissingFileHasNone() {
        assertThat(Writers.exist(folder.resolve("none"))).isFalse();
    }

    @Test
    void whereThereAreNoLeasesThereIsNone() {
        assertThat(Writers.exist(Path.of("/dev/null"))).isFalse();
    }
}
