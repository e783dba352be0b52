package dev.holdfast.host.stop;

import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Sends signals to processes that were seen in a snapshot, each through a pidfd and only if its start time is still the
 * same, so that no later process with its pid is hit. Remembers who may not be signalled. Not thread-safe.
 */
final class Signals {
    private final Set<ProcessIdentity> refused = new HashSet<>();

    void send(Signal signal, Collection<ProcessStat> processes) {
        processes.forEach(process -> send(signal, process.identity()));
    }

    /** Whether it belongs to a user whom this one may not signal. */
    boolean refusedBy(ProcessStat process) {
        return refused.contains(process.identity());
    }

    private void send(Signal signal, ProcessIdentity process) {
        Optional<Pidfd> opened = Pidfd.open(process.pid());
        if (opened.isEmpty()) {
            return;
        }
        try (Pidfd pidfd = opened.get()) {
            if (ProcessTable.alive(process)) {
                pidfd.signal(signal.number());
            }
        } catch (ErrnoException failure) {
            if (failure.errno() != ErrnoException.EPERM) {
                throw failure;
            }
            refused.add(process); // not lost: whoever stops the task reports it as a survivor
        }
    }
}
