package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * One process and no other, however its pid is used again ({@code pidfd_open(2)}). Thread-safe. Whoever opens one from
 * a pid compares the process's identity after opening it: from then on it cannot change.
 */
public final class Pidfd implements AutoCloseable {
    private static final int CLOSED = -1;
    private static final long SYS_PIDFD_SEND_SIGNAL = 424;
    private static final long SYS_PIDFD_OPEN = 434;
    /** {@code _IOWR(0xFF, 11, struct pidfd_info)} with the first published size, 64 bytes; linux/pidfd.h. */
    private static final long PIDFD_GET_INFO = 0xC040FF0BL;

    private static final int INFO_SIZE = 64;
    private static final long INFO_EXIT_CODE = 60;
    private static final long WANT_EXIT = 1L << 3;

    private static final LibcFunction SYSCALL = LibcFunction.ofLong("syscall");

    private final long pid;
    private int fd;

    private Pidfd(long pid, int fd) {
        this.pid = pid;
        this.fd = fd;
    }

    /** Empty: no such process. A zombie is one. */
    public static Optional<Pidfd> open(long pid) {
        long fd = SYSCALL.call(SYS_PIDFD_OPEN, pid, 0);
        // EINVAL, ENOENT: a thread that leads no process, or no pid at all.
        if (fd == -ErrnoException.ESRCH || fd == -ErrnoException.EINVAL || fd == -ErrnoException.ENOENT) {
            return Optional.empty();
        }
        return Optional.of(new Pidfd(pid, (int) Libc.checked("pidfd_open", fd)));
    }

    /**
     * @return false: it is gone (a zombie still takes signals)
     * @throws ErrnoException when this user may not signal it
     */
    public synchronized boolean signal(int number) {
        if (fd == CLOSED) {
            return false;
        }
        long result = SYSCALL.call(SYS_PIDFD_SEND_SIGNAL, fd, number, 0, 0);
        if (result == -ErrnoException.ESRCH) {
            return false;
        }
        Libc.checked("pidfd_send_signal", result);
        return true;
    }

    /**
     * How it ended, also when it was no child of ours: kernels since 6.15 tell it for as long as a pidfd is held, once
     * it has been reaped. Empty: it runs, is not reaped yet, or this kernel does not tell.
     */
    public synchronized Optional<WaitStatus> exit() {
        if (fd == CLOSED) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(INFO_SIZE, 8);
            info.set(JAVA_LONG, 0, WANT_EXIT);
            long result = Libc.ioctl(fd, PIDFD_GET_INFO, info);
            boolean told = result >= 0 && (info.get(JAVA_LONG, 0) & WANT_EXIT) != 0;
            return told ? Optional.of(new WaitStatus(info.get(JAVA_INT, INFO_EXIT_CODE))) : Optional.empty();
        }
    }

    /** Another descriptor of the same process, for one that outlives this one. */
    synchronized int duplicate() {
        if (fd == CLOSED) {
            throw new IllegalStateException("pidfd of " + pid + " is closed");
        }
        return (int) Libc.checked("dup", Libc.fcntl(fd, Libc.F_DUPFD_CLOEXEC, 0));
    }

    @Override
    public synchronized void close() {
        int open = fd;
        fd = CLOSED;
        if (open != CLOSED) {
            Libc.close(open);
        }
    }
}
