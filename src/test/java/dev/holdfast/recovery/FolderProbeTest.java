package dev.holdfast.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.recovery.DataFolder.UnusableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderProbeTest {
    @TempDir
    Path folder;

    @Test
    void leavesNothing() throws IOException {
        Files.createFile(folder.resolve(".fifo")); // of a server that was killed in its probe
        Files.createFile(folder.resolve(".socket"));

        new FolderProbe(folder).run();

        assertThat(folder).isEmptyDirectory();
    }

    /**
     * No file system that Linux always has takes FIFOs and no sockets; where a socket cannot be bound for its name it
     * is the same.
     */
    @Test
    void tellsOfSockets() throws IOException {
        Path deep = Files.createDirectory(folder.resolve("d".repeat(120)));

        assertThatThrownBy(() -> new FolderProbe(deep).run())
                .isInstanceOf(UnusableException.class)
                .hasMessageContainingAll(deep.toString(), "without Unix sockets", "Set HOLDFAST_DATA_DIR");
        assertThat(deep).isEmptyDirectory();
    }
}
