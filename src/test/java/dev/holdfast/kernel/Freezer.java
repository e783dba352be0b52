package dev.holdfast.kernel;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Holds a process up, as the kernel's own trouble does: it does not run, and what it is sent waits, even KILL. By the
 * freezer of cgroup v1 (Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst); that of v2 lets KILL through.
 */
public final class Freezer implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup/freezer");

    private final Path group;

    public Freezer(long pid) throws IOException {
        group = Files.createDirectory(ROOT.resolve("holdfast-" + pid));
        try {
            move(pid, group);
            state("FROZEN");
        } catch (IOException ended) {
            Files.delete(group);
            throw ended;
        }
    }

    /** Whether the machine has one. */
    public static boolean isHere() {
        return Files.isWritable(ROOT.resolve("cgroup.procs"));
    }

    private static void move(long pid, Path to) throws IOException {
        Files.writeString(to.resolve("cgroup.procs"), Long.toString(pid));
    }

    private void state(String wanted) throws IOException {
        Files.writeString(group.resolve("freezer.state"), wanted);
    }

    /** Lets it go on. */
    @Override
    public void close() throws IOException {
        state("THAWED");
        for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
            try {
                move(Long.parseLong(pid), ROOT);
            } catch (IOException ended) {
                // Then it is not in the way.
            }
        }
        await().until(group.toFile()::delete); // who was killed meanwhile is in it for a moment more
    }
}
