package dev.holdfast.host.sandbox;

import dev.holdfast.task.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that a command sees behind a wall, as arguments of bubblewrap: all there are, read-only; {@code /dev},
 * {@code /proc} and {@code /tmp} of its own; nothing in {@code /run}, where sockets of other services lie; nothing in
 * the data folder but the FIFO that its stdin is, and the files of its shell where that is one of ours, each to be
 * written only where its owner may; and the workspace, wherever it lies. Each is laid over what lies above it, so that
 * the deeper one counts. Thread-safe.
 */
final class Mounts {
    private static final Path TMP = Path.of("/tmp");
    /** Empty behind a wall, but for what is bound there again. */
    private static final List<Path> SOCKETS = List.of(Path.of("/run"), Path.of("/var/run"));

    /** Where the whole machine is told what to do; bubblewrap leaves it to root's own file permissions. */
    private static final List<Path> MACHINE = List.of(Path.of("/proc/sys"), Path.of("/proc/sysrq-trigger"));

    private static final Path RESOLVER = Path.of("/etc/resolv.conf");
    /** Where NixOS has its programs. */
    private static final Path SYSTEM = Path.of("/run/current-system");

    private final Path dataDir;
    private final Path workspace;

    /** Two at one place: the later counts. */
    private record Mount(Path at, List<String> arguments) {
        Mount(String option, Path path) {
            this(path, List.of(option, path.toString(), path.toString()));
        }

        static Mount fresh(String option, Path at) {
            return new Mount(at, List.of(option, at.toString()));
        }
    }

    Mounts(Path dataDir, Path workspace) {
        this.dataDir = dataDir.toAbsolutePath().normalize();
        this.workspace = workspace.toAbsolutePath().normalize();
    }

    /** Whether a folder is not to be seen, or is another one, behind a wall. */
    boolean hides(Path folder) {
        if (folder.startsWith(real(dataDir))) {
            return !(folder.startsWith(real(workspace)) && real(workspace).startsWith(real(dataDir)));
        }
        boolean within = Stream.concat(emptied(), Stream.of(Path.of("/dev"), Path.of("/proc")))
                .anyMatch(folder::startsWith);
        return within && !folder.startsWith(real(workspace)) && !folder.equals(real(TMP));
    }

    /**
     * @param stdin null when that is no FIFO
     * @param shell what reads the command, null for none
     */
    List<String> of(Sandbox.Files files, @Nullable Path stdin, @Nullable Path shell) {
        List<Mount> mounts = new ArrayList<>();
        mounts.add(new Mount("--ro-bind", Path.of("/")));
        mounts.add(Mount.fresh("--dev", Path.of("/dev")));
        mounts.add(Mount.fresh("--proc", Path.of("/proc")));
        MACHINE.forEach(path -> mounts.add(new Mount("--ro-bind-try", path)));
        emptied().forEach(path -> mounts.add(Mount.fresh("--tmpfs", path)));
        mounts.add(new Mount("--ro-bind-try", SYSTEM));
        resolver().ifPresent(path -> mounts.add(new Mount("--ro-bind-try", path)));
        boolean writes = files == Sandbox.Files.WORKSPACE_WRITE;
        mounts.add(new Mount(writes ? "--bind-try" : "--ro-bind-try", real(workspace)));
        mounts.add(Mount.fresh("--tmpfs", real(dataDir)));
        if (stdin != null) {
            mounts.add(new Mount("--bind", real(stdin)));
        }
        if (shell != null) {
            besides(real(shell)).forEach(file -> mounts.add(new Mount(written(file) ? "--bind" : "--ro-bind", file)));
        }
        return mounts.stream()
                .sorted(Comparator.comparingInt(mount -> mount.at().getNameCount()))
                .flatMap(mount -> mount.arguments().stream())
                .toList();
    }

    /** A shell of ours, {@code <data>/shells/<name>/bash}, and what it reads and writes. */
    private List<Path> besides(Path shell) {
        Path folder = shell.getParent();
        if (folder == null || !real(dataDir.resolve("shells")).equals(folder.getParent())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException gone) {
            return List.of(); // then the shell is not there either, and says so
        }
    }

    private static boolean written(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OWNER_WRITE);
        } catch (IOException gone) {
            return false;
        }
    }

    private static Stream<Path> emptied() {
        return Stream.concat(Stream.of(TMP), SOCKETS.stream())
                .map(Mounts::real)
                .distinct()
                .filter(Files::isDirectory);
    }

    /** The file that names are looked up with, where it would be hidden. */
    private static Optional<Path> resolver() {
        Path file = real(RESOLVER);
        return SOCKETS.stream().anyMatch(file::startsWith) ? Optional.of(file) : Optional.empty();
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException notThere) {
            return path; // then there is nothing to hide or to show
        }
    }
}
