package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class AbsoluteDatabasePathTest {
    @Test
    void makesTheFilesPathAbsoluteAndLeavesTheRest() {
        String here = Path.of("").toAbsolutePath().toString();

        assertThat(AbsoluteDatabasePath.absolute("jdbc:h2:file:data/holdfast;WRITE_DELAY=0"))
                .isEqualTo("jdbc:h2:file:" + here + "/data/holdfast;WRITE_DELAY=0");
        assertThat(AbsoluteDatabasePath.absolute("jdbc:h2:file:./data/../holdfast"))
                .isEqualTo("jdbc:h2:file:" + here + "/holdfast");
        assertThat(AbsoluteDatabasePath.absolute("jdbc:h2:file:/data/holdfast;A=b/c"))
                .isEqualTo("jdbc:h2:file:/data/holdfast;A=b/c");
        assertThat(AbsoluteDatabasePath.absolute("jdbc:h2:mem:x")).isEqualTo("jdbc:h2:mem:x");
    }
}
