package dev.holdfast.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Parts of files given back to the file system, offsets unchanged. */
public final class Holes {
    private static final int O_WRONLY = 1;
    private static final int KEEP_SIZE_AND_PUNCH = 1 | 2;
    private static final int STATX_BLOCKS = 0x400;
    private static final int STATX_SIZE = 256;
    private static final long STX_BLOCKS = 48;
    private static final int BLOCK = 512;

    private Holes() {}

    /**
     * Frees the bytes {@code from} inclusive to {@code to} exclusive; they read as zeros from now on. Whole blocks are
     * freed, the bytes of others are zeroed.
     *
     * @return false: the file system cannot
     * @throws ErrnoException when the file cannot be opened or written
     */
    public static boolean punch(Path file, long from, long to) {
        if (to <= from) {
            return true;
        }
        int fd = (int) Bindings.checked("open", file, Libc.open(file, O_WRONLY, 0));
        try {
            long result = Libc.fallocate(fd, KEEP_SIZE_AND_PUNCH, from, to - from);
            if (result == -ErrnoException.EOPNOTSUPP || result == -ErrnoException.ENOSYS) {
                return false;
            }
            Bindings.checked("fallocate", file, result);
            return true;
        } finally {
            Libc.close(fd);
        }
    }

    /** The disk space a file takes, in bytes, holes not counted ({@code st_blocks} times 512). */
    public static long allocatedBytes(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(STATX_SIZE, 8);
            Bindings.checked("statx", file, Libc.statx(file, STATX_BLOCKS, statx));
            return statx.get(ValueLayout.JAVA_LONG, STX_BLOCKS) * BLOCK;
        }
    }
}
