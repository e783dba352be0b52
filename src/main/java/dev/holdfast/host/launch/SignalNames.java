package dev.holdfast.host.launch;

import java.util.List;

/** Names of signals by number on Linux, x86-64 and arm64; signal(7). */
final class SignalNames {
    /** From 1 on. */
    private static final List<String> NAMES = List.of(
            ("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG"
                            + " XCPU XFSZ VTALRM PROF WINCH IO PWR SYS")
                    .split(" ", -1));

    private static final int FIRST_REAL_TIME = 34;
    private static final int LAST = 64;

    private SignalNames() {}

    /** Whether there is a signal of this number. */
    static boolean known(int number) {
        return number >= 1 && number <= LAST;
    }

    static String of(int number) {
        if (number >= 1 && number <= NAMES.size()) {
            return "SIG" + NAMES.get(number - 1);
        }
        return number < FIRST_REAL_TIME ? "SIG" + number : "SIGRTMIN+" + (number - FIRST_REAL_TIME);
    }
}
