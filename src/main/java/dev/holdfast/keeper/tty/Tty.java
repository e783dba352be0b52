package dev.holdfast.keeper.tty;

import com.pty4j.WinSize;
import com.pty4j.unix.Pty;
import com.pty4j.unix.PtyHelpers;
import com.pty4j.unix.UnixPtyProcess;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pseudo-terminal with a process in it, started by pty4j. Bytes go past pty4j's streams: those lose what a full
 * terminal did not take, and end with the leader although its children may print on. {@link #read}, {@link #await} and
 * {@link #close} belong to one thread; the rest needs a lock of the caller's, and nothing may be called after close.
 */
public final class Tty implements AutoCloseable {
    /** pty4j forks natively; one start at a time. */
    private static final ReentrantLock STARTS = new ReentrantLock();

    private static final int NO_TERMINAL = -1;

    private final Pty pty;
    private final UnixPtyProcess process;
    private final @Nullable Thread reaper;
    private final int master;
    private final TtyEvents events;
    private final Memory typed = new Memory(4096);

    private Tty(Pty pty, UnixPtyProcess process, @Nullable Thread reaper, TtyEvents events) {
        this.pty = pty;
        this.process = process;
        this.reaper = reaper;
        this.master = pty.getMasterFD();
        this.events = events;
    }

    /**
     * Starts the process as the leader of a new session on a new terminal that has its size from the first moment.
     * The calling thread must be alone in its thread group: that is how pty4j's reaper is found again.
     */
    public static Tty start(TerminalSpec spec) throws IOException {
        if (!Files.isDirectory(spec.cwd())) { // pty4j would start it elsewhere without a word
            throw new IOException("the working directory " + spec.cwd() + " is not a directory");
        }
        STARTS.lock();
        try {
            Pty pty = new Pty();
            if (pty.getMasterFD() < 0) {
                throw new IOException("the system has no pseudo-terminal left");
            }
            TtyEvents events = null;
            try {
                events = new TtyEvents(pty.getMasterFD());
                return start(spec, pty, events);
            } catch (IOException | RuntimeException | OutOfMemoryError failed) { // pty4j starts a thread of its own
                if (events != null) {
                    events.close();
                }
                pty.close();
                throw failed;
            }
        } finally {
            STARTS.unlock();
        }
    }

    /** With pty4j's older constructor, the one that takes a terminal whose size was set before the process exists. */
    @SuppressWarnings("deprecation")
    private static Tty start(TerminalSpec spec, Pty pty, TtyEvents events) throws IOException {
        int flags = JnaLibc.fcntl(pty.getMasterFD(), JnaLibc.F_GETFL, 0);
        if (flags < 0 || JnaLibc.fcntl(pty.getMasterFD(), JnaLibc.F_SETFL, flags | JnaLibc.O_NONBLOCK) < 0) {
            throw new IOException("fcntl: errno " + Native.getLastError());
        }
        pty.setWindowSize(new WinSize(spec.cols(), spec.rows()), null);
        new Termios(pty.getMasterFD()).expectUtf8(pty.getMasterFD());
        String[] environment = spec.environment().entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .toArray(String[]::new);
        UnixPtyProcess process = new UnixPtyProcess(
                spec.argv().toArray(String[]::new), environment, spec.cwd().toString(), pty, null, false);
        events.watch(process.pid());
        return new Tty(pty, process, otherThreadOfThisGroup(), events);
    }

    /**
     * Makes pty4j unpack and load its library. It tries but once in the life of a process: one in which that has
     * failed, as on a disk that was full for a moment, starts no terminal any more.
     *
     * @throws LinkageError it cannot be loaded
     */
    public static void load() {
        try {
            PtyHelpers.getWinSize(NO_TERMINAL, null);
        } catch (IOException asked) {
            // Of the library, which says that this is no terminal.
        } catch (RuntimeException unloadable) {
            Throwable cause = unloadable;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new LinkageError(cause.toString(), unloadable);
        }
    }

    /** How many descriptors this process may have, as {@code getrlimit} says. */
    public static long descriptorLimit() {
        return limit(JnaLibc.RLIMIT_NOFILE, 1024);
    }

    /** How many bytes a file may have that this process writes. */
    public static long fileSizeLimit() {
        return limit(JnaLibc.RLIMIT_FSIZE, Long.MAX_VALUE);
    }

    private static long limit(int resource, long otherwise) {
        Memory limits = new Memory(16);
        return JnaLibc.getrlimit(resource, limits) == 0 ? limits.getLong(0) & Long.MAX_VALUE : otherwise;
    }

    private static @Nullable Thread otherThreadOfThisGroup() {
        Thread[] found = new Thread[8];
        int count = Thread.currentThread().getThreadGroup().enumerate(found);
        for (int i = 0; i < count; i++) {
            if (found[i] != Thread.currentThread()) {
                return found[i];
            }
        }
        return null; // it reaped the process already and is gone
    }

    /** Waits for what can be done next. */
    public TtyEvents await(boolean toRead, boolean toWrite, int timeoutMillis) {
        events.await(toRead, toWrite, timeoutMillis);
        return events;
    }

    /** Makes {@link #await} return. */
    public void wake() {
        events.wake();
    }

    /**
     * Reads into a direct buffer what is there now.
     *
     * @return bytes read; 0: nothing now; -1: nobody has the terminal open
     */
    public int read(ByteBuffer into) {
        Pointer address = Native.getDirectBufferPointer(into).share(into.position());
        long count = JnaLibc.read(master, address, into.remaining());
        if (count > 0) {
            into.position(into.position() + (int) count);
            return (int) count;
        }
        int errno = count < 0 ? Native.getLastError() : 0;
        return errno == JnaLibc.EAGAIN || errno == JnaLibc.EINTR ? 0 : -1;
    }

    /** @return bytes taken now, 0 when the terminal is full or nobody has it open */
    int write(byte[] bytes, int from, int length) {
        int count = (int) Math.min(length, typed.size());
        typed.write(0, bytes, from, count);
        return (int) Math.max(0, JnaLibc.write(master, typed, count));
    }

    Termios termios() {
        return new Termios(master);
    }

    /** Tells whoever is in front what the kernel tells who writes past that limit himself: most end by it. */
    public void tellOutgrown() {
        int group = JnaLibc.tcgetpgrp(master);
        if (group > 1) {
            JnaLibc.kill(-group, JnaLibc.SIGXFSZ);
        }
    }

    public void resize(int rows, int cols) throws IOException {
        pty.setWindowSize(new WinSize(cols, rows), null);
    }

    /**
     * Only when the process has ended. Waits for pty4j's reaper, which still writes to a descriptor of its own after it
     * has reported the exit: closed before, the number could be another terminal's by then (pty4j's issue 181).
     */
    @Override
    public void close() throws IOException {
        events.close();
        try {
            if (reaper != null && !reaper.join(Duration.ofSeconds(30))) {
                throw new IOException("the reaper of " + process.pid() + " does not end; its terminal is left open");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted before the terminal could be closed", interrupted);
        }
        pty.close();
    }
}
