package dev.holdfast.acceptance;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders that others write to meanwhile. */
public final class Folders {
    private Folders() {}

    /** What is in it now; empty when there is no such folder. */
    public static List<Path> children(Path folder) {
        try (Stream<Path> children = Files.list(folder)) {
            return children.toList();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every regular file below it that can be read. */
    public static List<Path> files(Path folder) {
        var found = new ArrayList<Path>();
        for (Path child : children(folder)) {
            if (Files.isDirectory(child)) {
                found.addAll(files(child));
            } else if (Files.isRegularFile(child)) {
                found.add(child);
            }
        }
        return found;
    }

    /** Its folders alone, as a control group is removed, and once the processes in them are gone. */
    static void deleteFolders(Path folder) {
        await().atMost(Calls.PATIENCE).until(() -> {
            try {
                for (Path child : children(folder)) {
                    if (Files.isDirectory(child)) {
                        Files.delete(child);
                    }
                }
                Files.delete(folder);
                return true;
            } catch (IOException inUse) {
                return false;
            }
        });
    }

    /** Again and again until it is gone: a dying process may still write. A hundred thousand tasks take minutes. */
    public static void delete(Path folder) {
        await().atMost(Calls.PATIENCE.multipliedBy(10)).until(() -> {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
                return true;
            } catch (IOException | UncheckedIOException e) {
                return !Files.exists(folder);
            }
        });
    }
}
