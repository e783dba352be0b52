package dev.holdfast.keeper.tty;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;

/**
 * What pty4j's streams cannot do: a write that says how much was taken and never blocks, and a wait for the terminal,
 * the end of its leader and a wake-up at once. Directly mapped; {@code errno} is {@link Native#getLastError()}. Numbers
 * are those of Linux on 64-bit machines.
 */
final class JnaLibc {
    static final short POLLIN = 0x1;
    static final short POLLOUT = 0x4;
    static final short POLLERR = 0x8;
    static final short POLLHUP = 0x10;

    static final int ESRCH = 3;
    static final int EINTR = 4;
    static final int EAGAIN = 11;

    static final int F_GETFL = 3;
    static final int F_SETFL = 4;
    static final int F_DUPFD_CLOEXEC = 1030;
    static final int O_NONBLOCK = 0x800;
    static final int EFD_NONBLOCK = O_NONBLOCK;
    static final int EFD_CLOEXEC = 0x80000;
    static final int RLIMIT_FSIZE = 1;
    static final int RLIMIT_NOFILE = 7;
    static final int SIGXFSZ = 25;

    private static final long SYS_PIDFD_OPEN = 434;

    static {
        Native.register(JnaLibc.class, Platform.C_LIBRARY_NAME);
    }

    private JnaLibc() {}

    static native int poll(Pointer entries, long count, int timeoutMillis);

    static native long read(int fd, Pointer into, long count);

    static native long write(int fd, Pointer from, long count);

    static native int close(int fd);

    static native int fcntl(int fd, int command, int argument);

    static native int eventfd(int initial, int flags);

    static native int tcgetattr(int fd, Pointer termios);

    static native int tcsetattr(int fd, int when, Pointer termios);

    static native int tcgetpgrp(int fd);

    static native int kill(int pid, int signal);

    static native int getrlimit(int resource, Pointer limits);

    private static native long syscall(long number, long first, long second);

    /** @return a descriptor that becomes readable when the process ends, or -1: {@link #ESRCH} when there is none */
    static int pidfdOpen(long pid) {
        return (int) syscall(SYS_PIDFD_OPEN, pid, 0);
    }
}
