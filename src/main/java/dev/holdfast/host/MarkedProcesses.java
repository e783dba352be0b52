package dev.holdfast.host;

import dev.holdfast.task.TaskId;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks at every process of this machine that may be looked at. Costs about 20 microseconds a process. */
@Singleton
public final class MarkedProcesses implements Survivors {
    private static final Path PROC = Path.of("/proc");

    @Override
    public boolean exist(TaskId id) {
        return pids().anyMatch(pid -> marked(pid, id) && !Launcher.isOwn(cmdline(pid)));
    }

    /** Whether the process was started by this task, as far as its environment says. */
    static boolean marked(long pid, TaskId id) {
        byte[] marker = (Launcher.MARKER + "=" + id + "\0").getBytes(StandardCharsets.US_ASCII);
        byte[] environment = read(pid, "environ");
        int at = indexOf(environment, marker);
        return at == 0 || (at > 0 && environment[at - 1] == 0);
    }

    /** The launcher of a task whose folder does not say who it is: its command line names the folder. */
    static Optional<ProcStat> launcherOf(Path folder) {
        byte[] name = ("\0" + folder + "\0").getBytes(StandardCharsets.UTF_8);
        return pids().filter(pid -> {
                    byte[] line = cmdline(pid);
                    return Launcher.isOwn(line) && indexOf(line, name) >= 0;
                })
                .flatMap(pid -> ProcStat.of(pid).stream())
                .filter(stat -> stat.session() == stat.pid())
                .findFirst();
    }

    static byte[] cmdline(long pid) {
        return read(pid, "cmdline");
    }

    /** Every process there is. */
    static Stream<Long> pids() {
        String[] names = PROC.toFile().list();
        return names == null
                ? Stream.empty()
                : Arrays.stream(names)
                        .filter(name -> Character.isDigit(name.charAt(0)))
                        .map(Long::valueOf);
    }

    private static byte[] read(long pid, String file) {
        try {
            return Files.readAllBytes(PROC.resolve(Long.toString(pid)).resolve(file));
        } catch (IOException e) {
            // It ended, or is another user's.
            return new byte[0];
        }
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.indexOf(new String(wanted, StandardCharsets.ISO_8859_1));
    }
}
