package dev.holdfast.host.facts;

import dev.holdfast.host.proc.ProcFiles;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The system call in which a thread sleeps, of those that tell what a task waits for, with its first two arguments.
 *
 * @param second 0 where it has no meaning here
 * @param limit when it ends by itself: milliseconds, {@link #NEVER}, or {@link #SOMETIME}
 */
record SystemCall(Kind kind, long first, long second, long limit) {
    static final long NEVER = -1;
    /** There is a limit, and it lies in the thread's own memory. */
    static final long SOMETIME = Long.MAX_VALUE;

    /** With its numbers in asm/unistd_64.h and asm-generic/unistd.h: those of a 32-bit program are not understood. */
    enum Kind {
        /** {@code read, readv, splice}: a descriptor. */
        READ("0 19 275", "63 65 76"),
        /** {@code select, pselect6}: how many descriptors, the address of the set to read from. */
        SELECT("23 270", "72"),
        /** {@code poll}: the address of the array, its length. */
        POLL("7", ""),
        /** {@code ppoll}: the same. */
        PPOLL("271", "73"),
        /** {@code epoll_wait, epoll_pwait}: a descriptor. */
        EPOLL("232 281", "22"),
        /** {@code epoll_pwait2}: a descriptor. */
        EPOLL2("441", "441"),
        /** A wait that was stopped and continued, as a poll is; its arguments stay. */
        RESTARTED("219", "128"),
        /** {@code futex, pause, sigsuspend, sigtimedwait}: for another thread, or a signal. */
        PARKED("202 34 130 128", "98 133 137"),
        /** Any other. */
        OTHER("", "");

        private final String onX86;
        private final String onArm;

        Kind(String onX86, String onArm) {
            this.onX86 = onX86;
            this.onArm = onArm;
        }
    }

    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Pattern BLANK = Pattern.compile(" ");
    static final Map<Long, Kind> X86_64 = byNumber(kind -> kind.onX86);
    static final Map<Long, Kind> ARM_64 = byNumber(kind -> kind.onArm);
    private static final Map<Long, Kind> KINDS = "aarch64".equals(System.getProperty("os.arch")) ? ARM_64 : X86_64;
    private static final int LINE = 256;

    private static Map<Long, Kind> byNumber(Function<Kind, String> numbers) {
        Map<Long, Kind> kinds = new HashMap<>();
        for (Kind kind : Kind.values()) {
            NUMBER.matcher(numbers.apply(kind)).results().forEach(one -> kinds.put(Long.valueOf(one.group()), kind));
        }
        return kinds;
    }

    /** Whether {@code /proc} shows us the calls of this process: not another user's, nor with Yama's leave alone. */
    static boolean readable(long pid) {
        return ProcFiles.read("/proc/" + pid + "/syscall", new byte[LINE]) > 0;
    }

    /** Null when the thread runs. */
    static @Nullable SystemCall of(long pid, long thread) {
        String path = "/proc/" + pid + "/task/" + thread;
        byte[] bytes = new byte[LINE];
        int length = ProcFiles.read(path + "/syscall", bytes);
        SystemCall call = parse(new String(bytes, 0, length, StandardCharsets.US_ASCII), KINDS);
        if (call == null || call.kind() != Kind.RESTARTED || !isPoll(ProcFiles.text(path + "/wchan"))) {
            return call;
        }
        return new SystemCall(Kind.POLL, call.first(), call.second(), call.limit());
    }

    /** Reads {@code number 0xargument …}; a running thread has the word {@code running} there. */
    static @Nullable SystemCall parse(String line, Map<Long, Kind> kinds) {
        String[] words = BLANK.split(line.strip(), -1);
        if (words.length < 6 || words[0].startsWith("-")) {
            return null;
        }
        Kind kind = kinds.getOrDefault(Long.parseLong(words[0]), Kind.OTHER);
        return new SystemCall(kind, argument(words[1]), argument(words[2]), limit(kind, words));
    }

    private static long limit(Kind kind, String[] words) {
        return switch (kind) {
            case POLL, RESTARTED -> milliseconds(words[3]);
            case EPOLL -> milliseconds(words[4]);
            case PPOLL -> at(words[3]);
            case EPOLL2 -> at(words[4]);
            case SELECT -> at(words[5]);
            case READ, PARKED, OTHER -> NEVER;
        };
    }

    private static long milliseconds(String word) {
        int limit = (int) argument(word);
        return limit < 0 ? NEVER : limit;
    }

    private static long at(String address) {
        return argument(address) == 0 ? NEVER : SOMETIME;
    }

    private static long argument(String word) {
        return Long.parseUnsignedLong(word, 2, word.length(), 16);
    }

    private static boolean isPoll(String kernelFunction) {
        return kernelFunction.startsWith("poll_schedule_timeout") || kernelFunction.startsWith("do_sys_poll");
    }
}
