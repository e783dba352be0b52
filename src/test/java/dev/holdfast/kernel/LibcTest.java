package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LibcTest {
    private static final int EBADF = 9;

    /** An int is half a register, and -1 in it a large number to who reads the whole. */
    @Test
    void failuresAreMinusErrnoWhetherTheResultIsAnIntOrALong() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(Libc.fcntl(-1, Libc.F_GETPIPE_SZ, 0)).isEqualTo(-EBADF);
            assertThat(Libc.read(-1, arena.allocate(1))).isEqualTo(-EBADF);
        }
        assertThat(Libc.open(Path.of("/nowhere/at all"), 0, 0)).isEqualTo(-ErrnoException.ENOENT);
    }

    /** Their address is a place in an array, and the kernel would write wherever that is. */
    @Test
    void memoryOfTheHeapIsRefused() {
        MemorySegment heap = MemorySegment.ofArray(new byte[16]);

        assertThatThrownBy(() -> Libc.read(0, heap)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Results wider than an int come whole. */
    @Test
    void aClockIsReadInNanoseconds() {
        long since = Machine.uptime().toNanos();

        assertThat(since).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
        assertThat(Machine.uptime().toNanos()).isGreaterThanOrEqualTo(since);
    }
}
