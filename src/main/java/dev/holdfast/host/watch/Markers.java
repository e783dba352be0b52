package dev.holdfast.host.watch;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Which processes carry a task's marker variable in their environment, as {@code /proc/[pid]/environ} shows it. An
 * environment changes by exec alone, so each is read once and remembered as long as its process has it. Thread-safe.
 */
public final class Markers {
    private static final String NAME = "\0" + Launcher.MARKER + "=";

    /** One program in one process. */
    private record Program(long pid, long startTicks, long environmentAddress) {
        static Program of(ProcessStat process) {
            return new Program(process.pid(), process.startTicks(), process.environmentAddress());
        }
    }

    /** @param task null: an environment without a marker */
    private record Marker(@Nullable TaskId task) {}

    private final ConcurrentMap<Program, Marker> read = new ConcurrentHashMap<>();

    /** The live processes of each task that has any with its marker. */
    public Map<TaskId, List<ProcessStat>> in(ProcessTable table) {
        Map<TaskId, List<ProcessStat>> marked = new HashMap<>();
        int seen = 0;
        for (ProcessStat process : table.processes()) {
            if (process.alive() && process.environmentAddress() != 0) {
                seen++;
                Marker marker = read.computeIfAbsent(Program.of(process), _ -> marker(process));
                if (marker != null && marker.task() != null) {
                    marked.computeIfAbsent(marker.task(), t -> new ArrayList<>())
                            .add(process);
                }
            }
        }
        if (read.size() > 2 * seen + 100) {
            forgetAllBut(table);
        }
        return marked;
    }

    private void forgetAllBut(ProcessTable table) {
        Set<Program> live = new HashSet<>();
        table.processes().forEach(process -> live.add(Program.of(process)));
        read.keySet().retainAll(live);
    }

    /** Null, so that it is read again, where nothing is: perhaps the process is in the midst of an exec. */
    private static @Nullable Marker marker(ProcessStat process) {
        byte[] environment = ProcFiles.all(process.folder() + "/environ");
        if (environment.length == 0) {
            return null;
        }
        String text = "\0" + new String(environment, StandardCharsets.ISO_8859_1) + "\0";
        int at = text.indexOf(NAME);
        int value = at + NAME.length();
        Optional<TaskId> task =
                at < 0 ? Optional.empty() : TaskId.parse(text.substring(value, text.indexOf('\0', value)));
        return new Marker(task.orElse(null));
    }
}
