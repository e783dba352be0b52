package dev.holdfast.host;

import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Names;
import dev.holdfast.kernel.Writers;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Folders of commands that ended in their window, emptied and used again, {@code <data>/spare/<number>}. To make a folder
 * with its five files and to delete it costs ext4 about 0.7 ms of processor time, and more the more were deleted in the
 * minutes before, since it looks for an inode that was not; to empty one costs 0.1. A spare becomes a task's folder by
 * one rename, when its {@code spec.json} is written. What a server before this one kept is deleted. Thread-safe.
 */
final class SpareFolders {
    /** More than commands end at the same moment, as a rule; what is over is deleted. */
    private static final int MOST = 16;

    private static final int EMPTIED = Descriptor.WRITE | Descriptor.TRUNCATE;
    /** What a command with files and without input leaves; a folder with anything else is not used again. */
    private static final Set<String> FILES = Set.of("spec.json", "rc", "pid", "out", "err");

    private final Path place;
    private final BlockingQueue<TaskFolder> spares = new ArrayBlockingQueue<>(MOST);
    private final AtomicLong numbers = new AtomicLong();

    /** @param place made when it is missing, emptied when it is not */
    SpareFolders(Path place) {
        this.place = place;
        try {
            Files.createDirectories(place, TaskFolders.PRIVATE);
            for (Path left : entries(place)) {
                TaskFolders.remove(left);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder cannot be written: " + place, e);
        }
    }

    /** Makes a spare the folder of a task that is about to start, with this {@code spec.json}; false when there is none. */
    boolean take(TaskFolder folder, byte[] spec) {
        TaskFolder spare = spares.poll();
        if (spare == null) {
            return false;
        }
        try {
            try (Descriptor file = Descriptor.open(spare.spec(), EMPTIED, 0)) {
                file.writeAll(spec);
            }
            Names.rename(spare.path(), folder.path());
            return true;
        } catch (ErrnoException unusable) {
            // The disk is full, or somebody tidied up: a new folder is tried, which says what is wrong if anything is.
            delete(spare);
            return false;
        }
    }

    /** Takes the folder of an ended command away, to be used again; false when it cannot be, and is as it was. */
    boolean keep(TaskFolder folder) throws IOException {
        if (spares.remainingCapacity() == 0 || !isPlain(folder) || !isQuiet(folder)) {
            return false;
        }
        TaskFolder spare = new TaskFolder(place.resolve(Long.toString(numbers.incrementAndGet())));
        try {
            Names.rename(folder.path(), spare.path());
            for (Path file : List.of(
                    spare.spec(), spare.pid(), spare.output(StreamName.STDOUT), spare.output(StreamName.STDERR))) {
                Descriptor.open(file, EMPTIED, 0).close();
            }
            ExitFile.blank(spare.exit());
        } catch (ErrnoException gone) {
            delete(spare);
            return true;
        }
        if (!spares.offer(spare)) {
            delete(spare);
        }
        return true;
    }

    private static boolean isPlain(TaskFolder folder) throws IOException {
        return entries(folder.path()).stream()
                .map(entry -> entry.getFileName().toString())
                .collect(Collectors.toSet())
                .equals(FILES);
    }

    /** To a process that was left behind its files belong as long as it lives. */
    private static boolean isQuiet(TaskFolder folder) {
        return Stream.of(folder.exit(), folder.output(StreamName.STDOUT), folder.output(StreamName.STDERR))
                .allMatch(Writers::absent);
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }

    private static void delete(TaskFolder spare) {
        try {
            TaskFolders.remove(spare.path());
        } catch (IOException left) {
            // It is no task's, and the next start tries again.
        }
    }
}
