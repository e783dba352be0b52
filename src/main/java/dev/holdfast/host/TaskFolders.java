package dev.holdfast.host;

import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folders of tasks, {@code <data>/tasks/<id>}. A deleted one goes at once, however long its files take. */
final class TaskFolders {
    static final int MODE = 0700;
    private static final String DELETED = ".deleted-";

    private final Path tasks;

    TaskFolders(Path dataDir) {
        tasks = dataDir.resolve("tasks");
        try {
            Files.createDirectories(
                    tasks, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder cannot be made: " + tasks, e);
        }
    }

    /** In order of id. */
    List<TaskId> ids() {
        return names().flatMap(name -> TaskId.parse(name).stream()).sorted().toList();
    }

    void delete(TaskId id) {
        Path deleted = tasks.resolve(DELETED + id);
        try {
            Files.move(tasks.resolve(id.value()), deleted, StandardCopyOption.ATOMIC_MOVE);
            remove(deleted);
        } catch (NoSuchFileException e) {
            // It is gone already.
        } catch (IOException e) {
            throw new UncheckedIOException("the folder of " + id + " cannot be deleted", e);
        }
    }

    /** Finishes deletions that a server before this one did not. */
    void sweep() {
        names().filter(name -> name.startsWith(DELETED)).forEach(name -> {
            try {
                remove(tasks.resolve(name));
            } catch (IOException e) {
                throw new UncheckedIOException(name + " cannot be deleted", e);
            }
        });
    }

    private Stream<String> names() {
        try (Stream<Path> entries = Files.list(tasks)) {
            return entries.map(entry -> entry.getFileName().toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException("the tasks cannot be listed: " + tasks, e);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> entries = Files.walk(folder)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        }
    }
}
