package dev.holdfast.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.holdfast.kernel.KernelEvents.Registration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One inotify instance and who waits for writes to which file. The kernel holds one watch a file, so that several who
 * wait for the same one share it; it is a one-shot as long as all of them want the next write only.
 */
final class FileWrites implements AutoCloseable {
    private static final int BUFFER = 64 * 1024;
    /** {@code struct inotify_event}: watch, mask, cookie, length of the name that follows. */
    private static final int HEADER = 16;

    private final int inotify;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER, 8);
    private final Map<Path, Watch> byFile = new HashMap<>();
    private final Map<Integer, Watch> byNumber = new HashMap<>();
    private boolean closed;

    FileWrites() {
        inotify = (int) Bindings.checked("inotify_init1", Libc.inotifyInit());
    }

    int descriptor() {
        return inotify;
    }

    synchronized Registration add(Path file, Runnable action, boolean once) {
        if (closed) {
            throw new IllegalStateException("kernel events are closed");
        }
        Watch watch = byFile.computeIfAbsent(file, Watch::new);
        Waiter waiter = new Waiter(watch, action, once);
        watch.waiters.add(waiter);
        try {
            arm(watch);
        } catch (ErrnoException e) {
            forget(waiter);
            throw e;
        }
        return waiter;
    }

    /** What is to run for the writes since the last call, each action once. On the event thread. */
    synchronized List<Runnable> written() {
        List<Runnable> due = new ArrayList<>();
        long length = closed ? 0 : Libc.read(inotify, buffer);
        for (long at = 0; at < length; ) {
            int number = buffer.get(JAVA_INT, at);
            int mask = buffer.get(JAVA_INT, at + 4);
            at += HEADER + buffer.get(JAVA_INT, at + 12);
            if ((mask & Libc.IN_Q_OVERFLOW) != 0) {
                List.copyOf(byFile.values()).forEach(watch -> fire(watch, due));
            }
            Watch watch = byNumber.get(number);
            if (watch != null && (mask & Libc.IN_IGNORED) != 0) {
                drop(watch);
            } else if (watch != null) {
                fire(watch, due);
            }
        }
        return due;
    }

    @Override
    public synchronized void close() {
        closed = true;
        byFile.clear();
        byNumber.clear();
        Libc.close(inotify);
        arena.close();
    }

    private void arm(Watch watch) {
        boolean oneShot = watch.waiters.stream().allMatch(waiter -> waiter.once);
        if (watch.number >= 0 && watch.oneShot == oneShot) {
            return;
        }
        int mask = oneShot ? Libc.IN_MODIFY | Libc.IN_ONESHOT : Libc.IN_MODIFY;
        int number =
                (int) Bindings.checked("inotify_add_watch", watch.file, Libc.inotifyAdd(inotify, watch.file, mask));
        byNumber.remove(watch.number);
        watch.number = number;
        watch.oneShot = oneShot;
        byNumber.put(number, watch);
    }

    private void fire(Watch watch, List<Runnable> due) {
        if (watch.oneShot) {
            // The kernel has taken it away with this event.
            byNumber.remove(watch.number);
            watch.number = -1;
        }
        for (Waiter waiter : watch.waiters) {
            if (!due.contains(waiter.action)) {
                due.add(waiter.action);
            }
        }
        watch.waiters.removeIf(waiter -> waiter.once);
        if (watch.waiters.isEmpty()) {
            drop(watch);
        }
    }

    private synchronized void forget(Waiter waiter) {
        Watch watch = waiter.watch;
        if (watch.waiters.remove(waiter) && watch.waiters.isEmpty()) {
            drop(watch);
        }
    }

    private void drop(Watch watch) {
        byFile.remove(watch.file, watch);
        if (watch.number >= 0 && !closed && byNumber.remove(watch.number, watch)) {
            // EINVAL when the kernel dropped it first, with its file.
            Libc.inotifyRemove(inotify, watch.number);
        }
    }

    private static final class Watch {
        private final Path file;
        private final List<Waiter> waiters = new ArrayList<>();
        private int number = -1;
        private boolean oneShot;

        Watch(Path file) {
            this.file = file;
        }
    }

    private final class Waiter implements Registration {
        private final Watch watch;
        private final Runnable action;
        private final boolean once;

        Waiter(Watch watch, Runnable action, boolean once) {
            this.watch = watch;
            this.action = action;
            this.once = once;
        }

        @Override
        public void close() {
            forget(this);
        }
    }
}
