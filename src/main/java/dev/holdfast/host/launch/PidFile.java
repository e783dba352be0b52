package dev.holdfast.host.launch;

import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.task.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who a command's processes are: a line of {@code /proc/[pid]/stat} for the launcher, written at its start, then one
 * for the command itself, written once it was seen. Only {@code rc} says that they ended.
 *
 * @param launcher null when it was not written yet
 * @param command null when it was not written yet
 */
public record PidFile(
        @Nullable ProcessIdentity launcher, @Nullable ProcessIdentity command) {
    public static final PidFile EMPTY = new PidFile(null, null);
    /** Of both lines and more, in bytes. */
    private static final int LONGEST = 64 * 1024;

    /** @throws ErrnoException when there is no descriptor to read it by */
    public static PidFile read(Path file) {
        List<ProcessIdentity> found;
        try {
            String text = new String(SmallFile.read(file, LONGEST), StandardCharsets.ISO_8859_1);
            // A line without its end may be cut off.
            found = text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .flatMap(line -> parse(line).stream())
                    .map(ProcessStat::identity)
                    .toList();
        } catch (IOException e) {
            Descriptor.requireGone(file, e);
            // Not there: the server died between the spawn and this, or there was never a spawn.
            return EMPTY;
        }
        return new PidFile(found.isEmpty() ? null : found.getFirst(), found.size() < 2 ? null : found.get(1));
    }

    private static Optional<ProcessStat> parse(String text) {
        byte[] line = text.getBytes(StandardCharsets.ISO_8859_1);
        return Optional.ofNullable(ProcessStat.parse(line, line.length));
    }

    /**
     * Adds the command's line, and its launcher's before it where a full disk had no room for that: the first one is
     * taken for the launcher.
     */
    public static void append(Path file, ProcessIdentity launcher, ProcessIdentity command) {
        if (read(file).launcher() == null) {
            append(file, launcher);
        }
        if (read(file).launcher() != null) {
            append(file, command);
        }
    }

    /** Adds the line of a process that is there, if only as a zombie. On a full disk it is known here only. */
    public static void append(Path file, ProcessIdentity process) {
        byte[] line = new byte[ProcessTable.LINE];
        int length = ProcFiles.read("/proc/" + process.pid() + "/stat", line);
        ProcessStat stat = length == 0 ? null : ProcessStat.parse(line, length);
        if (stat == null || !stat.identity().equals(process)) {
            return;
        }
        int flags = Descriptor.WRITE | Descriptor.CREATE | Descriptor.APPEND | Descriptor.NON_BLOCKING;
        try (Descriptor open = Descriptor.open(file, flags, 0600)) {
            open.write(line, 0, length);
        } catch (ErrnoException full) {
            return; // or the folder is gone
        }
    }
}
