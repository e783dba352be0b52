package dev.holdfast.host.proc;

import java.io.File;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the descriptors of a process point at, by the links in its {@code fd} folder. Links are read when asked for; a
 * process that is not ours to look at has none.
 */
public record OpenFiles(String folder) {
    private static final String SOCKET = "socket:[";
    private static final String PIPE = "pipe:[";
    private static final String TIMER = "anon_inode:[timerfd]";
    private static final Set<String> OWN =
            Set.of("anon_inode:[eventfd]", "anon_inode:[signalfd]", "anon_inode:[io_uring]");

    public static OpenFiles of(ProcessStat process) {
        return new OpenFiles(process.folder() + "/fd");
    }

    /** A path, or a form such as {@code socket:[1234]}; null when it is not open. */
    @Nullable
    public String target(long descriptor) {
        return ProcFiles.link(folder + "/" + descriptor);
    }

    /**
     * Whether only the process itself can make something come of it: an event counter, its signals, its requests to the
     * kernel, a pipe of which it has both ends.
     */
    public boolean isOwn(long descriptor) {
        String target = target(descriptor);
        return target != null
                && (OWN.contains(target)
                        || (TIMER.equals(target) && !isTimer(descriptor))
                        || (target.startsWith(PIPE)
                                && targets(0).filter(target::equals).count() > 1));
    }

    /** Whether it is a timer that runs. */
    public boolean isTimer(long descriptor) {
        return TIMER.equals(target(descriptor))
                && !information(descriptor, "it_value:").startsWith("(0, 0)");
    }

    /** What a line of {@code fdinfo} says, proc_pid_fdinfo(5); empty where it says nothing of that name. */
    public String information(long descriptor, String name) {
        return ProcFiles.value(folder + "info/" + descriptor, name);
    }

    /** How many there are; 0 before Linux 6.2, and when it is not ours to know. */
    public long count() {
        return new File(folder).length();
    }

    /** Whether one of its descriptors from {@code first} on is a pipe or a socket. */
    public boolean anyPipeOrSocket(long first) {
        return targets(first).anyMatch(target -> target.startsWith(SOCKET) || target.startsWith(PIPE));
    }

    /** The inodes of its sockets. */
    public LongStream sockets() {
        return targets(0)
                .filter(target -> target.startsWith(SOCKET))
                .mapToLong(target -> Long.parseLong(target, SOCKET.length(), target.length() - 1, 10));
    }

    private Stream<String> targets(long first) {
        return Arrays.stream(ProcFiles.numbers(folder))
                .filter(descriptor -> descriptor >= first)
                .mapToObj(this::target)
                .filter(Objects::nonNull);
    }
}
