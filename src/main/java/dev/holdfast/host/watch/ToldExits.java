package dev.holdfast.host.watch;

import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.ProcessExits.Exit;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.task.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last ends of processes that the kernel told of. They tell apart what no shell does, and who was killed among a
 * command's processes. One whose parent was quicker to reap than the kernel to tell (proc_exit_connector) names no
 * parent and is nobody's. Costs no thread: what came is fetched when an end is asked for, and once a second while a
 * command runs. Nothing is told of a former launcher with the same pid: of so few ends as are kept, none is so old that
 * pids have come round. Knows nothing where the kernel tells nothing. Thread-safe.
 */
public final class ToldExits implements AutoCloseable {
    /** Two of a command and its holder, for some hundred commands that end at once, beside others' processes. */
    static final int REMEMBERED = 4096;

    private final @Nullable ProcessExits source;
    private final Deque<Exit> told = new ArrayDeque<>();

    public ToldExits() {
        this(ProcessExits.open().orElse(null));
    }

    ToldExits(@Nullable ProcessExits source) {
        this.source = source;
    }

    /** Knows nothing. */
    public static ToldExits silent() {
        return new ToldExits(null);
    }

    /** Whether an end that is not there yet is worth waiting for. */
    boolean tells() {
        return source != null;
    }

    /** Makes room in the kernel's buffer. */
    synchronized void fetch() {
        if (source != null) {
            source.drain(this::add);
        }
    }

    /** The latest end; the oldest is forgotten for it when there are more than {@link #REMEMBERED}. */
    synchronized void add(Exit exit) {
        told.addLast(exit);
        if (told.size() > REMEMBERED) {
            told.removeFirst();
        }
    }

    /** How the latest child of this launcher ended that a shell would give {@code code} for. */
    synchronized Optional<WaitStatus> childOf(long launcher, int code) {
        fetch();
        return told.reversed().stream()
                .filter(exit -> exit.parent() == launcher)
                .map(Exit::status)
                .filter(status -> ExitFile.shellCode(status) == code)
                .findFirst();
    }

    /** The pids of those that descended from this launcher and were killed, as far as their parents ended badly too. */
    synchronized Set<Long> killedBelow(long launcher) {
        fetch();
        Set<Long> family = new HashSet<>(Set.of(launcher));
        Set<Long> killed = new HashSet<>();
        // A parent ends after its child, so the latest come first.
        for (Exit exit : told.reversed()) {
            if (family.contains(exit.parent())) {
                family.add(exit.pid());
                if (exit.status().signal() == Signal.KILL.number()) {
                    killed.add(exit.pid());
                }
            }
        }
        return killed;
    }

    @Override
    public synchronized void close() {
        if (source != null) {
            source.close();
        }
    }
}
