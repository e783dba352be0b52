package dev.holdfast.output;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Holes;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Writers;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.runtime.port.OutputStore.Writer;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * A task under the {@link DiskGovernor}. Of each stream a quarter of the budget stays at the head and the rest at the
 * tail; the gap between them is dropped, in whole blocks of the file system, with the rest of an escape or a character
 * at its end. Looked at by the governor's thread, and once more by whoever releases it.
 */
final class GovernedTask {
    private static final Logger LOG = Logger.getLogger(GovernedTask.class);
    private static final long BLOCK = 4096;

    private final TaskId id;
    private final TaskFolder folder;
    private final long budget;
    private final Writer writer;
    private final List<Held> streams;
    private final List<KernelEvents.Registration> armed = new ArrayList<>();
    private long changedAt = System.nanoTime();
    private boolean troubled;
    private boolean over;
    private boolean limited;

    GovernedTask(TaskId id, TaskFolder folder, long budget, Writer writer) {
        this.id = id;
        this.folder = folder;
        this.budget = budget;
        this.writer = writer;
        this.streams = Stream.of(StreamName.values()).map(Held::new).toList();
    }

    TaskId id() {
        return id;
    }

    /** What its output takes of the disk, in bytes, as last seen. */
    synchronized long kept() {
        return streams.stream().mapToLong(stream -> stream.kept).sum();
    }

    /**
     * Looks at the sizes, by stat, and drops what is beyond the budget.
     *
     * @return whether they changed a while ago at most
     */
    synchronized boolean look() {
        armed.forEach(KernelEvents.Registration::close);
        armed.clear();
        try {
            for (Held stream : streams) {
                if (!over && !stream.hold()) {
                    over = true;
                    limit();
                }
            }
        } catch (IOException | RuntimeException problem) {
            // A full disk, say: nothing was dropped without being on record, and the next look tries again.
            if (!troubled) {
                LOG.warnf(problem, "The output of %s is not held within its budget for now", id);
            }
            troubled = true;
            changedAt = System.nanoTime();
        }
        return !over && System.nanoTime() - changedAt < DiskGovernor.QUIET_AFTER.toNanos();
    }

    /**
     * Has the kernel tell of the next write, so that nobody needs to look until then.
     *
     * @return false when it must still be looked at: it was written meanwhile, or the kernel has no watch left
     */
    synchronized boolean arm(KernelEvents events, Runnable onWrite) {
        try {
            for (Held stream : streams) {
                if (!over && stream.file.exists()) {
                    armed.add(events.onNextWrite(stream.file.toPath(), onWrite));
                }
            }
            return over || (!armed.isEmpty() && streams.stream().allMatch(Held::isAsSeen));
        } catch (ErrnoException | IllegalStateException noWatch) {
            return false;
        }
    }

    /** Whether anybody but the governor, which is kept from it meanwhile, has one of its streams open for writing. */
    synchronized boolean isHeld() {
        return streams.stream().anyMatch(stream -> Writers.exist(stream.file.toPath()));
    }

    /** The last look: what is omitted is on record afterwards, for ever. */
    synchronized void release() {
        var _ = look();
        over = true;
    }

    /** Has it ended, once, on a thread of its own. What it started may write on, and is held within its budget. */
    synchronized void limit() {
        if (!limited) {
            limited = true;
            Threads.start(writer::limit);
        }
    }

    synchronized boolean isLimited() {
        return limited;
    }

    /** Whether it was paused and not continued, maybe by a server before this one. */
    boolean wasPaused() {
        return folder.paused().toFile().exists();
    }

    /** Holds it still; blocks. On disk first, so that a server after this one continues it. */
    void pause() {
        try {
            Files.writeString(folder.paused(), "");
        } catch (IOException failure) {
            LOG.warnf("A new server will not know that %s is paused, and not continue it: %s", id, failure);
        }
        writer.pause();
    }

    /** Lets it go on; blocks. */
    void resume() {
        writer.resume();
        var _ = folder.paused().toFile().delete();
    }

    /** One of its streams as last seen. Used under the task's lock. */
    private final class Held {
        private final StreamName name;
        private final File file;
        /** A server before this one may have seen more than there is now. */
        private long size = Long.MAX_VALUE;

        private long kept;
        /** Up to where this server has punched. */
        private long punched;

        Held(StreamName name) {
            this.name = name;
            this.file = folder.output(name).toFile();
        }

        boolean isAsSeen() {
            return file.length() == size;
        }

        /** @return false: what is beyond the budget cannot be dropped, for the file system makes no holes */
        boolean hold() throws IOException {
            long now = file.length();
            if (now < size) {
                // The command truncated its own output: what is on record beyond the new end is no gap any more.
                OmittedFile.truncated(folder, name, now);
                punched = 0;
            }
            if (now != size) {
                changedAt = System.nanoTime();
            }
            size = now;
            kept = now;
            return now <= budget || drop();
        }

        private boolean drop() throws IOException {
            long head = budget / 4 / BLOCK * BLOCK;
            long tailFrom = (size - (budget - head) + BLOCK - 1) / BLOCK * BLOCK;
            Gap old = OmittedFile.read(folder, name, size);
            long to = old != null && old.to() >= tailFrom ? old.to() : tailFrom + rest(tailFrom);
            Gap gap = new Gap(old == null ? head : old.from(), to);
            kept = size - (gap.to() - gap.from());
            if (gap.to() <= punched) {
                return true;
            }
            FileTime written = Files.getLastModifiedTime(file.toPath());
            // On record first: nobody takes the hole for zeros.
            OmittedFile.write(folder, name, gap);
            boolean done = false;
            try {
                done = Holes.punch(file.toPath(), Math.max(punched, gap.from()), gap.to());
                punched = done ? gap.to() : punched;
            } finally {
                if (!done) {
                    OmittedFile.write(folder, name, old);
                }
            }
            Files.setLastModifiedTime(file.toPath(), written);
            return done;
        }

        /** What there is of an escape or a character whose beginning is dropped, which would be read as text. */
        private int rest(long from) {
            StreamFile stream = new StreamFile(folder, name, file);
            byte[] behind = stream.read(from, 4).bytes();
            return Math.max(0, stream.rest(from, behind, false));
        }
    }
}
