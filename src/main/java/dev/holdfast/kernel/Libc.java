package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Functions of libc with their constants, which x86-64 and arm64 Linux share unless it is said. Results are those of
 * {@link LibcFunction#call}: negative means minus errno.
 */
final class Libc {
    static final int O_CLOEXEC = 0x80000;
    static final int EPOLL_CLOEXEC = O_CLOEXEC;
    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_DEL = 2;
    static final int EPOLLIN = 0x1;
    static final int EPOLLOUT = 0x4;
    static final int EPOLLONESHOT = 1 << 30;
    static final int EFD_CLOEXEC_NONBLOCK = O_CLOEXEC | 0x800;
    static final int IN_CLOEXEC_NONBLOCK = O_CLOEXEC | 0x800;
    static final int IN_MODIFY = 0x2;
    static final int IN_Q_OVERFLOW = 0x4000;
    static final int IN_IGNORED = 0x8000;
    static final int SOL_SOCKET = 1;
    static final int SO_RCVBUF = 8;
    static final int SO_RCVBUFFORCE = 33;
    static final int F_DUPFD_CLOEXEC = 1030;
    static final int F_SETPIPE_SZ = 1031;
    static final int F_GETPIPE_SZ = 1032;
    static final int CLOCK_BOOTTIME = 7;
    static final long SYS_PIDFD_SEND_SIGNAL = 424;
    static final long SYS_PIDFD_OPEN = 434;
    static final boolean X86 = "amd64".equals(System.getProperty("os.arch"));

    private static final LibcFunction OPEN = LibcFunction.ofInt("open");
    private static final LibcFunction CLOSE = LibcFunction.ofInt("close");
    private static final LibcFunction READ = LibcFunction.ofLong("read");
    private static final LibcFunction WRITE = LibcFunction.ofLong("write");
    private static final LibcFunction FCNTL = LibcFunction.ofInt("fcntl");
    private static final LibcFunction IOCTL = LibcFunction.ofInt("ioctl");
    private static final LibcFunction MKDIR = LibcFunction.ofInt("mkdir");
    private static final LibcFunction MKFIFO = LibcFunction.ofInt("mkfifo");
    private static final LibcFunction RENAME = LibcFunction.ofInt("rename");
    private static final LibcFunction FALLOCATE = LibcFunction.ofInt("fallocate");
    private static final LibcFunction KILL = LibcFunction.ofInt("kill");
    private static final LibcFunction CLOCK_GETTIME = LibcFunction.ofInt("clock_gettime");
    private static final LibcFunction WAITID = LibcFunction.ofInt("waitid");
    private static final LibcFunction SYSCALL = LibcFunction.ofLong("syscall");
    private static final LibcFunction EPOLL_CREATE = LibcFunction.ofInt("epoll_create1");
    private static final LibcFunction EPOLL_CTL = LibcFunction.ofInt("epoll_ctl");
    private static final LibcFunction EPOLL_WAIT = LibcFunction.ofInt("epoll_wait");
    private static final LibcFunction EVENTFD = LibcFunction.ofInt("eventfd");
    private static final LibcFunction INOTIFY_INIT = LibcFunction.ofInt("inotify_init1");
    private static final LibcFunction INOTIFY_ADD = LibcFunction.ofInt("inotify_add_watch");
    private static final LibcFunction INOTIFY_REMOVE = LibcFunction.ofInt("inotify_rm_watch");
    private static final LibcFunction SOCKET = LibcFunction.ofInt("socket");
    private static final LibcFunction BIND = LibcFunction.ofInt("bind");
    private static final LibcFunction SETSOCKOPT = LibcFunction.ofInt("setsockopt");

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

    static long mkdir(Path path, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            return MKDIR.call(address(arena, path), mode);
        }
    }

    static long mkfifo(Path path, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            return MKFIFO.call(address(arena, path), mode);
        }
    }

    static long rename(Path from, Path to) {
        try (Arena arena = Arena.ofConfined()) {
            return RENAME.call(address(arena, from), address(arena, to));
        }
    }

    static long fallocate(int fd, int mode, long offset, long length) {
        return FALLOCATE.call(fd, mode, offset, length);
    }

    static long kill(int pid, int signal) {
        return KILL.call(pid, signal);
    }

    /** @return nanoseconds */
    static long clock(int clock) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(JAVA_LONG, 2);
            long failed = CLOCK_GETTIME.call(clock, address(time));
            return failed < 0 ? failed : time.getAtIndex(JAVA_LONG, 0) * 1_000_000_000 + time.getAtIndex(JAVA_LONG, 1);
        }
    }

    /** @param info a {@code siginfo_t}, 128 bytes */
    static long waitid(int idType, int id, MemorySegment info, int options) {
        return WAITID.call(idType, id, address(info), options);
    }

    static long pidfdOpen(long pid) {
        return SYSCALL.call(SYS_PIDFD_OPEN, pid, 0);
    }

    static long pidfdSendSignal(int fd, int signal) {
        return SYSCALL.call(SYS_PIDFD_SEND_SIGNAL, fd, signal, 0, 0);
    }

    static long epollCreate() {
        return EPOLL_CREATE.call(EPOLL_CLOEXEC);
    }

    static long epollControl(int epoll, int operation, int fd, MemorySegment event) {
        return EPOLL_CTL.call(epoll, operation, fd, address(event));
    }

    /** Waits without end. */
    static long epollWait(int epoll, MemorySegment events, int count) {
        return EPOLL_WAIT.call(epoll, address(events), count, -1);
    }

    static long eventfd() {
        return EVENTFD.call(0, EFD_CLOEXEC_NONBLOCK);
    }

    static long inotifyInit() {
        return INOTIFY_INIT.call(IN_CLOEXEC_NONBLOCK);
    }

    static long inotifyAdd(int fd, Path file, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            return INOTIFY_ADD.call(fd, address(arena, file), mask);
        }
    }

    static long inotifyRemove(int fd, int watch) {
        return INOTIFY_REMOVE.call(fd, watch);
    }

    static long socket(int family, int type, int protocol) {
        return SOCKET.call(family, type, protocol);
    }

    static long bind(int socket, MemorySegment address) {
        return BIND.call(socket, address(address), address.byteSize());
    }

    /** As large as this user may make it. */
    static void receiveBuffer(int socket, int bytes) {
        if (receiveBuffer(socket, SO_RCVBUFFORCE, bytes) < 0) {
            receiveBuffer(socket, SO_RCVBUF, bytes);
        }
    }

    private static long receiveBuffer(int socket, int option, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            return SETSOCKOPT.call(
                    socket, SOL_SOCKET, option, address(arena.allocateFrom(JAVA_INT, bytes)), Integer.BYTES);
        }
    }
}
