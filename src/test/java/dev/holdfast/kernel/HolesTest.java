package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HolesTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void freesTheMiddleAndKeepsTheOffsets() throws Exception {
        Path file = folder.resolve("out");
        byte[] bytes = new byte[8 * MIB];
        Arrays.fill(bytes, (byte) 'x');
        Files.write(file, bytes);
        assertThat(Stat.allocatedBytes(file)).isGreaterThanOrEqualTo(8 * MIB);

        assertThat(Holes.punch(file, MIB, 7 * MIB)).isTrue();
        assertThat(Stat.allocatedBytes(file)).isBetween((long) MIB, 3L * MIB);
        byte[] after = Files.readAllBytes(file);
        Arrays.fill(bytes, MIB, 7 * MIB, (byte) 0);
        assertThat(Arrays.equals(after, bytes)).isTrue();
    }

    @Test
    void aMissingFileIsAnError() {
        assertThatThrownBy(() -> Holes.punch(folder.resolve("none"), 0, 5))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.ENOENT));
    }
}
