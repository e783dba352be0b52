package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Functions of libc that several classes call; those that one calls stand there. Constants are what x86-64 and arm64
 * Linux share unless it is said. Results are those of {@link LibcFunction#call}: negative means minus errno.
 */
final class Libc {
    static final int O_CLOEXEC = 0x80000;
    static final int CLOEXEC_NONBLOCK = O_CLOEXEC | 0x800;
    static final int F_DUPFD_CLOEXEC = 1030;
    static final int F_SETPIPE_SZ = 1031;
    static final int F_GETPIPE_SZ = 1032;

    private static final LibcFunction OPEN = LibcFunction.ofInt("open");
    private static final LibcFunction CLOSE = LibcFunction.ofInt("close");
    private static final LibcFunction READ = LibcFunction.ofLong("read");
    private static final LibcFunction WRITE = LibcFunction.ofLong("write");
    private static final LibcFunction FCNTL = LibcFunction.ofInt("fcntl");
    private static final LibcFunction IOCTL = LibcFunction.ofInt("ioctl");
    private static final LibcFunction SOCKET = LibcFunction.ofInt("socket");

    private Libc() {}

    /** @throws ErrnoException when the call of {@code name} failed, which {@code raw} is the result of */
    static long checked(String name, long raw) {
        if (raw < 0) {
            throw new ErrnoException(name, (int) -raw);
        }
        return raw;
    }

    /** @param subject what the call was made on, such as a path */
    static long checked(String name, Object subject, long raw) {
        return raw < 0 ? checked(name + " " + subject, raw) : raw;
    }

    static long open(Path path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            return OPEN.call(address(arena, path), flags | O_CLOEXEC, mode);
        }
    }

    /** Never made again: the descriptor is gone even when a signal interrupted the call. */
    static void close(int fd) {
        CLOSE.once(fd);
    }

    static long read(int fd, MemorySegment buffer) {
        return READ.call(fd, address(buffer), buffer.byteSize());
    }

    static long write(int fd, MemorySegment bytes) {
        return WRITE.call(fd, address(bytes), bytes.byteSize());
    }

    static long fcntl(int fd, int command, int argument) {
        return FCNTL.call(fd, command, argument);
    }

    static long ioctl(int fd, long request, MemorySegment argument) {
        return IOCTL.call(fd, request, address(argument));
    }

    static long socket(int family, int type, int protocol) {
        return SOCKET.call(family, type, protocol);
    }
}
