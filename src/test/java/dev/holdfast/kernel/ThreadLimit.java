package dev.holdfast.kernel;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Leaves a process so many threads and children more. By the pids controller of cgroup v1
 * (Documentation/admin-guide/cgroup-v1/pids.rst), since limits of a user do not hold for root.
 */
public final class ThreadLimit implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup/pids");

    private final Path group;
    private final long pid;

    public ThreadLimit(long pid, int more) throws IOException {
        this.pid = pid;
        group = Files.createDirectory(ROOT.resolve("holdfast-" + pid));
        move(group);
        long now =
                Long.parseLong(Files.readString(group.resolve("pids.current")).strip());
        Files.writeString(group.resolve("pids.max"), Long.toString(now + more));
    }

    /** Whether the machine has the controller. */
    public static boolean isHere() {
        return Files.isWritable(ROOT.resolve("cgroup.procs"));
    }

    private void move(Path to) throws IOException {
        Files.writeString(to.resolve("cgroup.procs"), Long.toString(pid));
    }

    /** Lifts it. */
    @Override
    public void close() throws IOException {
        move(ROOT);
        await().until(group.toFile()::delete);
    }
}
