package dev.holdfast.kernel;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * How processes of this machine ended, as the kernel tells it ({@link ProcessEvents}). Only ends with a status other than 0
 * are asked for. The parent is woken first (do_exit in kernel/exit.c), so that an event may come a moment after the wait
 * it is about; as a rule it is there before. Some thousands of them wait until they are read, and what does not fit is
 * lost. Thread-safe.
 */
public final class ProcessExits implements AutoCloseable {
    private static final int PROC_EVENT_NONZERO_EXIT = 0x20000000;
    private static final int PROC_EVENT_EXIT = 0x80000000;

    /** Of the numbers of an exit. */
    private static final int PID = 0;

    private static final int CODE = 2;
    private static final int PARENT = 5;

    private final ProcessEvents events;
    private boolean closed;

    /** In place of the parent of a process that had been reaped before its end was told. */
    public static final long NO_PARENT = 0;

    /** @param parent the process that it was a child of, or {@link #NO_PARENT} */
    public record Exit(long pid, long parent, WaitStatus status) {}

    private ProcessExits(ProcessEvents events) {
        this.events = events;
    }

    /** Empty where the kernel has no such filter, or its events name pids that mean others here (in a container). */
    public static Optional<ProcessExits> open() {
        return ProcessEvents.open(PROC_EVENT_EXIT, PROC_EVENT_NONZERO_EXIT).map(ProcessExits::new);
    }

    /** Whether the kernel's numbers of processes mean the same here: not in a container that has its own. */
    public static boolean inFirstNamespace() {
        return ProcessEvents.inFirstNamespace();
    }

    /** Hands over what came since the last call, oldest first. Never blocks. */
    public synchronized void drain(Consumer<Exit> into) {
        ProcessEvents.Read read = closed ? ProcessEvents.Read.NOTHING : events.read();
        while (read != ProcessEvents.Read.NOTHING) {
            // After a loss, what is there can be read.
            if (read == ProcessEvents.Read.EVENT) {
                into.accept(new Exit(events.number(PID), events.number(PARENT), new WaitStatus(events.number(CODE))));
            }
            read = events.read();
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
