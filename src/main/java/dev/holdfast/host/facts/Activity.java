package dev.holdfast.host.facts;

import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.task.ProcessIdentity;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much a task had run when it was looked at, and who its processes were.
 *
 * @param nanoTime of {@link System#nanoTime}
 */
record Activity(long nanoTime, long cpuTicks, Set<ProcessIdentity> processes) {
    /** The kernel counts in hundredths of a second: of less it says nothing. */
    private static final Duration TOO_SOON = Duration.ofMillis(30);
    /** What a server may use that waits for work: a hundredth of a core, from second to second. */
    private static final long ONE_TICK = 1;
    /** What is older says nothing of now. */
    static final Duration RECENT = Duration.ofSeconds(3);

    static Activity of(TaskTree tree) {
        Set<ProcessIdentity> identities = new HashSet<>();
        tree.processes().forEach(process -> identities.add(process.identity()));
        long ticks = tree.processes().stream().mapToLong(ProcessStat::cpuTicks).sum();
        return new Activity(System.nanoTime(), ticks, identities);
    }

    boolean isRecentAt(long now) {
        return now - nanoTime <= RECENT.toNanos();
    }

    /**
     * Whether the task works: something of it runs now, or did since the former look. Without one that can be compared
     * with, each of its threads tells.
     */
    boolean works(TaskTree tree, @Nullable Activity before) {
        if (tree.processes().stream().anyMatch(Activity::runs)) {
            return true;
        }
        if (before == null || !before.isRecentAt(nanoTime) || nanoTime - before.nanoTime < TOO_SOON.toNanos()) {
            return tree.processes().stream().anyMatch(Activity::anyThreadRuns);
        }
        return cpuTicks > before.cpuTicks + ONE_TICK || !processes.equals(before.processes);
    }

    private static boolean anyThreadRuns(ProcessStat process) {
        String threads = "/proc/" + process.pid() + "/task/";
        return process.threads() > 1
                && Arrays.stream(ProcFiles.numbers(threads))
                        .mapToObj(thread -> ProcessStat.read(threads + thread + "/stat"))
                        .anyMatch(thread -> thread != null && runs(thread));
    }

    /** Whether it runs now, or waits for a disk. */
    static boolean runs(ProcessStat process) {
        return process.state() == 'R' || process.state() == 'D';
    }
}
