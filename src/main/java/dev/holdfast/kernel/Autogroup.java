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
    private static final LibcFunction GETSID = LibcFunction.ofInt("getsid");

    private Autogroup() {}

    /**
     * Puts the session of a process before others if the process leads it, so that nobody else's work is put first with
     * it. Does nothing where this is not allowed (it takes CAP_SYS_NICE) or there are no such groups.
     */
    public static void prefer(long pid) {
        try {
            if (GETSID.call(pid) == pid) {
                Files.writeString(Path.of("/proc/" + pid + "/autogroup"), BEFORE_OTHERS, StandardOpenOption.WRITE);
            }
        } catch (IOException none) {
            // as the kernel has it, then
        }
    }
}
