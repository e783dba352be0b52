package dev.holdfast.host.watch;

import dev.holdfast.host.proc.KernelUnits;
import dev.holdfast.kernel.KernelLog;
import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether the kernel's out-of-memory killer chose a process of a command, by what it logged ({@code __oom_kill_process}
 * in mm/oom_kill.c): it names its victim by pid. Only that counts; where the log cannot be read, or names pids that
 * mean others here (a container), nothing is said.
 */
public final class OutOfMemory {
    /** Level below 8: by the kernel, not a process; number; microseconds since the boot, sleep left out; flags. */
    private static final Pattern KILLED = Pattern.compile(
            "[0-7],\\d+,(\\d+),[^;]*;(?:Memory cgroup out of memory|Out of memory)[^:;]*: Killed process (\\d+) \\((.*)\\) total-vm:.*",
            Pattern.DOTALL);

    /** Clocks are read one after the other, and start times count in hundredths. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    private OutOfMemory() {}

    /** Whether the exit looks as if it, or a child whose exit it passed on, had been killed. */
    public static boolean maybe(Exit exit) {
        return switch (exit) {
            case Exit.Signalled(String signal) -> signal.equals("SIGKILL");
            case Exit.Code(int status) -> status == 137;
            case Exit.Unseen _ -> false;
        };
    }

    /**
     * What is to be told of a command that has ended.
     *
     * @param pids of its processes, as far as they are known
     * @param launcher which started before all of them
     * @return empty when none of them was a victim since
     */
    public static Map<String, String> details(Collection<Long> pids, ProcessIdentity launcher) {
        if (pids.isEmpty() || !ProcessExits.inFirstNamespace()) {
            return Map.of();
        }
        Duration age = KernelUnits.since(launcher.startTicks()).plus(SLACK);
        // Without the sleep of the machine, as the log counts; a command that slept too looks older, never younger.
        long since = (System.nanoTime() - age.toNanos()) / 1000;
        Map<String, String> found = new HashMap<>();
        KernelLog.read(entry -> found.putAll(victim(entry, Set.copyOf(pids), since)));
        return Map.copyOf(found);
    }

    /** @param since microseconds since the boot */
    static Map<String, String> victim(String entry, Set<Long> pids, long since) {
        Matcher killed = KILLED.matcher(entry);
        boolean ours = killed.matches()
                && Long.parseLong(killed.group(1)) >= since
                && pids.contains(Long.valueOf(killed.group(2)));
        return ours
                ? Map.of(
                        "out_of_memory",
                        "true",
                        "killed_pid",
                        killed.group(2),
                        "killed_name",
                        killed.group(3),
                        "evidence",
                        "kernel log")
                : Map.of();
    }
}
