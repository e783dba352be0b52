package dev.holdfast.kernel;

import static dev.holdfast.kernel.LibcFunction.address;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Calls on processes by number. Safe only for a child that is not reaped, or a group that has a known member. */
public final class Processes {
    private static final int P_PID = 1;
    private static final int WNOHANG = 1;
    private static final int WEXITED = 4;
    private static final int SIGINFO_SIZE = 128;
    private static final long SI_CODE = 8;
    private static final long SI_PID = 16;
    private static final long SI_STATUS = 24;
    private static final int CLD_EXITED = 1;

    private static final LibcFunction KILL = LibcFunction.ofInt("kill");
    private static final LibcFunction WAITID = LibcFunction.ofInt("waitid");

    private Processes() {}

    /**
     * Reaps this child and no other; never blocks.
     *
     * @return how it ended; empty when it runs, or is no child of this process
     */
    public static Optional<WaitStatus> reap(long pid) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(SIGINFO_SIZE, 8);
            long result = WAITID.call(P_PID, pid, address(info), WEXITED | WNOHANG);
            if (result < 0 || info.get(JAVA_INT, SI_PID) == 0) {
                return Optional.empty();
            }
            int status = info.get(JAVA_INT, SI_STATUS);
            return Optional.of(new WaitStatus(info.get(JAVA_INT, SI_CODE) == CLD_EXITED ? status << 8 : status));
        }
    }

    /** Whether the group has a process, zombies counted, whosever it is. */
    public static boolean groupExists(long group) {
        return group > 1 && KILL.call(-group, 0) != -ErrnoException.ESRCH;
    }

    /** @return false: no process of the group takes it */
    public static boolean signalGroup(long group, int signal) {
        if (group <= 1) {
            throw new IllegalArgumentException("no group to signal: " + group);
        }
        return KILL.call(-group, signal) >= 0;
    }
}
