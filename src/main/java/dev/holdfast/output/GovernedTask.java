package dev.holdfast.output;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Holes;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.OutputStore.Writer;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * A task under the {@link DiskGovernor}: what was last seen of its files, and its gaps. Looked at by the governor's thread,
 * and once more by whoever releases it.
 */
final class GovernedTask {
    private static final Logger LOG = Logger.getLogger(GovernedTask.class);

    private final TaskId id;
    private final TaskFolder folder;
    private final Budget budget;
    private final Punch punch;
    private final Gaps gaps;
    private final Writer writer;
    private final Map<StreamName, Long> seen = new EnumMap<>(StreamName.class);
    private final List<KernelEvents.Registration> armed = new ArrayList<>();
    /** On record as omitted, and still to be freed. */
    private final Map<StreamName, Gap> owed = new EnumMap<>(StreamName.class);

    private long lookedAt = System.nanoTime();
    private long grewAt = lookedAt;
    private boolean limited;
    private boolean ending;
    private boolean released;
    private boolean troubled;

    GovernedTask(TaskId id, TaskFolder folder, Budget budget, Punch punch, Writer writer) {
        this.id = id;
        this.folder = folder;
        this.budget = budget;
        this.punch = punch;
        this.gaps = new Gaps(folder, budget, punch);
        this.writer = writer;
    }

    /** What a look has shown. */
    enum Look {
        /** Nothing new, or little. */
        CALM,
        /** It grows so fast that the next look should come soon. */
        FLOODING,
        /** It did not grow for a while. */
        IDLE,
        /** It is not to be looked at again. */
        OVER
    }

    /** Compares sizes by stat and drops what is beyond the budget. */
    synchronized Look look() throws IOException {
        disarm();
        if (released || limited) {
            settle();
            return Look.OVER;
        }
        long now = System.nanoTime();
        double seconds = Math.max(now - lookedAt, 1) / 1e9;
        lookedAt = now;
        long grown = measure();
        boolean flooding = grown / seconds >= DiskGovernor.FLOOD;
        hold(flooding);
        if (limited) {
            return Look.OVER;
        }
        if (grown > 0) {
            grewAt = now;
            return flooding ? Look.FLOODING : Look.CALM;
        }
        return now - grewAt >= DiskGovernor.IDLE_AFTER.toNanos() ? Look.IDLE : Look.CALM;
    }

    /**
     * Has the kernel tell of the next write, so that nobody needs to look until then.
     *
     * @return false when it must still be looked at: it was written meanwhile, or the kernel has no watch left
     */
    synchronized boolean arm(KernelEvents events, Runnable onWrite) {
        if (released) {
            return true;
        }
        try {
            for (StreamName stream : StreamName.values()) {
                if (file(stream).exists()) {
                    armed.add(events.onNextWrite(file(stream).toPath(), onWrite));
                }
            }
        } catch (ErrnoException noWatch) {
            // Out of inotify watches: it stays among those looked at, which costs a little and misses nothing.
            disarm();
        }
        boolean unchanged = true;
        for (StreamName stream : StreamName.values()) {
            unchanged &= file(stream).length() == seen(stream);
        }
        if (armed.isEmpty() || !unchanged) {
            disarm();
            grewAt = System.nanoTime();
            return false;
        }
        return true;
    }

    /**
     * The last look at the sizes: what is omitted is on record afterwards, for ever.
     *
     * @return whether bytes are still to be freed, by one more {@link #look}: who waits for the command's end does not
     *     wait for that too
     */
    synchronized boolean release() throws IOException {
        if (released) {
            return false;
        }
        disarm();
        ending = true;
        try {
            if (!limited) {
                measure();
                hold(false);
            }
        } finally {
            released = true;
        }
        return !owed.isEmpty();
    }

    /** Frees what was on record as omitted, but not yet freed. */
    private void settle() {
        owed.forEach((stream, gap) -> {
            if (file(stream).exists()) {
                punch.punch(file(stream).toPath(), gap.from(), gap.to());
            }
        });
        owed.clear();
    }

    private void disarm() {
        armed.forEach(KernelEvents.Registration::close);
        armed.clear();
    }

    /** @return by how much the two streams grew since the last look */
    private long measure() throws IOException {
        long grown = 0;
        for (StreamName stream : StreamName.values()) {
            long size = file(stream).length();
            long before = seen(stream);
            if (size < before) {
                gaps.truncated(stream, size);
            }
            seen.put(stream, size);
            grown += Math.abs(size - before);
        }
        return grown;
    }

    /** Drops what is beyond the budget; in large pieces while it floods. */
    private void hold(boolean flooding) throws IOException {
        for (StreamName stream : StreamName.values()) {
            long size = seen(stream);
            if (size > budget.bytes()) {
                drop(stream, size, flooding);
            }
        }
    }

    private void drop(StreamName stream, long size, boolean flooding) throws IOException {
        Gap old = gaps.of(stream);
        Gap gap = budget.gap(size, old);
        long dropped = old == null ? gap.from() : old.to();
        if (gap.to() - dropped <= (flooding ? budget.leeway(old) : 0)) {
            return;
        }
        gaps.record(stream, gap);
        if (ending && old != null) {
            owed.put(stream, new Gap(dropped, gap.to()));
            return;
        }
        boolean done = false;
        try {
            done = punch.punch(file(stream).toPath(), dropped, gap.to());
        } finally {
            if (!done) {
                gaps.record(stream, old);
            }
        }
        if (!done) {
            limit();
        }
    }

    /** Has it ended, once, on a thread of its own. */
    synchronized void limit() {
        if (!limited && !released) {
            limited = true;
            Thread.ofVirtual().name("output-limit").start(writer::limit);
        }
    }

    TaskId id() {
        return id;
    }

    /** What its output takes of the disk. */
    long allocatedBytes() {
        long bytes = 0;
        for (StreamName stream : StreamName.values()) {
            try {
                bytes += Holes.allocatedBytes(file(stream).toPath());
            } catch (ErrnoException none) {
                // A terminal has no stderr, and a folder may be deleted meanwhile.
            }
        }
        return bytes;
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
            LOG.warnf(
                    "That %s is paused could not be written down; a new server will not continue it: %s", id, failure);
        }
        writer.pause();
    }

    /** Lets it go on; blocks. */
    void resume() {
        writer.resume();
        try {
            Files.deleteIfExists(folder.paused());
        } catch (IOException failure) {
            LOG.warnf("That %s goes on could not be written down: %s", id, failure);
        }
    }

    /** Whether trouble with it is new, to be told once. */
    boolean firstTrouble() {
        boolean first = !troubled;
        troubled = true;
        return first;
    }

    private long seen(StreamName stream) {
        return seen.getOrDefault(stream, 0L);
    }

    private File file(StreamName stream) {
        return folder.output(stream).toFile();
    }
}
