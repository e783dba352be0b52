package dev.holdfast.host;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.Launch;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folders of tasks, {@code <data>/tasks/<id>}. One is there with all that a recovery needs, or not at all; a deleted
 * one goes at once, however long its files take. Thread-safe.
 */
final class TaskFolders {
    /** For nobody but its owner. */
    static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int MODE = 0700;
    private static final String DELETED = ".deleted-";

    private final Path tasks;
    private final SpareFolders spares;

    TaskFolders(Path dataDir) {
        tasks = dataDir.resolve("tasks");
        try {
            Files.createDirectories(tasks, PRIVATE);
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder cannot be made: " + tasks, e);
        }
        spares = new SpareFolders(dataDir.resolve("spare"));
    }

    /**
     * Puts a launch on record, with an exit file for it.
     *
     * @throws ErrnoException there is no folder of it
     */
    void make(TaskFolder folder, Launch launch) {
        byte[] spec = SpecFile.bytes(launch, BootId.current());
        boolean plain = !launch.command().tty() && !launch.command().acceptsInput();
        if (plain && spares.take(folder, spec)) {
            return;
        }
        Names.folder(folder.path(), MODE);
        try {
            ExitFile.allocate(folder.exit());
            SpecFile.write(folder, spec);
        } catch (ErrnoException e) {
            delete(launch.id());
            throw e;
        }
    }

    /** In order of id. */
    List<TaskId> ids() {
        return names().flatMap(name -> TaskId.parse(name).stream()).sorted().toList();
    }

    /** Deletes the folder of a command, or keeps it to be used again. */
    void forget(TaskId id) {
        TaskFolder folder = new TaskFolder(tasks.resolve(id.value()));
        try {
            if (!spares.keep(folder)) {
                delete(id);
            }
        } catch (NoSuchFileException e) {
            // It is gone already.
        } catch (IOException e) {
            throw new UncheckedIOException("the folder of " + id + " cannot be deleted", e);
        }
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

    static void remove(Path folder) throws IOException {
        try (Stream<Path> entries = Files.walk(folder)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        }
    }
}
