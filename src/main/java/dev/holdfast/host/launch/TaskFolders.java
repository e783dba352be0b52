package dev.holdfast.host.launch;

import dev.holdfast.config.OwnFiles;
import dev.holdfast.host.proc.BootId;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Names;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The folders of tasks, {@code <data>/tasks/<id>}. One is there with all that a recovery needs, or not at all; a
 * deleted one goes at once, however long its files take. Thread-safe.
 */
public final class TaskFolders {
    private static final String DELETED = ".deleted-";

    private final Path tasks;

    public TaskFolders(Path dataDir) {
        tasks = dataDir.resolve("tasks");
        try {
            OwnFiles.folder(tasks);
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder cannot be made: " + tasks, e);
        }
    }

    /**
     * Puts a launch on record, with an exit file for it.
     *
     * @throws ErrnoException there is no folder of it
     */
    public void make(TaskFolder folder, Launch launch) {
        Names.folder(folder.path());
        try {
            ExitFile.allocate(folder.exit());
            SpecFile.write(folder, SpecFile.bytes(launch, BootId.current()));
        } catch (RuntimeException | Error e) {
            deleteAfter(e, launch.id());
            throw e;
        }
    }

    /**
     * In order of id.
     *
     * @param deleted is told of each whose deletion is not finished
     */
    public List<TaskId> ids(Consumer<TaskId> deleted) {
        List<TaskId> ids = new ArrayList<>();
        for (String name : names()) {
            if (name.startsWith(DELETED)) {
                TaskId.parse(name.substring(DELETED.length())).ifPresent(deleted);
            } else {
                TaskId.parse(name).ifPresent(ids::add);
            }
        }
        Collections.sort(ids);
        return ids;
    }

    /**
     * Also what is left of a deletion before.
     *
     * @param last done once its files are gone; where it fails, {@link #ids} goes on telling of it
     * @throws Refusal {@code storage_full} where nothing can be deleted
     */
    public void delete(TaskId id, Runnable last) {
        Path deleted = tasks.resolve(DELETED + id);
        try {
            rename(tasks.resolve(id.value()), deleted);
            remove(deleted, last);
        } catch (IOException e) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "The folder of " + id + " cannot be deleted: " + e.getMessage(),
                    Remedy.of(
                            e.toString(),
                            "Make " + tasks + " a folder that the server's user can write, then try again."));
        }
    }

    /** The same after that failure, which is what counts: what cannot be deleted now is at the next start. */
    public void deleteAfter(Throwable failure, TaskId id) {
        try {
            delete(id, () -> {});
        } catch (RuntimeException kept) {
            failure.addSuppressed(kept);
        }
    }

    /** Not by {@code Files.list}: of 12,000 the paths take a start 75 ms of processor time, the names 40. */
    private String[] names() {
        String[] names = tasks.toFile().list();
        if (names == null) {
            throw new UncheckedIOException(new IOException("the tasks cannot be listed: " + tasks));
        }
        return names;
    }

    private static void rename(Path folder, Path deleted) throws IOException {
        try {
            Files.move(folder, deleted, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // It is gone already, or has that name.
        }
    }

    private static void remove(Path folder, Runnable last) throws IOException {
        try (Stream<Path> entries = Files.walk(folder)) {
            for (Path entry : entries.skip(1).sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException e) {
            // There is none, or who deletes it has got there first.
        }
        last.run();
        Files.deleteIfExists(folder);
    }
}
