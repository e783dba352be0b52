package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Functions of libc with their constants, which x86-64 and arm64 Linux share unless it is said. Results are those of
 * {@link Bindings#raw}: negative means minus errno.
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

    private static final ValueLayout.OfInt INT = JAVA_INT;
    private static final ValueLayout.OfLong LONG = JAVA_LONG;
    private static final MethodHandle OPEN = Bindings.bindVariadic("open", 2, INT, ADDRESS, INT, INT);
    private static final MethodHandle CLOSE = Bindings.bind("close", INT, INT);
    private static final MethodHandle READ = Bindings.bind("read", LONG, INT, ADDRESS, LONG);
    private static final MethodHandle WRITE = Bindings.bind("write", LONG, INT, ADDRESS, LONG);
    private static final MethodHandle FCNTL = Bindings.bindVariadic("fcntl", 2, INT, INT, INT, INT);
    private static final MethodHandle IOCTL = Bindings.bindVariadic("ioctl", 2, INT, INT, LONG, ADDRESS);
    private static final MethodHandle MKDIR = Bindings.bind("mkdir", INT, ADDRESS, INT);
    private static final MethodHandle MKFIFO = Bindings.bind("mkfifo", INT, ADDRESS, INT);
    private static final MethodHandle RENAME = Bindings.bind("rename", INT, ADDRESS, ADDRESS);
    private static final MethodHandle FALLOCATE = Bindings.bind("fallocate", INT, INT, INT, LONG, LONG);
    private static final MethodHandle KILL = Bindings.bind("kill", INT, INT, INT);
    private static final MethodHandle CLOCK_GETTIME = Bindings.bind("clock_gettime", INT, INT, ADDRESS);
    private static final MethodHandle WAITID = Bindings.bind("waitid", INT, INT, INT, ADDRESS, INT);
    private static final MethodHandle SYSCALL_2 = Bindings.bindVariadic("syscall", 1, LONG, LONG, LONG, LONG);
    private static final MethodHandle SYSCALL_4 =
            Bindings.bindVariadic("syscall", 1, LONG, LONG, LONG, LONG, ADDRESS, LONG);
    private static final MethodHandle EPOLL_CREATE = Bindings.bind("epoll_create1", INT, INT);
    private static final MethodHandle EPOLL_CTL = Bindings.bind("epoll_ctl", INT, INT, INT, INT, ADDRESS);
    private static final MethodHandle EPOLL_WAIT = Bindings.bind("epoll_wait", INT, INT, ADDRESS, INT, INT);
    private static final MethodHandle EVENTFD = Bindings.bind("eventfd", INT, INT, INT);
    private static final MethodHandle INOTIFY_INIT = Bindings.bind("inotify_init1", INT, INT);
    private static final MethodHandle INOTIFY_ADD = Bindings.bind("inotify_add_watch", INT, INT, ADDRESS, INT);
    private static final MethodHandle INOTIFY_REMOVE = Bindings.bind("inotify_rm_watch", INT, INT, INT);

    private static final MethodHandle SOCKET = Bindings.bind("socket", INT, INT, INT, INT);
    private static final MethodHandle BIND = Bindings.bind("bind", INT, INT, ADDRESS, INT);
    private static final MethodHandle SETSOCKOPT = Bindings.bind("setsockopt", INT, INT, INT, INT, ADDRESS, INT);

    private Libc() {}

    static long open(Path path, int flags, int mode) {
        return Bindings.raw((state, arena) ->
                (int) OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags | O_CLOEXEC, mode));
    }

    /** Never made again: the descriptor is gone even when a signal interrupted the call. */
    static void close(int fd) {
        Bindings.raw(state -> Math.max(0, (int) CLOSE.invokeExact(state, fd)));
    }

    static long read(int fd, MemorySegment buffer) {
        return Bindings.raw(state -> (long) READ.invokeExact(state, fd, buffer, buffer.byteSize()));
    }

    static long write(int fd, MemorySegment bytes) {
        return Bindings.raw(state -> (long) WRITE.invokeExact(state, fd, bytes, bytes.byteSize()));
    }

    static long fcntl(int fd, int command, int argument) {
        return Bindings.raw(state -> (int) FCNTL.invokeExact(state, fd, command, argument));
    }

    static long ioctl(int fd, long request, MemorySegment argument) {
        return Bindings.raw(state -> (int) IOCTL.invokeExact(state, fd, request, argument));
    }

    static long mkdir(Path path, int mode) {
        return Bindings.raw(
                (state, arena) -> (int) MKDIR.invokeExact(state, arena.allocateFrom(path.toString()), mode));
    }

    static long mkfifo(Path path, int mode) {
        return Bindings.raw(
                (state, arena) -> (int) MKFIFO.invokeExact(state, arena.allocateFrom(path.toString()), mode));
    }

    static long rename(Path from, Path to) {
        return Bindings.raw((state, arena) -> (int)
                RENAME.invokeExact(state, arena.allocateFrom(from.toString()), arena.allocateFrom(to.toString())));
    }

    static long fallocate(int fd, int mode, long offset, long length) {
        return Bindings.raw(state -> (int) FALLOCATE.invokeExact(state, fd, mode, offset, length));
    }

    static long kill(int pid, int signal) {
        return Bindings.raw(state -> (int) KILL.invokeExact(state, pid, signal));
    }

    /** @return nanoseconds */
    static long clock(int clock) {
        return Bindings.raw((state, arena) -> {
            MemorySegment time = arena.allocate(LONG, 2);
            int failed = (int) CLOCK_GETTIME.invokeExact(state, clock, time);
            return failed < 0 ? failed : time.getAtIndex(LONG, 0) * 1_000_000_000 + time.getAtIndex(LONG, 1);
        });
    }

    /** @param info a {@code siginfo_t}, 128 bytes */
    static long waitid(int idType, int id, MemorySegment info, int options) {
        return Bindings.raw(state -> (int) WAITID.invokeExact(state, idType, id, info, options));
    }

    static long pidfdOpen(long pid) {
        return Bindings.raw(state -> (long) SYSCALL_2.invokeExact(state, SYS_PIDFD_OPEN, pid, 0L));
    }

    static long pidfdSendSignal(int fd, int signal) {
        return Bindings.raw(state -> (long)
                SYSCALL_4.invokeExact(state, SYS_PIDFD_SEND_SIGNAL, (long) fd, (long) signal, MemorySegment.NULL, 0L));
    }

    static long epollCreate() {
        return Bindings.raw(state -> (int) EPOLL_CREATE.invokeExact(state, EPOLL_CLOEXEC));
    }

    static long epollControl(int epoll, int operation, int fd, MemorySegment event) {
        return Bindings.raw(state -> (int) EPOLL_CTL.invokeExact(state, epoll, operation, fd, event));
    }

    /** Waits without end. */
    static long epollWait(int epoll, MemorySegment events, int count) {
        return Bindings.raw(state -> (int) EPOLL_WAIT.invokeExact(state, epoll, events, count, -1));
    }

    static long eventfd() {
        return Bindings.raw(state -> (int) EVENTFD.invokeExact(state, 0, EFD_CLOEXEC_NONBLOCK));
    }

    static long inotifyInit() {
        return Bindings.raw(state -> (int) INOTIFY_INIT.invokeExact(state, IN_CLOEXEC_NONBLOCK));
    }

    static long inotifyAdd(int fd, Path file, int mask) {
        return Bindings.raw(
                (state, arena) -> (int) INOTIFY_ADD.invokeExact(state, fd, arena.allocateFrom(file.toString()), mask));
    }

    static long inotifyRemove(int fd, int watch) {
        return Bindings.raw(state -> (int) INOTIFY_REMOVE.invokeExact(state, fd, watch));
    }

    static long socket(int family, int type, int protocol) {
        return Bindings.raw(state -> (int) SOCKET.invokeExact(state, family, type, protocol));
    }

    static long bind(int socket, MemorySegment address) {
        return Bindings.raw(state -> (int) BIND.invokeExact(state, socket, address, (int) address.byteSize()));
    }

    /** As large as this user may make it. */
    static void receiveBuffer(int socket, int bytes) {
        if (receiveBuffer(socket, SO_RCVBUFFORCE, bytes) < 0) {
            receiveBuffer(socket, SO_RCVBUF, bytes);
        }
    }

    private static long receiveBuffer(int socket, int option, int bytes) {
        return Bindings.raw((state, arena) ->
                (int) SETSOCKOPT.invokeExact(state, socket, SOL_SOCKET, option, arena.allocateFrom(INT, bytes), 4));
    }
}
