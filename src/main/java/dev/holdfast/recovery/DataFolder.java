package dev.holdfast.recovery;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The data folder: made with mode 0700 when it is not there, refused when it is not ours alone or cannot hold what goes
 * into it, and held by a lock as long as this server lives, so that a second server on it refuses to start.
 */
@Singleton
public final class DataFolder implements AutoCloseable {
    /**
     * Of the keeper's socket, in bytes with its whole path: the kernel takes 107 (unix(7)), BSDs and the JDK's own
     * limit leave 103.
     */
    static final int SOCKET_PATH_MAX = 103;

    private static final Logger LOG = Logger.getLogger(DataFolder.class);

    /** Never closed or collected: the database is closed later than any bean, and until then the lock holds. */
    private static final Queue<FileChannel> HELD_TWICE = new ConcurrentLinkedQueue<>();

    private final Path path;
    private final FolderProbe probe;
    private @Nullable FileChannel lockFile;

    public DataFolder(HoldfastConfig config) {
        this.path = config.dataDir().toAbsolutePath();
        this.probe = new FolderProbe(this.path);
    }

    /** Absolute. */
    Path path() {
        return path;
    }

    /** Says, as a sentence with its remedy, why no server can begin here. */
    public static final class UnusableException extends RuntimeException {
        UnusableException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * A second call in one process only checks again.
     *
     * @throws UnusableException with the remedy, in one line; nothing was changed in the folder of another server
     */
    public void open() {
        if (path.toString().contains(";")) {
            throw refusal(
                    "has a semicolon in its path, behind which the database looks for settings",
                    "Set HOLDFAST_DATA_DIR to a path without one.");
        }
        checkLength();
        make();
        try {
            checkOwner();
            checkMode();
        } catch (IOException failure) {
            throw refusal("cannot be read (" + reason(failure) + ")", "Set HOLDFAST_DATA_DIR to a folder of your own.");
        }
        try {
            if (lock()) {
                try {
                    sign(); // first: who finds it taken looks whose it is
                } finally {
                    probe.run(); // of a folder that takes no file it says why
                }
                tellOfCrashes();
            }
            OwnFiles.folder(path.resolve("tasks"));
            for (String needed : List.of("tasks", "fingerprint.key", "holdfast.mv.db")) {
                requireAccess(path.resolve(needed));
            }
            System.setProperty("dev.holdfast.libraries", path.toString()); // if /tmp takes none
        } catch (IOException failure) {
            throw refusal(
                    "cannot be written (" + reason(failure) + ")",
                    "Make it writable for this user, with some room, or set HOLDFAST_DATA_DIR to another folder.");
        }
    }

    /** Native code (the shell's grammar, the database's files) can end a server without a word. Told once. */
    private void tellOfCrashes() throws IOException {
        try (DirectoryStream<Path> crashes = Files.newDirectoryStream(path, "crash-*.log")) {
            for (Path crash : crashes) {
                Path told = Files.move(crash, path.resolve("told-" + crash.getFileName()), REPLACE_EXISTING);
                LOG.errorf(
                        "A former server was ended by a crash in native code: %s says where. Its tasks ran on. Please report it.",
                        told);
            }
        }
    }

    /** As after a start by another user. */
    private static void requireAccess(Path file) throws IOException {
        if (Files.exists(file) && !(Files.isReadable(file) && Files.isWritable(file))) {
            throw new AccessDeniedException(file.toString());
        }
    }

    private UnusableException refusal(String problem, String remedy) {
        return new UnusableException("The data folder " + path + " " + problem + ". " + remedy);
    }

    /** What the kernel said, and of what in it. */
    private String reason(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> at(denied) + "permission denied";
            case FileAlreadyExistsException file -> at(file) + "it is no folder";
            case FileSystemException known when known.getReason() != null -> at(known) + known.getReason();
            default -> failure.toString();
        };
    }

    private String at(FileSystemException failure) {
        return path.toString().equals(failure.getFile()) ? "" : failure.getFile() + ": ";
    }

    private void checkLength() {
        Path socket = path.resolve("keeper").resolve("12345678.s");
        int tooMany = socket.toString().getBytes(StandardCharsets.UTF_8).length - SOCKET_PATH_MAX;
        if (tooMany > 0) {
            throw refusal(
                    "has a path that is " + tooMany + " bytes too long for the socket in it, " + socket
                            + ", which may have " + SOCKET_PATH_MAX,
                    "Set HOLDFAST_DATA_DIR to a shorter path.");
        }
    }

    private void make() {
        try {
            if (!Files.isDirectory(path)) {
                OwnFiles.folder(path);
            }
        } catch (FileAlreadyExistsException file) {
            throw refusal("is not a folder", "Set HOLDFAST_DATA_DIR to another place.");
        } catch (IOException failure) {
            throw refusal(
                    "cannot be made (" + reason(failure) + ")",
                    "Set HOLDFAST_DATA_DIR to a folder that this user can write.");
        }
    }

    /** By number: a user may have no name, as in many containers. */
    private void checkOwner() throws IOException {
        if (!Files.getAttribute(path, "unix:uid").equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            throw refusal(
                    "belongs to " + Files.getOwner(path).getName() + ", not to the user that runs this server, "
                            + Files.getOwner(Path.of("/proc/self")).getName(),
                    "Set HOLDFAST_DATA_DIR to a folder of your own.");
        }
    }

    private void checkMode() throws IOException {
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path);
        if (!OwnFiles.FOLDER.value().containsAll(mode)) {
            throw refusal(
                    "is open to others (" + PosixFilePermissions.toString(mode) + ")",
                    "Close it with: chmod 700 " + path);
        }
    }

    /** @return false when this process holds it already */
    private boolean lock() throws IOException {
        Path file = path.resolve("lock");
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        // Stays open whatever is found: closing any channel on it would give this process' lock up (fcntl_locking(2)).
        lockFile = channel;
        try {
            if (channel.tryLock() == null) {
                String pid = Files.readString(file).strip();
                throw refusal(
                        "is in use by another Holdfast server" + (pid.isEmpty() ? "" : " (pid " + pid + ")"),
                        "Stop that one, or set HOLDFAST_DATA_DIR to another folder.");
            }
            return true;
        } catch (OverlappingFileLockException held) {
            HELD_TWICE.add(channel);
            return false;
        }
    }

    /** For the second server, which tells whom it found. */
    private void sign() throws IOException {
        FileChannel channel = Objects.requireNonNull(lockFile);
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"));
    }

    /** Gives the lock up, when nothing in the folder is open any more. */
    @Override
    public void close() {
        if (lockFile != null) {
            try {
                lockFile.close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
