package dev.holdfast.host;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.task.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last ends of processes that the kernel told of, for the two signals that no shell names. Costs no thread: what came
 * is fetched when a command starts, when an end is asked for, and at each look of {@link LineageWatch}. Knows nothing
 * where the kernel tells nothing. Thread-safe.
 */
final class WitnessedExits implements AutoCloseable {
    /** Two of a command and its holder, for some hundred commands that end in the same moment, beside others' processes. */
    private static final int REMEMBERED = 4096;

    /** @param number counts the ends that were told */
    private record Told(long number, ProcessExits.Exit exit) {}

    /** Who was born of whom. */
    interface Births {
        boolean isChild(long pid, long parent);
    }

    private final Births births;
    private final @Nullable ProcessExits source = ProcessExits.open().orElse(null);
    private final Deque<Told> told = new ArrayDeque<>();
    private long count;

    WitnessedExits(Births births) {
        this.births = births;
    }

    /** Whether an end that is not there yet is worth waiting for. */
    boolean tells() {
        return source != null;
    }

    /** A moment: an end with a larger number came after it. Take it before a launcher is started. */
    synchronized long now() {
        fetch();
        return count;
    }

    /** How the child of this launcher ended that a shell would give {@code code} for. */
    synchronized Optional<WaitStatus> childOf(long launcher, int code, long since) {
        fetch();
        for (Iterator<Told> latest = told.descendingIterator(); latest.hasNext(); ) {
            Told one = latest.next();
            if (one.number() <= since) {
                break;
            }
            WaitStatus status = one.exit().status();
            if (ExitFile.shellCode(status) == code && isChild(one.exit(), launcher)) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }

    /** An end that its parent was quicker to reap than the kernel to tell of names none (proc_exit_connector). */
    private boolean isChild(ProcessExits.Exit exit, long launcher) {
        return exit.parent() == launcher
                || (exit.parent() == ProcessExits.NO_PARENT && births.isChild(exit.pid(), launcher));
    }

    /** The pids of those that descended from this launcher and were killed, as far as their parents ended badly too. */
    synchronized Set<Long> killedBelow(long launcher, long since) {
        fetch();
        Set<Long> family = new HashSet<>(Set.of(launcher));
        Set<Long> killed = new HashSet<>();
        // A parent ends after its child, so the latest come first.
        for (Iterator<Told> latest = told.descendingIterator(); latest.hasNext(); ) {
            Told one = latest.next();
            if (one.number() <= since) {
                break;
            }
            ProcessExits.Exit exit = one.exit();
            if (family.contains(exit.parent())) {
                family.add(exit.pid());
                if (exit.status().signal() == Signal.KILL.number()) {
                    killed.add(exit.pid());
                }
            }
        }
        return killed;
    }

    /** Makes room in the kernel's buffer. */
    synchronized void fetch() {
        if (source != null) {
            source.drain(this::remember);
        }
    }

    private void remember(ProcessExits.Exit exit) {
        told.addLast(new Told(++count, exit));
        if (told.size() > REMEMBERED) {
            told.removeFirst();
        }
    }

    @Override
    public synchronized void close() {
        if (source != null) {
            source.close();
        }
    }
}
