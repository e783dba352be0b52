package dev.holdfast.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderSpaceTest {
    @TempDir
    Path dataDir;

    @Test
    void itIsLowBelowTheFloor() {
        long usable = new DataFolderSpace(dataDir, 0).usable();

        assertThat(usable).isPositive();
        assertThat(new DataFolderSpace(dataDir, 0).low()).isFalse();
        assertThat(new DataFolderSpace(dataDir, Long.MAX_VALUE).low()).isTrue();
        assertThat(new DataFolderSpace(dataDir, 5).floor()).isEqualTo(5);
    }
}
