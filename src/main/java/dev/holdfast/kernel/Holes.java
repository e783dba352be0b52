package dev.holdfast.kernel;

import java.nio.file.Path;

/** Holes in files: disk given back within a file, whose size and offsets stay as they are. */
public final class Holes {
    private static final int KEEP_SIZE_AND_PUNCH = 1 | 2;
    private static final LibcFunction FALLOCATE = LibcFunction.ofInt("fallocate");

    private Holes() {}

    /**
     * Frees the bytes {@code from} inclusive to {@code to} exclusive; they read as zeros from now on. Whole blocks are
     * freed, the bytes of others are zeroed.
     *
     * @return false: the file system cannot
     * @throws ErrnoException when the file cannot be opened or written
     */
    public static boolean punch(Path file, long from, long to) {
        int fd = (int) Libc.checked("open", file, Libc.open(file, Descriptor.WRITE, 0));
        try {
            long result = FALLOCATE.call(fd, KEEP_SIZE_AND_PUNCH, from, to - from);
            if (result == -ErrnoException.EOPNOTSUPP || result == -ErrnoException.ENOSYS) {
                return false;
            }
            Libc.checked("fallocate", file, result);
            return true;
        } finally {
            Libc.close(fd);
        }
    }
}
