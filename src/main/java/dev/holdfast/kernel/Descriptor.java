package dev.holdfast.kernel;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** An open file, pipe or FIFO, closed on exec. Not thread-safe. */
public final class Descriptor implements AutoCloseable {
    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int READ_WRITE = 2;
    public static final int CREATE = 0x40;
    public static final int EXCLUSIVE = 0x80;
    public static final int TRUNCATE = 0x200;
    public static final int APPEND = 0x400;
    public static final int NON_BLOCKING = 0x800;

    private static final int CLOSED = -1;

    private int fd;

    private Descriptor(int fd) {
        this.fd = fd;
    }

    /**
     * @param flags those above
     * @param mode of a file that is made, such as 0600
     * @throws ErrnoException when it cannot be opened; ENXIO for a FIFO nobody reads
     */
    public static Descriptor open(Path path, int flags, int mode) {
        return new Descriptor((int) Libc.checked("open", path, Libc.open(path, flags, mode)));
    }

    /** Makes a file for nobody but its owner, that must not exist yet, with these bytes, and closes it. */
    public static void create(Path path, byte[] bytes) {
        try (Descriptor file = open(path, WRITE | CREATE | EXCLUSIVE, 0600)) {
            file.writeAll(bytes);
        }
    }

    /**
     * For who could not open or read a file or folder by Java's own means, which do not tell why: returns when it is
     * not there, closed to us, or gone meanwhile.
     *
     * @throws ErrnoException when there was no descriptor or no memory for it, so that nothing is known of it
     */
    public static void requireGone(Path path, IOException failure) {
        boolean unopened = failure instanceof FileNotFoundException || failure instanceof FileSystemException;
        if (!unopened || failure instanceof NoSuchFileException) {
            return;
        }
        try (Descriptor _ = open(path, READ | NON_BLOCKING, 0)) {
            throw new ErrnoException("open " + path, ErrnoException.EMFILE); // there is one again
        } catch (ErrnoException why) {
            if (why.isExhaustion()) {
                throw why;
            }
        }
    }

    /** To a file, which takes all there is or fails. */
    public void writeAll(byte[] bytes) {
        int written = 0;
        while (written < bytes.length) {
            written += write(bytes, written, bytes.length - written);
        }
    }

    /**
     * @return how many bytes were taken; 0 when it is non-blocking and full
     * @throws ErrnoException EPIPE when nobody reads
     */
    public int write(byte[] bytes, int from, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(Math.max(1, length));
            MemorySegment.copy(bytes, from, copy, ValueLayout.JAVA_BYTE, 0, length);
            long result = Libc.write(fd, copy.asSlice(0, length));
            return result == -ErrnoException.EAGAIN ? 0 : (int) Libc.checked("write", result);
        }
    }

    /** @return up to {@code limit} bytes; none at the end */
    public byte[] read(int limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(limit);
            long count = Libc.checked("read", Libc.read(fd, buffer));
            return buffer.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** @return whether the pipe holds {@code bytes} from now on; the kernel may refuse */
    public boolean pipeSize(int bytes) {
        return Libc.fcntl(fd, Libc.F_SETPIPE_SZ, bytes) >= 0;
    }

    /** Bytes the pipe holds. */
    public int pipeSize() {
        return (int) Libc.checked("fcntl", Libc.fcntl(fd, Libc.F_GETPIPE_SZ, 0));
    }

    int duplicate() {
        return (int) Libc.checked("dup", Libc.fcntl(fd, Libc.F_DUPFD_CLOEXEC, 0));
    }

    @Override
    public void close() {
        if (fd != CLOSED) {
            Libc.close(fd);
            fd = CLOSED;
        }
    }
}
