package dev.holdfast.host;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the descriptors of a process point at, by the links in its {@code fd} folder. Links are read when asked for; a
 * process that is not ours to look at has none.
 */
record OpenFiles(String folder) {
    private static final String SOCKET = "socket:[";
    private static final String PIPE = "pipe:[";

    static OpenFiles of(ProcessStat process) {
        return new OpenFiles(process.folder() + "/fd");
    }

    /** A path, or a form such as {@code socket:[1234]}; null when it is not open. */
    @Nullable
    String target(long descriptor) {
        return ProcFiles.link(folder + "/" + descriptor);
    }

    /** Whether one of its descriptors from {@code first} on is a pipe or a socket. */
    boolean anyPipeOrSocket(long first) {
        return targets(first).anyMatch(target -> target.startsWith(SOCKET) || target.startsWith(PIPE));
    }

    /** The inodes of its sockets. */
    LongStream sockets() {
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
