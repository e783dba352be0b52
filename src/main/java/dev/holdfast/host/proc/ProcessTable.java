package dev.holdfast.host.proc;

import dev.holdfast.task.ProcessIdentity;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Every process of the machine at about one moment: {@code /proc} read once, some 10 µs a process, the latest pid first
 * since that is the likeliest to be gone soon. It is no atomic picture: a process may fork behind the reader's back, so
 * whoever must be certain looks twice. Immutable. Looks throw an {@link dev.holdfast.kernel.ErrnoException} or an
 * {@link UncheckedIOException} when {@code /proc} cannot be read, rather than call what they did not see gone.
 */
public final class ProcessTable {
    /** More than the kernel writes into a {@code stat}. */
    public static final int LINE = 1024;

    private static final Pattern BLANK = Pattern.compile(" ");
    private static final boolean TELLS_CHILDREN = new File("/proc/thread-self/children").exists();

    private final Map<Long, ProcessStat> byPid = new HashMap<>();
    private final Map<Long, List<ProcessStat>> byParent = new HashMap<>();
    private final Map<Long, List<ProcessStat>> bySession = new HashMap<>();

    private ProcessTable(Collection<ProcessStat> processes) {
        for (ProcessStat process : processes) {
            byPid.put(process.pid(), process);
            byParent.computeIfAbsent(process.parent(), p -> new ArrayList<>()).add(process);
            bySession.computeIfAbsent(process.session(), s -> new ArrayList<>()).add(process);
        }
    }

    public static ProcessTable read() {
        List<ProcessStat> processes = new ArrayList<>();
        byte[] line = new byte[LINE];
        long[] pids = ProcFiles.numbers("/proc");
        if (pids.length == 0) {
            throw new UncheckedIOException(new IOException("no process is to be seen in /proc, not even this one"));
        }
        for (int i = pids.length - 1; i >= 0; i--) {
            ProcessStat process = stat(pids[i], line);
            if (process != null) {
                processes.add(process);
            }
        }
        return new ProcessTable(processes);
    }

    /**
     * These and what descends from them, as if they were all there are. Nobody else is looked at, so who lost his
     * parent is not among them.
     */
    public static ProcessTable below(Collection<Long> pids) {
        Map<Long, ProcessStat> found = new HashMap<>();
        Deque<Long> open = new ArrayDeque<>(pids);
        byte[] line = new byte[LINE];
        while (!open.isEmpty()) {
            long pid = open.remove();
            ProcessStat process = found.containsKey(pid) ? null : stat(pid, line);
            if (process != null) {
                found.put(pid, process);
                children(process, open);
            }
        }
        return new ProcessTable(found.values());
    }

    /** Each thread has a list of those that it started, but for kernels without CONFIG_PROC_CHILDREN. */
    private static void children(ProcessStat process, Collection<Long> into) {
        if (!TELLS_CHILDREN) {
            read().children(process).forEach(child -> into.add(child.pid()));
            return;
        }
        String threads = "/proc/" + process.pid() + "/task";
        for (long thread : process.threads() == 1 ? new long[] {process.pid()} : ProcFiles.numbers(threads)) {
            String list = ProcFiles.text(threads + "/" + thread + "/children").strip();
            if (!list.isEmpty()) {
                BLANK.splitAsStream(list).map(Long::valueOf).forEach(into::add);
            }
        }
    }

    /** One process as it is now, null when there is none with that pid. */
    public static @Nullable ProcessStat stat(long pid) {
        return stat(pid, new byte[LINE]);
    }

    private static @Nullable ProcessStat stat(long pid, byte[] line) {
        ProcessStat process = ProcessStat.read("/proc/" + pid + "/stat", line);
        return process != null && process.headless() ? withThread(process, line) : process;
    }

    private static ProcessStat withThread(ProcessStat process, byte[] line) {
        String threads = "/proc/" + process.pid() + "/task";
        for (long thread : ProcFiles.numbers(threads)) {
            ProcessStat seen = ProcessStat.read(threads + "/" + thread + "/stat", line);
            if (seen != null && seen.state() != 'Z') {
                return process.shownBy(seen);
            }
        }
        return process; // all have ended meanwhile
    }

    /** That very process as it is now; null when it has ended, whoever has its pid, and for a zombie. */
    public static @Nullable ProcessStat living(@Nullable ProcessIdentity identity) {
        ProcessStat now = identity == null ? null : stat(identity.pid());
        return now != null && now.alive() && now.identity().equals(identity) ? now : null;
    }

    /** Whether that very process still runs now; a zombie does not. */
    public static boolean alive(@Nullable ProcessIdentity identity) {
        return living(identity) != null;
    }

    /** With zombies. */
    public Collection<ProcessStat> processes() {
        return byPid.values();
    }

    @Nullable
    public ProcessStat get(long pid) {
        return byPid.get(pid);
    }

    /** That very process, not a later one with its pid; null when it is gone. */
    @Nullable
    public ProcessStat find(@Nullable ProcessIdentity identity) {
        ProcessStat process = identity == null ? null : byPid.get(identity.pid());
        return process != null && process.identity().equals(identity) ? process : null;
    }

    public List<ProcessStat> children(ProcessStat parent) {
        return byParent.getOrDefault(parent.pid(), List.of());
    }

    public List<ProcessStat> session(long id) {
        return bySession.getOrDefault(id, List.of());
    }
}
