package dev.holdfast.host.facts;

import dev.holdfast.host.proc.OpenFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.runtime.port.CommandHost.Listener;
import dev.holdfast.task.TaskId;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Who listens on a port of our own network namespace, and whose task that is. Thread-safe. */
public record PortHolders(Lineage lineage) {
    /** @see dev.holdfast.runtime.port.CommandHost#listener */
    public Optional<Listener> of(Collection<Integer> candidates, Collection<TaskProcess> running) {
        Map<Long, Integer> listeners = ListeningPorts.now().own();
        return candidates.stream()
                .filter(listeners::containsValue)
                .findFirst()
                .map(port -> holder(port, inodes(listeners, port), running));
    }

    private static Set<Long> inodes(Map<Long, Integer> listeners, int port) {
        return listeners.entrySet().stream()
                .filter(listener -> listener.getValue() == port)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Of several, as workers share their parent's listener, the first. */
    private Listener holder(int port, Set<Long> inodes, Collection<TaskProcess> running) {
        for (var tree : lineage.look(running).entrySet()) {
            Optional<ProcessStat> own = first(tree.getValue().processes(), inodes);
            if (own.isPresent()) {
                return new Listener(port, own.get().pid(), tree.getKey());
            }
        }
        Optional<ProcessStat> any = first(ProcessTable.read().processes(), inodes);
        TaskId task = any.flatMap(lineage::taskOf).orElse(null);
        return new Listener(port, any.map(ProcessStat::pid).orElse(null), task);
    }

    private static Optional<ProcessStat> first(Collection<ProcessStat> processes, Set<Long> inodes) {
        return processes.stream()
                .filter(process -> OpenFiles.of(process).sockets().anyMatch(inodes::contains))
                .min(ProcessStat.OLDEST_FIRST);
    }
}
