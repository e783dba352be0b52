package dev.holdfast.host.terminal;

import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the server knows of one terminal that the keeper holds, and who listens. Bytes come in on the connection's
 * reader thread and are passed on in order, each once. Where the keeper left some out, since this side read too slowly
 * or was not connected, they are read from the file; only what is no longer kept there is missing, and shows in the
 * offsets.
 */
final class HeldTerminal {
    private static final Logger LOG = System.getLogger(HeldTerminal.class.getName());
    private static final int CHUNK = 64 * 1024;

    /** Held while one listener after the other joins; never while bytes are passed on. */
    final ReentrantLock joining = new ReentrantLock();
    /** Held by whoever writes, so that the parts of a long input stay together. */
    final ReentrantLock writing = new ReentrantLock();

    private final TaskId id;
    private final MissedOutput missed;
    private final List<TerminalListener> listeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> releases = new ArrayList<>();
    // guarded by this
    private boolean attached;
    private boolean closed;
    private long next;

    HeldTerminal(TaskId id, MissedOutput missed) {
        this.id = id;
        this.missed = missed;
    }

    /** False when nothing arrives yet, so that the keeper has to be asked. A closed one tells the listener so. */
    synchronized boolean join(TerminalListener listener) {
        if (closed) {
            listener.onClose();
            return true;
        }
        if (attached) {
            listeners.add(listener);
        }
        return attached;
    }

    /** The keeper answered: bytes arrive from {@code at} on. */
    synchronized void attached(TerminalListener listener, long at) {
        attached = true;
        next = at;
        join(listener);
    }

    /** A new connection to the same keeper: bytes arrive from {@code at} on, those before that were missed. */
    synchronized void reattached(long at) {
        attached = true;
        catchUp(at);
    }

    synchronized boolean wanted() {
        return attached && !closed;
    }

    /** Runs {@code detach} when the last one has left, before anybody can join again. */
    synchronized void leave(TerminalListener listener, Runnable detach) {
        if (listeners.remove(listener) && listeners.isEmpty() && attached && !closed) {
            attached = false;
            detach.run();
        }
    }

    synchronized void output(long at, byte[] bytes) {
        catchUp(at);
        int known = Math.clamp(next - at, 0, bytes.length);
        if (known < bytes.length) {
            pass(known == 0 ? bytes : Arrays.copyOfRange(bytes, known, bytes.length));
        }
    }

    /** Runs it when nobody holds the terminal any more, at once when that is so. */
    synchronized void onRelease(Runnable action) {
        if (closed) {
            guarded(action);
        } else {
            releases.add(action);
        }
    }

    /** All that it printed is in the file: what came while no connection was there is passed on before the end. */
    synchronized void closed() {
        if (!closed) {
            catchUp(Long.MAX_VALUE);
            closed = true;
            releases.forEach(HeldTerminal::guarded);
            releases.clear();
            listeners.forEach(listener -> guarded(listener::onClose));
            listeners.clear();
        }
    }

    private void catchUp(long until) {
        if (until <= next) {
            return;
        }
        if (listeners.isEmpty()) {
            next = until;
            return;
        }
        try {
            while (next < until) {
                OutputStore.Slice slice = missed.read(id, next, (int) Math.min(CHUNK, until - next));
                if (slice.next() <= next) {
                    break;
                }
                if (slice.bytes().length > 0) {
                    next = slice.start();
                    pass(slice.bytes());
                }
                next = slice.next();
            }
        } catch (UncheckedIOException unreadable) {
            LOG.log(Level.WARNING, "missed output of " + id + " cannot be read again", unreadable);
        }
        next = Math.max(next, until);
    }

    private void pass(byte[] bytes) {
        long from = next;
        next += bytes.length;
        listeners.forEach(listener -> guarded(() -> listener.onOutput(from, bytes)));
    }

    /** A listener that fails harms no other. */
    private static void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException broken) {
            LOG.log(Level.WARNING, "a terminal's listener failed", broken);
        }
    }
}
