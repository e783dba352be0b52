package dev.holdfast.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A control group of version 2 (Documentation/admin-guide/cgroup-v2.rst), by its folder: who is born of a member is
 * one. Needs no controller. Any of it may be forbidden, or taken away by somebody else at any time: then nothing
 * happens and nothing is found, which is no error; to be out of descriptors is one, an {@link ErrnoException}.
 * Thread-safe.
 */
public record Cgroup(Path folder) {
    private static final String PROCESSES = "cgroup.procs";
    private static final String CGROUP2 = " - cgroup2 ";
    /** Of a line of mountinfo, proc_pid_mountinfo(5). */
    private static final int ROOT = 3;

    private static final int MOUNT_POINT = 4;
    /** In place of the pid of a process that has none here. */
    private static final Long NOT_SEEN = 0L;
    /** Of a folder with no other in it. */
    private static final int LINKS_ALONE = 2;

    /** Where this process may perhaps make groups: below its own, then below the topmost one that it sees. */
    public static List<Cgroup> places() {
        return places(lines("/proc/self/mountinfo"), of("self"));
    }

    /** @param own as {@link #of} gives it */
    static List<Cgroup> places(List<String> mounts, String own) {
        return mounts.stream()
                .filter(line -> line.contains(CGROUP2))
                .findFirst()
                .map(line -> line.split(" "))
                .map(mount -> {
                    Path top = Path.of(mount[MOUNT_POINT]);
                    // Both may be outside of what is mounted here, in a namespace of groups.
                    boolean below = own.startsWith("/")
                            && !own.startsWith("/..")
                            && Path.of(own).startsWith(mount[ROOT]);
                    Path mine = below ? top.resolve(Path.of(mount[ROOT]).relativize(Path.of(own))) : top;
                    return Stream.of(mine, top).distinct().map(Cgroup::new).toList();
                })
                .orElse(List.of());
    }

    /**
     * The group of a process, as a path from the topmost one; empty when that cannot be read.
     *
     * @param process a pid or {@code self}
     */
    public static String of(String process) {
        return lines("/proc/" + process + "/cgroup").stream()
                .filter(line -> line.startsWith("0::"))
                .map(line -> line.substring("0::".length()))
                .findFirst()
                .orElse("");
    }

    public Cgroup child(String name) {
        return new Cgroup(folder.resolve(name));
    }

    /** @return whether it is there now */
    public boolean make() {
        return folder.toFile().mkdir() || Files.isDirectory(folder);
    }

    /**
     * Moves a process here, with all its threads. The first move after a while waits for all processors, some 10 ms,
     * while nobody on the machine can fork; those that follow at once take 0.2.
     *
     * @return false also when it has ended
     */
    public boolean take(long pid) {
        return write(PROCESSES, Long.toString(pid));
    }

    /** Its processes, and those of the groups below it that they made; no zombies. */
    public Set<Long> processes() {
        Set<Long> pids = new LinkedHashSet<>();
        lines(folder.resolve(PROCESSES).toString()).forEach(pid -> pids.add(Long.valueOf(pid)));
        pids.remove(NOT_SEEN);
        children().forEach(name -> pids.addAll(child(name).processes()));
        return pids;
    }

    /** Whether anybody lives in it, or below it: told at one moment, also of those who are others at each look. */
    public boolean populated() {
        return lines(folder.resolve("cgroup.events").toString()).contains("populated 1");
    }

    /**
     * Kills all of them (Linux 5.14). Who is being forked may be missed: of 9,000 kills of a process that did nothing
     * but fork and end, 25 left one alive (Linux 6.18). So {@link #populated} tells whether to kill again.
     */
    public boolean kill() {
        return write("cgroup.kill", "1");
    }

    /** With those below it. Nothing happens as long as anybody is in it. */
    public void remove() {
        children().forEach(name -> child(name).remove());
        var _ = folder.toFile().delete();
    }

    /** The names of the groups below it. */
    public List<String> children() {
        try {
            if ((int) Files.getAttribute(folder, "unix:nlink") == LINKS_ALONE) {
                return List.of();
            }
            try (Stream<Path> entries = Files.list(folder)) {
                return entries.filter(Files::isDirectory)
                        .map(entry -> entry.getFileName().toString())
                        .toList();
            }
        } catch (IOException gone) {
            Descriptor.requireGone(folder, gone);
            return List.of();
        }
    }

    private boolean write(String file, String text) {
        try {
            Files.writeString(folder.resolve(file), text, StandardCharsets.US_ASCII, StandardOpenOption.WRITE);
            return true;
        } catch (IOException forbidden) {
            return false;
        }
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            Descriptor.requireGone(Path.of(file), gone);
            return List.of();
        }
    }
}
