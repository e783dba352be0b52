package dev.holdfast.host;

import dev.holdfast.runtime.HostedCommand.LiveProcess;
import dev.holdfast.runtime.HostedCommand.MainProcess;
import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.HostedCommand.Waiting;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /proc} says of a command: what it waits for, where it listens, what lives of it. Thread-safe. A look takes
 * some milliseconds, and {@link #SECOND_LOOK} more when the first leaves open whether it works.
 */
@Singleton
public final class CommandFacts implements FactsReader {
    private static final Duration SECOND_LOOK = Duration.ofMillis(30);
    /** A former look that is older says nothing of now. */
    private static final Duration RECENT = Duration.ofSeconds(3);

    private static final int COMMAND_BYTES = 4096;
    private static final Pattern END = Pattern.compile("\0");

    private final Lineage lineage;
    private final KernelUnits units;

    @Inject
    public CommandFacts(Lineage lineage, InstantSource clock) {
        this.lineage = lineage;
        this.units = KernelUnits.read(clock);
    }

    @Override
    public ProcessFacts read(TaskProcess target) {
        Lineage.Activity before = lineage.activity(target.id());
        TaskTree tree = lineage.look(target);
        List<Integer> ports = List.copyOf(ListeningPorts.of(tree.processes()));
        return new ProcessFacts(
                main(tree.command()),
                waiting(target, tree, !ports.isEmpty(), before),
                ports,
                tree.processes().stream().map(this::live).toList());
    }

    /**
     * Whether a process of the command listens on the port, in our own network namespace. Cheap enough to ask often as
     * long as nobody listens there: some 50 µs.
     */
    @Override
    public boolean listensOn(TaskProcess target, int port) {
        return ListeningPorts.anywhere(port)
                && ListeningPorts.of(lineage.look(target).processes()).contains(port);
    }

    private @Nullable MainProcess main(@Nullable ProcessStat command) {
        return command == null ? null : new MainProcess(command.pid(), units.startedAt(command));
    }

    private Waiting waiting(TaskProcess target, TaskTree tree, boolean listens, Lineage.@Nullable Activity before) {
        if (tree.processes().isEmpty()) {
            return Waiting.IDLE;
        }
        InputWait input = new InputWait(target);
        if (input.holds(tree, listens)) {
            return Waiting.INPUT;
        }
        if (works(tree)) {
            return Waiting.BUSY;
        }
        Lineage.Activity now = Lineage.Activity.of(tree);
        if (before != null && isComparable(before, now) && now.sameWorkAs(before)) {
            return Waiting.IDLE;
        }
        LockSupport.parkNanos(SECOND_LOOK.toNanos());
        TaskTree later = lineage.look(target);
        if (input.holds(later, listens)) {
            return Waiting.INPUT;
        }
        return works(later) || !now.sameWorkAs(Lineage.Activity.of(later)) ? Waiting.BUSY : Waiting.IDLE;
    }

    private static boolean isComparable(Lineage.Activity before, Lineage.Activity now) {
        long passed = now.nanoTime() - before.nanoTime();
        return passed >= SECOND_LOOK.toNanos() && passed <= RECENT.toNanos();
    }

    private static boolean works(TaskTree tree) {
        return tree.processes().stream().anyMatch(process -> process.state() == 'R' || process.state() == 'D');
    }

    private LiveProcess live(ProcessStat process) {
        return new LiveProcess(
                process.pid(),
                process.parent(),
                process.name(),
                arguments(process),
                units.residentBytes(process),
                units.cpuTime(process));
    }

    private static List<String> arguments(ProcessStat process) {
        byte[] bytes = new byte[COMMAND_BYTES];
        int length = ProcFiles.read(process.folder() + "/cmdline", bytes);
        String line = new String(bytes, 0, length, StandardCharsets.UTF_8);
        return line.isBlank() ? List.of() : List.of(END.split(line));
    }
}
