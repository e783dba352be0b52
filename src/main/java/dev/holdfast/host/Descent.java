package dev.holdfast.host;

import dev.holdfast.kernel.ProcessBirths.Birth;
import dev.holdfast.task.TaskId;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One process and where it comes from, as far as it matters. Guarded by its {@link Descents}. */
final class Descent {
    static final long NANOS_PER_TICK = 10_000_000;
    /** A fork takes its start time and is told of within microseconds, unless it is interrupted between the two. */
    private static final long SLACK_TICKS = 20;

    private final long pid;
    private final long bootNanos;
    private final boolean birthSeen;
    private final long since;
    private @Nullable Descent parent;
    private @Nullable TaskId owner;

    /**
     * @param bootNanos when it was there, on the clock of start times
     * @param birthSeen whether it was born then
     * @param since how many fetches of births had begun
     */
    private Descent(long pid, long bootNanos, boolean birthSeen, long since, @Nullable Descent parent) {
        this.pid = pid;
        this.bootNanos = bootNanos;
        this.birthSeen = birthSeen;
        this.since = since;
        this.parent = parent;
    }

    /** @param parent null when it comes from nobody who could be a task's */
    static Descent born(Birth birth, @Nullable Descent parent, long since) {
        return new Descent(birth.pid(), birth.bootNanos(), true, since, parent);
    }

    /** Somebody's parent at that moment, whose own birth was not told. */
    static Descent unborn(long pid, long bootNanos, long since) {
        return new Descent(pid, bootNanos, false, since, null);
    }

    static Descent seen(ProcessStat process, long since) {
        return new Descent(process.pid(), process.startTicks() * NANOS_PER_TICK, true, since, null);
    }

    long pid() {
        return pid;
    }

    boolean isKnownBefore(long fetches) {
        return since <= fetches;
    }

    boolean isOlderThan(long nanos) {
        return bootNanos < nanos;
    }

    /** Whether the process that had this pid and start is the one meant here, if it lived on when this became known. */
    boolean isOf(long startTicks) {
        long told = bootNanos / NANOS_PER_TICK;
        return startTicks <= told && (!birthSeen || startTicks >= told - SLACK_TICKS);
    }

    /** Whether the process is a later one with the same pid. */
    boolean isBefore(long startTicks) {
        return bootNanos / NANOS_PER_TICK < startTicks;
    }

    /** Whether this is the birth of the process with this start, which may have ended. */
    boolean isBirthOf(long startTicks) {
        return birthSeen && isOf(startTicks);
    }

    void belongTo(TaskId task) {
        owner = task;
        parent = null;
    }

    /** @param launcherOf the task that somebody is the launcher of, null for all others */
    @Nullable
    TaskId owner(Function<Descent, @Nullable TaskId> launcherOf) {
        for (Descent ancestor = this; ancestor != null; ancestor = ancestor.parent) {
            TaskId task = ancestor.owner != null ? ancestor.owner : launcherOf.apply(ancestor);
            if (task != null) {
                return task;
            }
        }
        return null;
    }

    /** Leaves out the ancestors that matter no more; each of those on the way does the same. */
    void shorten(Predicate<Descent> matters) {
        Descent next = parent;
        while (next != null && !matters.test(next)) {
            next = next.parent;
        }
        for (Descent passed = this; passed != null && passed.parent != next; ) {
            Descent above = passed.parent;
            passed.parent = next;
            passed = above;
        }
    }

    /** Whether that was its parent when it was born; false also when that is known no more. */
    boolean isChildOf(long pid) {
        return birthSeen && parent != null && parent.pid == pid;
    }

    /** Ancestors that are kept for it. */
    int depth() {
        int depth = 0;
        for (Descent ancestor = parent; ancestor != null; ancestor = ancestor.parent) {
            depth++;
        }
        return depth;
    }
}
