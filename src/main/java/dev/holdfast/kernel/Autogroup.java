package dev.holdfast.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The scheduler's group of a session, sched(7): where there are such groups, each session gets the same share of the
 * processors. Every task has one, and the server that answers for all of them too: beside 16 busy tasks on two
 * processors a poll takes some 40 ms, and 0.6 where the server comes before them.
 */
public final class Autogroup {
    private static final String BEFORE_OTHERS = "-10";
    /** In what follows the name in {@code /proc/<pid>/stat}, proc_pid_stat(5). */
    private static final int SESSION = 4;

    private Autogroup() {}

    /**
     * Puts the session of a process before others if the process leads it, so that nobody else's work is put first with
     * it. Does nothing where this is not allowed (it takes CAP_SYS_NICE) or there are no such groups.
     */
    public static void prefer(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            String stat = Files.readString(process.resolve("stat"));
            if (stat.substring(stat.lastIndexOf(')')).split(" ", -1)[SESSION].equals(Long.toString(pid))) {
                Files.writeString(process.resolve("autogroup"), BEFORE_OTHERS, StandardOpenOption.WRITE);
            }
        } catch (IOException none) {
            // as the kernel has it, then
        }
    }
}
