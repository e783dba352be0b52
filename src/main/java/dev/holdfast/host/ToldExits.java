package dev.holdfast.host;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.ProcessExits.Exit;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.task.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;

/**
 * The last ends of processes that were told, each under a number that counts them, and whose they were: an end names the
 * parent, but one that its parent was quicker to reap than the kernel to tell of names none (proc_exit_connector), and is
 * known by its birth. Not thread-safe.
 */
final class ToldExits {
    /** Two of a command and its holder, for some hundred commands that end in the same moment, beside others' processes. */
    static final int REMEMBERED = 4096;

    /** Who was born of whom. */
    interface Births {
        /** False also when it is not known. */
        boolean isChild(long pid, long parent);
    }

    /** @param number counts the ends that were told */
    private record Told(long number, Exit exit) {}

    private final Births births;
    private final Deque<Told> told = new ArrayDeque<>();
    private long count;

    ToldExits(Births births) {
        this.births = births;
    }

    /** The latest end; the oldest is forgotten for it when there are more than {@link #REMEMBERED}. */
    void add(Exit exit) {
        told.addLast(new Told(++count, exit));
        if (told.size() > REMEMBERED) {
            told.removeFirst();
        }
    }

    /** A moment: an end with a larger number came after it. */
    long count() {
        return count;
    }

    /** How the child of this launcher ended that a shell would give {@code code} for. */
    Optional<WaitStatus> childOf(long launcher, int code, long since) {
        for (Iterator<Told> latest = told.descendingIterator(); latest.hasNext(); ) {
            Told one = latest.next();
            if (one.number() <= since) {
                break;
            }
            WaitStatus status = one.exit().status();
            if (ExitFile.shellCode(status) == code && isChild(one.exit(), Set.of(launcher))) {
                return Optional.of(status);
            }
        }
        return Optional.empty();
    }

    /** The pids of those that descended from this launcher and were killed, as far as their parents ended badly too. */
    Set<Long> killedBelow(long launcher, long since) {
        Set<Long> family = new HashSet<>(Set.of(launcher));
        Set<Long> killed = new HashSet<>();
        // A parent ends after its child, so the latest come first.
        for (Iterator<Told> latest = told.descendingIterator(); latest.hasNext(); ) {
            Told one = latest.next();
            if (one.number() <= since) {
                break;
            }
            Exit exit = one.exit();
            if (isChild(exit, family)) {
                family.add(exit.pid());
                if (exit.status().signal() == Signal.KILL.number()) {
                    killed.add(exit.pid());
                }
            }
        }
        return killed;
    }

    private boolean isChild(Exit exit, Set<Long> parents) {
        return exit.parent() == ProcessExits.NO_PARENT
                ? parents.stream().anyMatch(parent -> births.isChild(exit.pid(), parent))
                : parents.contains(exit.parent());
    }
}
