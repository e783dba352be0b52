package dev.holdfast.host.facts;

import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.task.LeftProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What outlives its command. Thread-safe. */
public final class LeftRunning {
    /** What is about to end by itself, such as the last part of a pipeline, gets so long. */
    private static final long SETTLE_NANOS = Duration.ofMillis(100).toNanos();

    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(5).toNanos();

    private final Lineage lineage;
    private final ListeningPorts ports = new ListeningPorts();

    public LeftRunning(Lineage lineage) {
        this.lineage = lineage;
    }

    /** By pid, as they are a tenth of a second after the end; empty as soon as nobody is left. Looks at all first. */
    public List<LeftProcess> of(TaskProcess ended, Instant endedAt) {
        List<ProcessStat> living = lineage.look(ended).processes();
        long since = Duration.between(endedAt, Instant.now()).toNanos();
        long deadline = System.nanoTime() + Math.clamp(SETTLE_NANOS - since, 0, SETTLE_NANOS);
        while (!living.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            living = living(living);
        }
        if (living.isEmpty()) {
            return List.of();
        }
        ListeningPorts.Tables listeners = ListeningPorts.now();
        return lineage.look(ended).processes().stream()
                .map(process -> left(process, listeners))
                .toList();
    }

    private static List<ProcessStat> living(List<ProcessStat> processes) {
        return processes.stream()
                .filter(process -> ProcessTable.alive(process.identity()))
                .toList();
    }

    private LeftProcess left(ProcessStat process, ListeningPorts.Tables listeners) {
        List<Integer> open = List.copyOf(ports.of(List.of(process), listeners));
        return new LeftProcess(process.pid(), process.name(), CommandLine.of(process), open);
    }
}
