package dev.holdfast.host;

import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A line of {@code /proc/[pid]/stat}; see proc_pid_stat(5).
 *
 * @param foreground the foreground process group of its terminal, -1 without one
 * @param startTicks clock ticks after boot
 * @param line as it was read
 */
record ProcStat(
        long pid, char state, long parent, long group, long session, long foreground, long startTicks, String line) {
    private static final int FIELDS_NEEDED = 20;

    /** Empty when there is no such process, or it may not be looked at. */
    static Optional<ProcStat> of(long pid) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc/" + pid + "/stat"));
            return parse(new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            // It ended before or while it was read.
            return Optional.empty();
        }
    }

    /** Empty when {@code line} is no such line, or is cut off. */
    static Optional<ProcStat> parse(String line) {
        int name = line.indexOf(" (");
        // A program can name itself "x) R 1": the last bracket ends the name.
        int end = line.lastIndexOf(") ");
        if (name < 1 || end < name) {
            return Optional.empty();
        }
        String[] fields = line.substring(end + 2).split(" ", -1);
        if (fields.length <= FIELDS_NEEDED) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ProcStat(
                    Long.parseLong(line.substring(0, name)),
                    fields[0].charAt(0),
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[5]),
                    Long.parseLong(fields[19]),
                    line.strip()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Whether it has not ended; a zombie has. */
    boolean alive() {
        return state != 'Z' && state != 'X' && state != 'x';
    }

    ProcessIdentity identity() {
        return new ProcessIdentity(pid, startTicks, BootId.current());
    }

    /** What is known of this very process now; empty when it has ended, whoever has its pid. */
    static Optional<ProcStat> of(ProcessIdentity identity) {
        return identity.bootId().equals(BootId.current())
                ? of(identity.pid()).filter(now -> now.startTicks() == identity.startTicks() && now.alive())
                : Optional.empty();
    }
}
