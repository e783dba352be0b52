package dev.holdfast.host;

import java.util.List;

/** Names of signals by number on Linux, x86-64 and arm64; signal(7). */
final class SignalNames {
    private static final List<String> NAMES = List.of(
            "SIGHUP",
            "SIGINT",
            "SIGQUIT",
            "SIGILL",
            "SIGTRAP",
            "SIGABRT",
            "SIGBUS",
            "SIGFPE",
            "SIGKILL",
            "SIGUSR1",
            "SIGSEGV",
            "SIGUSR2",
            "SIGPIPE",
            "SIGALRM",
            "SIGTERM",
            "SIGSTKFLT",
            "SIGCHLD",
            "SIGCONT",
            "SIGSTOP",
            "SIGTSTP",
            "SIGTTIN",
            "SIGTTOU",
            "SIGURG",
            "SIGXCPU",
            "SIGXFSZ",
            "SIGVTALRM",
            "SIGPROF",
            "SIGWINCH",
            "SIGIO",
            "SIGPWR",
            "SIGSYS");
    private static final int FIRST_REAL_TIME = 34;
    private static final int LAST = 64;

    private SignalNames() {}

    /** Whether there is a signal of this number. */
    static boolean known(int number) {
        return number >= 1 && number <= LAST;
    }

    static String of(int number) {
        if (number >= 1 && number <= NAMES.size()) {
            return NAMES.get(number - 1);
        }
        return number < FIRST_REAL_TIME ? "SIG" + number : "SIGRTMIN+" + (number - FIRST_REAL_TIME);
    }
}
