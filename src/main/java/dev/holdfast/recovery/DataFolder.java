package dev.holdfast.recovery;

import dev.holdfast.config.HoldfastConfig;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data folder: made with mode 0700 when it is not there, refused when it is not ours alone, and held by a lock as
 * long as this server lives, so that a second server on it refuses to start.
 */
@Singleton
public final class DataFolder {
    private static final Set<PosixFilePermission> OURS = PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private @Nullable FileChannel lockFile;

    @Inject
    public DataFolder(HoldfastConfig config) {
        this.path = config.dataDir().toAbsolutePath();
    }

    /** Says, as a sentence with its remedy, why a data folder cannot be used. */
    public static final class UnusableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnusableException(String message) {
            super(message, null, false, false);
        }
    }

    /** @throws UnusableException with the remedy */
    public void open() {
        try {
            Files.createDirectories(path, PosixFilePermissions.asFileAttribute(OURS));
            check();
            lock();
            Files.createDirectories(path.resolve("tasks"), PosixFilePermissions.asFileAttribute(OURS));
        } catch (IOException failure) {
            throw new UnusableException("The data folder " + path + " cannot be used (" + failure
                    + "). Set HOLDFAST_DATA_DIR to a folder that this user can write.");
        }
    }

    private void check() throws IOException {
        if (!Files.isDirectory(path)) {
            throw new UnusableException(
                    "The data folder " + path + " is not a directory. Set HOLDFAST_DATA_DIR to another place.");
        }
        String user = System.getProperty("user.name");
        String owner = Files.getOwner(path).getName();
        if (!owner.equals(user)) {
            throw new UnusableException("The data folder " + path + " belongs to " + owner + ", not to " + user
                    + ". Set HOLDFAST_DATA_DIR to a folder of your own.");
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path);
        if (!OURS.containsAll(mode)) {
            throw new UnusableException("The data folder " + path + " is open to others ("
                    + PosixFilePermissions.toString(mode) + "). Close it with: chmod 700 " + path);
        }
    }

    private void lock() throws IOException {
        FileChannel channel = FileChannel.open(
                path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (!tryLock(channel)) {
            String holder = Files.readString(path.resolve("lock")).strip();
            channel.close();
            throw new UnusableException("The data folder " + path + " is in use by another Holdfast server (pid "
                    + holder + "). Stop that one, or set HOLDFAST_DATA_DIR to another folder.");
        }
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"));
        lockFile = channel;
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException thisProcessHasIt) {
            return false;
        }
    }

    @PreDestroy
    void close() throws IOException {
        if (lockFile != null) {
            lockFile.close();
        }
    }
}
