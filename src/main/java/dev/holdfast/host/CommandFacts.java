package dev.holdfast.host;

import dev.holdfast.runtime.HostedCommand.LiveProcess;
import dev.holdfast.runtime.HostedCommand.MainProcess;
import dev.holdfast.runtime.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.HostedCommand.Waiting;
import dev.holdfast.task.TaskId;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /proc} says of commands: what they wait for, where they listen, what lives of them. Thread-safe. A look at all
 * processes takes some milliseconds, whatever the number of commands, and {@link #SECOND_LOOK} more when the first leaves
 * open whether one works.
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
    public Map<TaskId, ProcessFacts> read(Collection<TaskProcess> targets) {
        Map<TaskId, Look> looks = new HashMap<>();
        first(targets).forEach(look -> looks.put(look.target().id(), look));
        List<Look> open =
                looks.values().stream().filter(look -> look.waiting() == null).toList();
        if (!open.isEmpty()) {
            LockSupport.parkNanos(SECOND_LOOK.toNanos());
            second(open).forEach(look -> looks.put(look.target().id(), look));
        }
        Map<TaskId, ProcessFacts> facts = new HashMap<>();
        looks.forEach((id, look) -> facts.put(id, facts(look)));
        return facts;
    }

    private List<Look> first(Collection<TaskProcess> targets) {
        ListeningPorts ports = new ListeningPorts();
        Map<TaskId, Lineage.@Nullable Activity> before = new HashMap<>();
        targets.forEach(target -> before.put(target.id(), lineage.activity(target.id())));
        Map<TaskId, TaskTree> trees = lineage.look(targets);
        return targets.stream()
                .map(target -> {
                    TaskTree tree = trees.getOrDefault(target.id(), TaskTree.NONE);
                    List<Integer> own = List.copyOf(ports.of(tree.processes()));
                    Lineage.@Nullable Activity then = before.get(target.id());
                    return new Look(target, tree, own, waiting(target, tree, !own.isEmpty(), then));
                })
                .toList();
    }

    private List<Look> second(List<Look> open) {
        Map<TaskId, TaskTree> trees =
                lineage.look(open.stream().map(Look::target).toList());
        return open.stream()
                .map(look -> again(look, trees.getOrDefault(look.target().id(), TaskTree.NONE)))
                .toList();
    }

    /** @param waiting null while it is open whether it works */
    private record Look(
            TaskProcess target,
            TaskTree tree,
            List<Integer> ports,
            @Nullable Waiting waiting) {}

    private ProcessFacts facts(Look look) {
        return new ProcessFacts(
                main(look.tree().command()),
                Objects.requireNonNull(look.waiting()),
                look.ports(),
                look.tree().processes().stream().map(this::live).toList());
    }

    /**
     * Whether a process of the command listens on the port, in our own network namespace. Cheap enough to ask often as
     * long as nobody listens there: some 50 µs.
     */
    @Override
    public boolean listensOn(TaskProcess target, int port) {
        return ListeningPorts.anywhere(port)
                && new ListeningPorts().of(lineage.look(target).processes()).contains(port);
    }

    private @Nullable MainProcess main(@Nullable ProcessStat command) {
        return command == null ? null : new MainProcess(command.pid(), units.startedAt(command));
    }

    private static @Nullable Waiting waiting(
            TaskProcess target, TaskTree tree, boolean listens, Lineage.@Nullable Activity before) {
        if (tree.processes().isEmpty()) {
            return Waiting.IDLE;
        }
        if (new InputWait(target).holds(tree, listens)) {
            return Waiting.INPUT;
        }
        if (works(tree)) {
            return Waiting.BUSY;
        }
        Lineage.Activity now = Lineage.Activity.of(tree);
        return before != null && isComparable(before, now) && now.sameWorkAs(before) ? Waiting.IDLE : null;
    }

    private static Look again(Look first, TaskTree later) {
        Waiting waiting;
        if (new InputWait(first.target()).holds(later, !first.ports().isEmpty())) {
            waiting = Waiting.INPUT;
        } else {
            boolean same = Lineage.Activity.of(first.tree()).sameWorkAs(Lineage.Activity.of(later));
            waiting = works(later) || !same ? Waiting.BUSY : Waiting.IDLE;
        }
        return new Look(first.target(), first.tree(), first.ports(), waiting);
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
