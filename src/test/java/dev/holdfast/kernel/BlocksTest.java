package dev.holdfast.kernel;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlocksTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void freesTheMiddleAndKeepsTheOffsets() throws Exception {
        Path file = folder.resolve("out");
        byte[] bytes = new byte[8 * MIB];
        Arrays.fill(bytes, (byte) 'x');
        Files.write(file, bytes);
        assertThat(Blocks.allocatedBytes(file)).isGreaterThanOrEqualTo(8 * MIB);

        assertThat(Blocks.punch(file, MIB, 7 * MIB)).isTrue();
        assertThat(Blocks.allocatedBytes(file)).isBetween((long) MIB, 3L * MIB);
        byte[] after = Files.readAllBytes(file);
        Arrays.fill(bytes, MIB, 7 * MIB, (byte) 0);
        assertThat(Arrays.equals(after, bytes)).isTrue();
    }

    @Test
    void whatIsSetAsideIsGivenBackWhenNobodyWrites() throws Exception {
        Path file = folder.resolve("out");
        try (FileChannel writer = FileChannel.open(file, CREATE, APPEND)) {
            writer.write(ByteBuffer.allocate(4096));
            assertThat(Blocks.setAside(file, 4096, 8 * MIB)).isTrue();
            assertThat(file).hasSize(4096);
            assertThat(Blocks.allocatedBytes(file)).isBetween(8L * MIB, 9L * MIB);

            assertThat(Blocks.giveBack(file)).as("while it is written").isFalse();
            writer.write(ByteBuffer.allocate(MIB));
            assertThat(Blocks.allocatedBytes(file)).isBetween(8L * MIB, 9L * MIB);
        }
        try (FileChannel _ = FileChannel.open(file, READ)) {
            assertThat(Blocks.giveBack(file)).as("while it is read").isTrue();
        }
        assertThat(file).hasSize(4096 + MIB);
        assertThat(Blocks.allocatedBytes(file)).isLessThanOrEqualTo(MIB + 65_536);
        assertThat(Blocks.giveBack(folder.resolve("none"))).isFalse();
    }

    @Test
    void anEmptyHoleIsNone() {
        assertThat(Blocks.punch(folder.resolve("none"), 5, 5)).isTrue();
    }

    @Test
    void aMissingFileIsAnError() {
        assertThatThrownBy(() -> Blocks.punch(folder.resolve("none"), 0, 5))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.ENOENT));
        assertThatThrownBy(() -> Blocks.allocatedBytes(folder.resolve("none"))).isInstanceOf(ErrnoException.class);
    }
}
