package dev.holdfast.runtime.call;

import java.util.Locale;

/** What helps where nothing could be made or written: a full disk is the most frequent reason, and not the only one. */
public final class Remedy {
    private static final String FILES = "The server has too few file descriptors: end tasks, terminals and streams that"
            + " are no longer needed, then try again; or start it with a higher limit (ulimit -Hn 4096; in a unit"
            + " LimitNOFILE=4096).";
    private static final String SIZE = "Start the server with a higher limit of what a file may grow to"
            + " (ulimit -f unlimited; in a unit LimitFSIZE=infinity).";

    private static final String THREADS = "The server can have no more threads: end tasks that are no longer needed,"
            + " then try again; or let it have more (ulimit -u; in a unit TasksMax; of a container --pids-limit).";

    private Remedy() {}

    /**
     * @param reason what the system said, as the JDK or {@code ErrnoException} words it
     * @param otherwise where it is none of the limits of this process
     */
    public static String of(String reason, String otherwise) {
        String said = reason.toLowerCase(Locale.ROOT);
        if (said.contains("too many open files")) {
            return FILES;
        }
        if (said.contains("native thread")) {
            return THREADS;
        }
        return said.contains("file too large") || said.contains("ulimit -f") ? SIZE : otherwise;
    }
}
