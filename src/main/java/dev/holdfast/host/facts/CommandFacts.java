package dev.holdfast.host.facts;

import dev.holdfast.host.proc.KernelUnits;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.runtime.port.HostedCommand.LiveProcess;
import dev.holdfast.runtime.port.HostedCommand.MainProcess;
import dev.holdfast.runtime.port.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.port.HostedCommand.ReadingShell;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /proc} says of commands: what they wait for, where they listen, what lives of them. Each look is compared
 * with the former one of the same command, which is kept for some seconds; none waits. Thread-safe.
 */
@Singleton
public final class CommandFacts {
    /** A look this soon after another does not take its place: too little can have happened between. */
    private static final long TOO_SOON_NANOS = 300_000_000;

    private final Lineage lineage;
    private final KernelUnits units;
    private final ListeningPorts ports = new ListeningPorts();
    private final ConcurrentMap<TaskId, Activity> former = new ConcurrentHashMap<>();
    /** The listeners that a search among all processes of a task was made for. */
    private final ConcurrentMap<TaskId, Search> searches = new ConcurrentHashMap<>();

    private record Search(long nanoTime, Map<Long, Integer> listeners) {}

    public CommandFacts(Lineage lineage, InstantSource clock) {
        this.lineage = lineage;
        this.units = KernelUnits.read(clock);
    }

    /** Of each of them, whoever belongs to it now, by one look for all of them together. */
    public Map<TaskId, ProcessFacts> of(Collection<TaskProcess> targets) {
        long began = System.nanoTime();
        former.values().removeIf(activity -> !activity.isRecentAt(began));
        Map<TaskId, TaskTree> trees = lineage.look(targets);
        ListeningPorts.Tables listeners = ListeningPorts.now();
        Map<TaskId, ProcessFacts> facts = new HashMap<>();
        for (TaskProcess target : targets) {
            TaskTree tree = trees.getOrDefault(target.id(), TaskTree.NONE);
            facts.put(target.id(), facts(target, tree, listeners));
        }
        return facts;
    }

    /** Of one, by those who were seen to be its own and what descends from them: some 100 µs, however many run. */
    public ProcessFacts of(TaskProcess target) {
        return facts(target, near(target), ListeningPorts.now());
    }

    /**
     * Whether a process of the command listens on the port, in our own network namespace. Cheap enough to ask often:
     * some 50 µs while nobody listens there; whoever does is looked for among all of its processes once a second at
     * most.
     */
    public boolean listensOn(TaskProcess target, int port) {
        ListeningPorts.Tables listeners = ListeningPorts.now();
        if (!listeners.own().containsValue(port)) {
            return false;
        }
        if (ports.of(near(target).processes(), listeners).contains(port)) {
            return true;
        }
        long now = System.nanoTime();
        searches.values().removeIf(search -> now - search.nanoTime() > 1_000_000_000);
        Search known = searches.get(target.id());
        if (known != null && known.listeners().equals(listeners.own())) {
            return false;
        }
        searches.put(target.id(), new Search(now, listeners.own()));
        return ports.of(lineage.look(target).processes(), listeners).contains(port);
    }

    /** Whether it waits for input, and nothing else could wake any of its processes; what it printed does not count. */
    public boolean onlyReads(TaskProcess target) {
        return new InputWait(target).isAll(near(target));
    }

    /** The shell that takes what is sent to it now; nothing when none does, or somebody else waits for input. */
    public Optional<ReadingShell> readingShell(TaskProcess target) {
        TaskTree tree = near(target);
        return ShellAtWork.find(tree).filter(shell -> shell.inFront() || !new InputWait(target).holds(tree, false));
    }

    private TaskTree near(TaskProcess target) {
        List<ProcessIdentity> seen = new ArrayList<>();
        Stream.ofNullable(target.launcher()).forEach(seen::add);
        Stream.ofNullable(target.command()).forEach(seen::add);
        Stream.ofNullable(former.get(target.id())).forEach(before -> seen.addAll(before.processes()));
        ProcessTable table = ProcessTable.below(
                seen.stream().map(ProcessIdentity::pid).distinct().toList());
        List<ProcessStat> known =
                seen.stream().map(table::find).filter(Objects::nonNull).toList();
        return TaskTree.of(target, table, known, true);
    }

    private ProcessFacts facts(TaskProcess target, TaskTree tree, ListeningPorts.Tables listeners) {
        List<Integer> own = List.copyOf(ports.of(tree.processes(), listeners));
        return new ProcessFacts(
                main(tree.command()),
                waiting(target, tree, !own.isEmpty()),
                own,
                tree.processes().stream().map(this::live).toList());
    }

    private Waiting waiting(TaskProcess target, TaskTree tree, boolean listens) {
        Activity now = Activity.of(tree);
        Activity before = former.get(target.id());
        if (before == null || now.nanoTime() - before.nanoTime() > TOO_SOON_NANOS) {
            former.put(target.id(), now);
        }
        if (tree.processes().isEmpty()) {
            return Waiting.IDLE;
        }
        if (new InputWait(target).holds(tree, listens)) {
            return Waiting.INPUT;
        }
        return now.works(tree, before) ? Waiting.BUSY : Waiting.IDLE;
    }

    private @Nullable MainProcess main(@Nullable ProcessStat command) {
        return command == null ? null : new MainProcess(command.pid(), units.startedAt(command));
    }

    private LiveProcess live(ProcessStat process) {
        return new LiveProcess(
                process.pid(),
                process.parent(),
                process.name(),
                CommandLine.of(process),
                units.residentBytes(process),
                units.cpuTime(process));
    }
}
