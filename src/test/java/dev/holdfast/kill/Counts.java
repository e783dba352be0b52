package dev.holdfast.kill;

/** What became of the commands of the rounds with one victim. */
final class Counts {
    int rounds;
    int commands;
    /** Ended by themselves: every byte, and the right exit code. */
    int exact;
    /** Ended by a stop: the output up to then. */
    int stopped;
    /**
     * Lost their terminal with its keeper: the output up to then, and at most what was in the kernel's buffer missing.
     */
    int terminalLost;
    /** Their exit could not be learnt, which is said. */
    int unknown;
    /** Ended in their caller's window; their folder keeps the answer. */
    int answered;

    static String head() {
        return "%-10s %7s %9s %7s %8s %9s %14s %8s"
                .formatted("killed", "rounds", "commands", "exact", "stopped", "answered", "terminal lost", "unknown");
    }

    String line(Victim victim) {
        return "%-10s %7d %9d %7d %8d %9d %14d %8d"
                .formatted(victim, rounds, commands, exact, stopped, answered, terminalLost, unknown);
    }
}
