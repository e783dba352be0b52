package dev.holdfast.host;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The system call in which a thread sleeps and that can be a wait for input, with its first two arguments.
 *
 * @param second 0 where it has no meaning here
 */
record SystemCall(Kind kind, long first, long second) {
    enum Kind {
        /** {@code read, readv, splice}: a descriptor. */
        READ,
        /** {@code select, pselect6}: how many descriptors, the address of the set to read from. */
        SELECT,
        /** {@code poll, ppoll}: the address of the array, its length. */
        POLL,
        /** {@code epoll_wait, epoll_pwait, epoll_pwait2}: a descriptor. */
        EPOLL,
        /** A wait that was stopped and continued, as a poll is; its arguments stay. */
        RESTARTED
    }

    /** Numbers of asm/unistd_64.h and asm-generic/unistd.h. A 32-bit program's differ: its waits are not understood. */
    static final Map<Long, Kind> X86_64 = Map.ofEntries(
            Map.entry(0L, Kind.READ),
            Map.entry(19L, Kind.READ),
            Map.entry(275L, Kind.READ),
            Map.entry(23L, Kind.SELECT),
            Map.entry(270L, Kind.SELECT),
            Map.entry(7L, Kind.POLL),
            Map.entry(271L, Kind.POLL),
            Map.entry(232L, Kind.EPOLL),
            Map.entry(281L, Kind.EPOLL),
            Map.entry(441L, Kind.EPOLL),
            Map.entry(219L, Kind.RESTARTED));

    static final Map<Long, Kind> ARM_64 = Map.ofEntries(
            Map.entry(63L, Kind.READ),
            Map.entry(65L, Kind.READ),
            Map.entry(76L, Kind.READ),
            Map.entry(72L, Kind.SELECT),
            Map.entry(73L, Kind.POLL),
            Map.entry(22L, Kind.EPOLL),
            Map.entry(441L, Kind.EPOLL),
            Map.entry(128L, Kind.RESTARTED));

    private static final Map<Long, Kind> KINDS = "aarch64".equals(System.getProperty("os.arch")) ? ARM_64 : X86_64;
    private static final Pattern BLANK = Pattern.compile(" ");
    private static final int LINE = 256;

    /** Whether {@code /proc} lets us see the calls of this process: not another user's, and not with Yama's leave alone. */
    static boolean readable(long pid) {
        return ProcFiles.read("/proc/" + pid + "/syscall", new byte[LINE]) > 0;
    }

    /** Null when the thread runs, or sleeps in another call. */
    static @Nullable SystemCall of(long pid, long thread) {
        String path = "/proc/" + pid + "/task/" + thread;
        byte[] bytes = new byte[LINE];
        int length = ProcFiles.read(path + "/syscall", bytes);
        SystemCall call = parse(new String(bytes, 0, length, StandardCharsets.US_ASCII), KINDS);
        if (call == null || call.kind() != Kind.RESTARTED || !isPoll(ProcFiles.text(path + "/wchan"))) {
            return call;
        }
        return new SystemCall(Kind.POLL, call.first(), call.second());
    }

    /** Reads {@code number 0xargument …}; a running thread has the word {@code running} there. */
    static @Nullable SystemCall parse(String line, Map<Long, Kind> kinds) {
        String[] words = BLANK.split(line.strip(), -1);
        if (words.length < 3 || words[0].startsWith("-")) {
            return null;
        }
        Kind kind = kinds.get(Long.parseLong(words[0]));
        return kind == null ? null : new SystemCall(kind, argument(words[1]), argument(words[2]));
    }

    private static long argument(String word) {
        return Long.parseUnsignedLong(word, 2, word.length(), 16);
    }

    private static boolean isPoll(String kernelFunction) {
        return kernelFunction.startsWith("poll_schedule_timeout") || kernelFunction.startsWith("do_sys_poll");
    }
}
