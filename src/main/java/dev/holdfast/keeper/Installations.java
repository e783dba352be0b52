package dev.holdfast.keeper;

import dev.holdfast.keeper.message.Protocol;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/** The folders that keepers run from, inside the keeper's folder, named by the digest of what they hold. */
public final class Installations {
    /** A younger one may just be made by a server that starts. */
    private static final Duration YOUNG = Duration.ofMinutes(10);

    private Installations() {}

    /** Deletes those of other versions from which no keeper runs any more. */
    static void deleteOthers(Path folder, Path own) throws IOException {
        Instant young = Instant.now().minus(YOUNG);
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                if (Files.isDirectory(entry)
                        && !entry.equals(own)
                        && Files.getLastModifiedTime(entry).toInstant().isBefore(young)) {
                    deleteUnused(folder, entry);
                }
            }
        }
    }

    /** Unless its lock is held: then a keeper of another version still has terminals to keep. */
    private static void deleteUnused(Path folder, Path installation) throws IOException {
        Path file = folder.resolve(Protocol.name(installation) + Protocol.LOCK);
        if (!Files.exists(file)) {
            delete(installation);
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                delete(installation);
                Files.deleteIfExists(folder.resolve(Protocol.name(installation) + Protocol.SOCKET));
            }
        }
    }

    /** Deletes one with all it holds. */
    public static void delete(Path installation) throws IOException {
        try (Stream<Path> all = Files.walk(installation)) {
            for (Path deepest : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(deepest);
            }
        }
    }
}
