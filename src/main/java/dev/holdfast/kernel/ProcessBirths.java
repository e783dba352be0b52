package dev.holdfast.kernel;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Which process of this machine was forked by which, as the kernel tells it ({@link ProcessEvents}): threads left out, in
 * such an order that a process is born before its children are. The event comes before the child runs, at the end of a
 * fork, when the child can be seen in {@code /proc} already (copy_process in kernel/fork.c). Some ten thousand wait
 * until they are read, some hundreds where this user may not have a large buffer. Thread-safe.
 */
public final class ProcessBirths implements AutoCloseable {
    private static final int PROC_EVENT_FORK = 1;

    /** Of the numbers of a fork; those of threads stand beside them. */
    private static final int PARENT = 1;

    private static final int THREAD = 2;
    private static final int PID = 3;

    private final ProcessEvents events;
    private boolean closed;

    /**
     * @param parent the process that forked it; where that asked for a sibling instead of a child (CLONE_PARENT), its own
     *     parent
     * @param bootNanos when it was told, on the clock of process start times: the start is the same moment or a little before
     */
    public record Birth(long pid, long parent, long bootNanos) {}

    private ProcessBirths(ProcessEvents events) {
        this.events = events;
    }

    /** Listens from now on. Empty where the kernel has no such filter, or its pids mean others here (in a container). */
    public static Optional<ProcessBirths> open() {
        return ProcessEvents.open(PROC_EVENT_FORK, PROC_EVENT_FORK).map(ProcessBirths::new);
    }

    /** Tells of all births after this call again. One system call. */
    public synchronized void listen() {
        if (!closed) {
            events.listen();
        }
    }

    /** Tells of none any more, and drops those that nobody read. */
    public synchronized void ignore() {
        if (!closed) {
            events.ignore();
            while (events.read() != ProcessEvents.Read.NOTHING) {
                // dropped
            }
        }
    }

    /**
     * Hands over what came since the last call, oldest first. Never blocks. Of births that were lost none is handed over
     * that came after them: the next drain begins there.
     *
     * @return whether births were lost after those that were handed over
     */
    public synchronized boolean drain(Consumer<Birth> into) {
        if (closed) {
            return false;
        }
        boolean lost = false;
        long sleep = BootTime.aheadOfMonotonic();
        ProcessEvents.Read read = events.read();
        while (read != ProcessEvents.Read.NOTHING) {
            switch (read) {
                case LOSS -> {
                    lost = true;
                    events.ignore(); // what is in the buffer came before the loss, and nothing joins it now
                }
                case EVENT -> born(sleep, into);
                case NOTHING -> throw new AssertionError();
            }
            read = events.read();
        }
        if (lost) {
            events.listen();
        }
        return lost;
    }

    private void born(long sleep, Consumer<Birth> into) {
        int pid = events.number(PID);
        if (events.number(THREAD) == pid) {
            into.accept(new Birth(pid, events.number(PARENT), events.time() + sleep));
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            events.close();
        }
    }
}
