package dev.holdfast.policy.file;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What a file says as it stands: looked at when somebody asks, at most once a second. One that is broken keeps what it
 * said before; where it never was well, what stands in for it holds until it is mended. One is removed when it is not
 * there twice, 100 ms apart: an editor may be putting another in its place. Thread-safe.
 */
public final class WatchedFile<T> {
    private static final Logger LOG = Logger.getLogger(WatchedFile.class);
    private static final long BETWEEN_LOOKS = Duration.ofSeconds(1).toNanos();
    private static final long REPLACED_WITHIN = Duration.ofMillis(100).toNanos();

    /**
     * What files of its kind have in common.
     *
     * @param name as the log has it
     * @param setting that names such a file
     * @param kept what the log says of one that broke
     * @param shut what it says of one that was never well
     */
    public record Kind<T>(
            String name, String setting, String kept, String shut, Reader<T> reader, StandIn<T> standIn) {}

    /** Reads the text of one. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(Path path, String text) throws PolicyFileException;
    }

    /** What holds in place of one that was never well. */
    @FunctionalInterface
    public interface StandIn<T> {
        T of(Path path, String why);
    }

    /** What tells that a file is another one than before. */
    private record Seen(Object key, long modified, long size, String permissions) {}

    private final Path path;
    private final Kind<T> kind;
    private final boolean optional;
    private final LongSupplier nanoTime;
    private volatile @Nullable T now;
    private volatile long nextLook;
    private boolean missed;
    private @Nullable Seen seen;
    private String flaw = "";
    private boolean wasGood;

    /** @param optional whether a file that is not there is none, and no flaw */
    public WatchedFile(Path path, Kind<T> kind, boolean optional, LongSupplier nanoTime) {
        this.path = path;
        this.kind = kind;
        this.optional = optional;
        this.nanoTime = nanoTime;
        look(nanoTime.getAsLong());
    }

    /** Null where there is no file. */
    @Nullable
    public T now() {
        long time = nanoTime.getAsLong();
        if (time - nextLook >= 0) {
            synchronized (this) {
                if (time - nextLook >= 0) {
                    look(time);
                }
            }
        }
        return now;
    }

    /** As it is at this moment: where it is not there, it is removed. */
    public synchronized void lookNow() {
        missed = true;
        look(nanoTime.getAsLong());
    }

    /**
     * The path, and why it can't be used, with the line where there is one; nothing of one that is well, or is not
     * there.
     */
    public Map<String, String> flaw() {
        now();
        synchronized (this) {
            return flaw.isEmpty()
                    ? Map.of()
                    : Map.of(path.toString(), flaw + " " + (wasGood ? kind.kept() : kind.shut()));
        }
    }

    private synchronized void look(long time) {
        long next = BETWEEN_LOOKS;
        try {
            PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
            Seen found = new Seen(
                    String.valueOf(attributes.fileKey()),
                    attributes.lastModifiedTime().toMillis(),
                    attributes.size(),
                    attributes.permissions().toString());
            if (!found.equals(seen)) {
                read(attributes);
                seen = found;
            }
            missed = false;
        } catch (NoSuchFileException gone) {
            seen = null;
            if (Files.isSymbolicLink(path)) {
                broken("it is a link to a file that is not there. Put that back, or remove the link.");
            } else if (optional && wasGood && !missed) {
                missed = true;
                next = REPLACED_WITHIN;
            } else if (optional) {
                if (now != null) {
                    LOG.warnf("%s %s was removed, and nothing in it holds any more", kind.name(), path);
                }
                now = null;
                wasGood = false;
                flaw = "";
            } else {
                broken("it is not there. Write it, or take it out of " + kind.setting() + ".");
            }
        } catch (IOException e) {
            seen = null;
            broken("it cannot be read (" + e.getMessage() + "). Let the server's user read it.");
        } finally {
            nextLook = time + next; // until then whoever else asks waits here
        }
    }

    /** @throws IOException it cannot be read now, which may be another thing a second later */
    private void read(PosixFileAttributes attributes) throws IOException {
        try {
            if (!attributes.isRegularFile()) {
                throw new PolicyFileException("it is no file. Name a file, not a folder.");
            }
            if (attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new PolicyFileException("everybody may write it. Run chmod o-w on it.");
            }
            now = kind.reader().read(path, Files.readString(path));
            flaw = "";
            wasGood = true;
        } catch (PolicyFileException e) {
            broken(e.getMessage());
        } catch (CharacterCodingException e) {
            broken("it is no UTF-8. Write it anew.");
        }
    }

    private void broken(String why) {
        if (!why.equals(flaw)) {
            LOG.errorf("%s %s can't be used: %s %s", kind.name(), path, why, wasGood ? kind.kept() : kind.shut());
            flaw = why;
        }
        if (!wasGood) {
            now = kind.standIn().of(path, why);
        }
    }
}
