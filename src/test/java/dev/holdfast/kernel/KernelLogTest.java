package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KernelLogTest {
    @TempDir
    Path folder;

    /** Containers put an empty file in its place, or {@code /dev/null}: it ends, as a log does not. */
    @Test
    @Timeout(60)
    void whatIsPutInItsPlaceEnds() throws Exception {
        List<String> read = new ArrayList<>();
        KernelLog.read(Files.createFile(folder.resolve("kmsg")), read::add);
        KernelLog.read(Path.of("/dev/null"), read::add);
        assertThat(String.join("", read)).isEmpty();
        KernelLog.read(Files.writeString(folder.resolve("text"), "text"), read::add);
        assertThat(String.join("", read)).isEqualTo("text");
    }
}
