package dev.holdfast.host.proc;

import dev.holdfast.task.ProcessIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One process as {@code /proc/[pid]/stat} told it at one moment; proc_pid_stat(5) has the fields. Of a process whose
 * first thread has ended the kernel shows no memory, files or environment there any more, but does so for its other
 * threads.
 *
 * @param thread the first one, which has the pid's number; when that has ended, one that runs
 * @param name its {@code comm}, at most 15 bytes, whatever characters it has
 * @param state a letter: R runs, S sleeps, D waits for a disk, T is stopped, Z is a zombie
 * @param group process group
 * @param terminal device number of its controlling terminal, 0 without one
 * @param foreground the terminal's foreground process group, -1 without a terminal
 * @param cpuTicks user and system time of all its threads
 * @param threads live threads, its first one counted even when that has ended
 * @param startTicks clock ticks after boot
 * @param environmentAddress where its environment lies: another one after each exec, the same after a fork; 0 when it
 *     is not ours to know
 */
public record ProcessStat(
        long pid,
        long thread,
        String name,
        char state,
        long parent,
        long group,
        long session,
        long terminal,
        long foreground,
        long cpuTicks,
        long threads,
        long startTicks,
        long residentPages,
        long environmentAddress) {

    public static final Comparator<ProcessStat> OLDEST_FIRST =
            Comparator.comparingLong(ProcessStat::startTicks).thenComparingLong(ProcessStat::pid);

    private static final int FIRST_NUMBER = 4;
    private static final int LAST_FIELD = 50;

    /** What a process' or a thread's {@code stat} says now; null when it is gone. */
    public static @Nullable ProcessStat read(String path) {
        return read(path, new byte[ProcessTable.LINE]);
    }

    /** @param room for the line, {@link ProcessTable#LINE} bytes */
    static @Nullable ProcessStat read(String path, byte[] room) {
        int length = ProcFiles.read(path, room);
        return length == 0 ? null : parse(room, length);
    }

    /**
     * Reads the kernel's line. The name stands between the first parenthesis and the last one, since it may hold blanks
     * and parentheses itself.
     *
     * @return null when it is not such a line
     */
    public static @Nullable ProcessStat parse(byte[] line, int length) {
        int open = 0;
        while (open < length && line[open] != '(') {
            open++;
        }
        int close = length - 1;
        while (close > open && line[close] != ')') {
            close--;
        }
        long[] fields = new long[LAST_FIELD + 1];
        if (close <= open || close + 2 >= length || !numbers(line, close + 3, length, fields)) {
            return null;
        }
        long pid = pid(line, open);
        return new ProcessStat(
                pid,
                pid,
                new String(line, open + 1, close - open - 1, StandardCharsets.UTF_8),
                (char) line[close + 2],
                fields[4],
                fields[5],
                fields[6],
                fields[7],
                fields[8],
                fields[14] + fields[15],
                fields[20],
                fields[22],
                fields[24],
                fields[50]);
    }

    private static long pid(byte[] line, int open) {
        long pid = 0;
        for (int i = 0; i < open - 1; i++) {
            pid = 10 * pid + (line[i] - '0');
        }
        return pid;
    }

    /**
     * The fields after the state, each at its number in proc_pid_stat(5). Some are unsigned and wrap; none of those is
     * kept. False when the line ends too early.
     */
    private static boolean numbers(byte[] line, int from, int length, long[] into) {
        int at = from;
        for (int field = FIRST_NUMBER; field <= LAST_FIELD; field++) {
            if (at >= length || line[at] != ' ') {
                return false;
            }
            at++;
            boolean negative = at < length && line[at] == '-';
            at += negative ? 1 : 0;
            long value = 0;
            while (at < length && line[at] >= '0' && line[at] <= '9') {
                value = 10 * value + (line[at++] - '0');
            }
            into[field] = negative ? -value : value;
        }
        return true;
    }

    /** Not a zombie. A program whose first thread has ended shows as one too, but its other threads run on. */
    public boolean alive() {
        return (state != 'Z' && state != 'X' && state != 'x') || threads > 1;
    }

    /** Whether it runs on without its first thread. */
    boolean headless() {
        return state == 'Z' && threads > 1;
    }

    /** The same process, its memory and files those of another of its threads. */
    ProcessStat shownBy(ProcessStat other) {
        return new ProcessStat(
                pid,
                other.pid,
                name,
                state,
                parent,
                group,
                session,
                terminal,
                foreground,
                cpuTicks,
                threads,
                startTicks,
                other.residentPages,
                other.environmentAddress);
    }

    /** Where its memory, files and environment are seen: {@code /proc/[pid]}, or a thread's folder below it. */
    public String folder() {
        return thread == pid ? "/proc/" + pid : "/proc/" + pid + "/task/" + thread;
    }

    /** Its arguments, a NUL after each; empty for a kernel thread and for what is gone. */
    public byte[] arguments() {
        return ProcFiles.all(folder() + "/cmdline");
    }

    public ProcessIdentity identity() {
        return new ProcessIdentity(pid, startTicks);
    }
}
