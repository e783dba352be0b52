package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.holdfast.kernel.KernelEvents.Registration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One inotify instance and who waits for writes to which file. The kernel holds one watch a file, so that several who
 * wait for the same one share it; it goes with the last of them.
 */
final class FileWrites implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    /** {@code struct inotify_event}: watch, mask, cookie, length of the name that follows. */
    private static final int HEADER = 16;

    private static final int IN_MODIFY = 0x2;
    private static final int IN_Q_OVERFLOW = 0x4000;
    private static final int IN_IGNORED = 0x8000;
    private static final LibcFunction INIT = LibcFunction.ofInt("inotify_init1");
    private static final LibcFunction ADD = LibcFunction.ofInt("inotify_add_watch");
    private static final LibcFunction REMOVE = LibcFunction.ofInt("inotify_rm_watch");

    /** Negative where the user has as many as he may have: then no file is watched. */
    private final int inotify;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER, 8);
    /** By the kernel's number of the watch, which is not given again while this instance lives. */
    private final Map<Integer, List<Waiter>> waiters = new HashMap<>();

    private boolean closed;

    FileWrites() {
        inotify = (int) INIT.call(Libc.CLOEXEC_NONBLOCK);
    }

    OptionalInt descriptor() {
        return inotify < 0 ? OptionalInt.empty() : OptionalInt.of(inotify);
    }

    synchronized Registration add(Path file, Runnable action, boolean once) {
        if (closed) {
            throw new IllegalStateException("kernel events are closed");
        }
        Libc.checked("inotify_init1", inotify);
        int watch = watch(file);
        Waiter waiter = new Waiter(action, once);
        waiters.computeIfAbsent(watch, _ -> new ArrayList<>()).add(waiter);
        return () -> remove(watch, waiter::equals);
    }

    private int watch(Path file) {
        try (Arena path = Arena.ofConfined()) {
            return (int) Libc.checked("inotify_add_watch", file, ADD.call(inotify, address(path, file), IN_MODIFY));
        }
    }

    /** What is to run for the writes since the last call, each action once. On the event thread. */
    synchronized Set<Runnable> written() {
        Set<Runnable> due = new LinkedHashSet<>();
        long length = closed ? 0 : Libc.read(inotify, buffer);
        for (long at = 0; at < length; ) {
            int watch = buffer.get(JAVA_INT, at);
            int mask = buffer.get(JAVA_INT, at + 4);
            at += HEADER + buffer.get(JAVA_INT, at + 12);
            if ((mask & IN_Q_OVERFLOW) != 0) {
                List.copyOf(waiters.keySet()).forEach(each -> fire(each, due));
            } else if ((mask & IN_IGNORED) != 0) {
                waiters.remove(watch); // its file is deleted
            } else {
                fire(watch, due);
            }
        }
        return due;
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiters.clear();
        descriptor().ifPresent(Libc::close);
        arena.close();
    }

    private void fire(int watch, Set<Runnable> due) {
        waiters.getOrDefault(watch, List.of()).forEach(waiter -> due.add(waiter.action));
        remove(watch, waiter -> waiter.once);
    }

    /** The watch goes with the last who waits, if the kernel has not dropped it before. */
    private synchronized void remove(int watch, Predicate<Waiter> which) {
        List<Waiter> waiting = waiters.get(watch);
        if (waiting != null && waiting.removeIf(which) && waiting.isEmpty()) {
            waiters.remove(watch);
            REMOVE.call(inotify, watch);
        }
    }

    /** Each is itself alone, whatever it runs. */
    private static final class Waiter {
        private final Runnable action;
        private final boolean once;

        Waiter(Runnable action, boolean once) {
            this.action = action;
            this.once = once;
        }
    }
}
