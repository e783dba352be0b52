package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One platform daemon thread that waits, by epoll, for the ends of processes, for writes to files and for room in
 * pipes. However many are waited for, no other thread is needed. Actions run on that thread, one after the other: hand
 * over, do not block. An action that throws is logged and harms no other. Thread-safe.
 */
public final class KernelEvents implements AutoCloseable {
    private static final Logger LOG = System.getLogger(KernelEvents.class.getName());
    private static final long CLOSE = 0;
    private static final long FILES = 1;
    private static final int BATCH = 64;
    private static final long LOOK_AGAIN_NANOS = 10_000_000;
    /** {@code struct epoll_event} is packed on x86-64 alone. */
    private static final boolean PACKED = "amd64".equals(System.getProperty("os.arch"));

    private static final int EVENT_SIZE = PACKED ? 12 : 16;
    private static final int EVENT_DATA = PACKED ? 4 : 8;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLLIN = 0x1;
    private static final int EPOLLOUT = 0x4;
    private static final int EPOLLONESHOT = 1 << 30;

    private static final LibcFunction EPOLL_CREATE = LibcFunction.ofInt("epoll_create1");
    private static final LibcFunction EPOLL_CTL = LibcFunction.ofInt("epoll_ctl");
    private static final LibcFunction EPOLL_WAIT = LibcFunction.ofInt("epoll_wait");
    private static final LibcFunction EVENTFD = LibcFunction.ofInt("eventfd");

    private final int epoll;
    private final int closeSignal;
    private final FileWrites files;
    private final AtomicLong tokens = new AtomicLong(FILES + 1);
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private final Thread thread;
    /** Guards the descriptors: none is used once it is closed, for its number may be somebody else's. */
    private final Object open = new Object();

    private boolean closing;
    private boolean closed;

    public KernelEvents() {
        epoll = (int) Libc.checked("epoll_create1", EPOLL_CREATE.call(Libc.O_CLOEXEC));
        closeSignal = (int) Libc.checked("eventfd", EVENTFD.call(0, Libc.CLOEXEC_NONBLOCK));
        files = new FileWrites();
        watch(closeSignal, EPOLLIN, CLOSE);
        files.descriptor().ifPresent(inotify -> watch(inotify, EPOLLIN, FILES));
        thread = Thread.ofPlatform().daemon().name("kernel-events").start(this::run);
    }

    /** What was asked for; closing it asks for it no longer. An action that runs already is not waited for. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Runs {@code action} once, when the process has ended; at once when it has. Works for processes that are no
     * children too. The pidfd may be closed meanwhile.
     */
    public Registration onExit(Pidfd pidfd, Runnable action) {
        return once(pidfd.duplicate(), EPOLLIN, action);
    }

    /**
     * Runs {@code action} once, when the ended process has been reaped, so that {@link Pidfd#exit()} tells how. Kernels
     * before 6.15 never say so: set a limit.
     */
    public Registration onReaped(Pidfd pidfd, Runnable action) {
        return once(pidfd.duplicate(), 0, action);
    }

    /** Runs {@code action} once, when there is room in the pipe or its reader is gone. */
    public Registration onWritable(Descriptor pipe, Runnable action) {
        return once(pipe.duplicate(), EPOLLOUT, action);
    }

    /**
     * Runs {@code action} after each write to the file; writes may be merged, and one run may be for nothing. A file
     * that is deleted is watched no longer.
     *
     * @throws ErrnoException when the file does not exist, or a limit of what may be watched is reached
     */
    public Registration onWrite(Path file, Runnable action) {
        return files.add(file, action, false);
    }

    /** The same, for the next write alone; costs the writer nothing after that. */
    public Registration onNextWrite(Path file, Runnable action) {
        return files.add(file, action, true);
    }

    /** Whether nothing that is registered from now on would run. */
    public boolean isClosed() {
        synchronized (open) {
            return closing || closed;
        }
    }

    /** Ends the thread; nothing that was registered will run. */
    @Override
    public void close() {
        synchronized (open) {
            if (closing) {
                return;
            }
            closing = true;
            try (Arena arena = Arena.ofConfined()) {
                Libc.checked("write eventfd", Libc.write(closeSignal, arena.allocateFrom(JAVA_LONG_UNALIGNED, 1L)));
            }
        }
        if (Thread.currentThread() != thread) {
            join();
        }
    }

    private void join() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            // The thread ends by itself; who closes has been told to hurry.
            Thread.currentThread().interrupt();
        }
    }

    private Registration once(int fd, int events, Runnable action) {
        Waiting one = new Waiting(tokens.incrementAndGet(), fd, action);
        waiting.put(one.token, one);
        try {
            watch(fd, events | EPOLLONESHOT, one.token);
        } catch (RuntimeException e) {
            one.close();
            throw e;
        }
        return one;
    }

    private void watch(int fd, int events, long token) {
        synchronized (open) {
            if (closed) {
                throw new IllegalStateException("kernel events are closed");
            }
            control(fd, events, token);
        }
    }

    private void control(int fd, int events, long token) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(EVENT_SIZE, 8);
            event.set(JAVA_INT_UNALIGNED, 0, events);
            event.set(JAVA_LONG_UNALIGNED, EVENT_DATA, token);
            Libc.checked("epoll_ctl", EPOLL_CTL.call(epoll, EPOLL_CTL_ADD, fd, address(event)));
        }
    }

    private void run() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment events = arena.allocate((long) EVENT_SIZE * BATCH, 8);
            int count = 0;
            int done = 0;
            boolean open = true;
            while (open) {
                try {
                    if (done == count) {
                        done = 0;
                        count = 0;
                        count = (int) Libc.checked("epoll_wait", EPOLL_WAIT.call(epoll, address(events), BATCH, -1));
                    }
                    for (; done < count && open; done++) {
                        open = dispatch(events.get(JAVA_LONG_UNALIGNED, (long) done * EVENT_SIZE + EVENT_DATA));
                    }
                } catch (OutOfMemoryError full) { // of others' doing: the same event once more
                    LockSupport.parkNanos(LOOK_AGAIN_NANOS);
                }
            }
        } finally {
            release();
        }
    }

    private void release() {
        waiting.values().forEach(Waiting::close);
        files.close();
        synchronized (open) {
            closed = true;
            Libc.close(closeSignal);
            Libc.close(epoll);
        }
    }

    /** @return false when that was the last event */
    private boolean dispatch(long token) {
        if (token == CLOSE) {
            return false;
        }
        if (token == FILES) {
            perform(() -> files.written().forEach(KernelEvents::perform));
            return true;
        }
        Waiting one = waiting.get(token);
        if (one != null && waiting.remove(token, one)) {
            try {
                one.release();
            } finally {
                perform(one.action);
            }
        }
        return true;
    }

    private static void perform(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            // One action's failure must not end the thread that everything waits on.
            LOG.log(Level.ERROR, "an action on a kernel event failed", e);
        }
    }

    /** A descriptor of its own, so that a number used again is never mistaken for it. */
    private final class Waiting implements Registration {
        private final long token;
        private final int fd;
        private final Runnable action;

        Waiting(long token, int fd, Runnable action) {
            this.token = token;
            this.fd = fd;
            this.action = action;
        }

        void release() {
            // The description lives on in the descriptor this one was duplicated from: take it out by name.
            synchronized (open) {
                if (!closed) {
                    EPOLL_CTL.call(epoll, EPOLL_CTL_DEL, fd, 0);
                }
            }
            Libc.close(fd);
        }

        @Override
        public void close() {
            if (waiting.remove(token, this)) {
                release();
            }
        }
    }
}
