package dev.holdfast.output;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.runtime.OutputStore.Writer;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * A task under the {@link DiskGovernor}. Looked at by the governor's thread, and once more by whoever releases it.
 */
final class GovernedTask {
    private static final Logger LOG = Logger.getLogger(GovernedTask.class);

    private final TaskId id;
    private final TaskFolder folder;
    private final Writer writer;
    private final List<GovernedStream> streams;
    private final List<KernelEvents.Registration> armed = new ArrayList<>();

    private final long beganAt = System.nanoTime();
    /** For the governor's thread alone. */
    private long due = beganAt;

    private long lookedAt = beganAt;
    private long grewAt = lookedAt;
    private long floodedAt = lookedAt;
    private boolean flooded;
    private boolean limited;
    private boolean released;
    private boolean troubled;

    GovernedTask(TaskId id, TaskFolder folder, Budget budget, Punch punch, Writer writer) {
        this.id = id;
        this.folder = folder;
        this.writer = writer;
        Gaps gaps = new Gaps(folder, budget, punch);
        this.streams = Stream.of(StreamName.values())
                .map(name -> new GovernedStream(name, folder, budget, punch, gaps))
                .toList();
    }

    /**
     * What a look has shown.
     *
     * @param pause for how long it need not be looked at
     */
    record Look(Found found, Duration pause) {
        private static final Look OVER = new Look(Found.OVER, DiskGovernor.TICK);
        private static final Look IDLE = new Look(Found.IDLE, DiskGovernor.TICK);
        private static final Look CALM = new Look(Found.WRITING, DiskGovernor.TICK);
        private static final Look YOUNG = new Look(Found.WRITING, DiskGovernor.STEP);

        enum Found {
            /** It grew a while ago at most. */
            WRITING,
            /** It did not grow for a while. */
            IDLE,
            /** It is not to be looked at again. */
            OVER
        }
    }

    /**
     * Compares sizes by stat, drops what is beyond the budget, and sets blocks aside for a flood.
     *
     * @param room whether the disk has room for so many bytes
     */
    synchronized Look look(LongPredicate room) throws IOException {
        disarm();
        if (released) {
            for (GovernedStream stream : streams) {
                stream.settle();
            }
        }
        if (released || limited) {
            return Look.OVER;
        }
        long now = System.nanoTime();
        double seconds = Math.max(now - lookedAt, 1) / 1e9;
        lookedAt = now;
        long grown = measure();
        boolean flooding = isFlooding(grown / seconds, now);
        for (GovernedStream stream : streams) {
            if (!stream.hold(flooding)) {
                limit();
                return Look.OVER;
            }
        }
        if (flooding) {
            for (GovernedStream stream : streams) {
                stream.prepare(room);
            }
        }
        if (grown > 0) {
            grewAt = now;
        }
        if (flooding) {
            return new Look(Look.Found.WRITING, untilLimit(seconds));
        }
        if (now - grewAt >= DiskGovernor.IDLE_AFTER.toNanos()) {
            return Look.IDLE;
        }
        return now - beganAt < DiskGovernor.TICK.toNanos() ? Look.YOUNG : Look.CALM;
    }

    /** When the governor's thread is to look at it, in the nanoseconds of {@link System#nanoTime}. */
    long due() {
        return due;
    }

    void lookAgainIn(long nanos) {
        due = System.nanoTime() + nanos;
    }

    /** Most of the time in which the first of them reaches its limit: it may become faster meanwhile. */
    private Duration untilLimit(double lastSeconds) {
        double seconds = streams.stream()
                .mapToDouble(stream -> stream.secondsUntilLimit(lastSeconds))
                .min()
                .orElseThrow();
        return Duration.ofNanos(Math.clamp(
                (long) (0.75e9 * seconds),
                DiskGovernor.LEAST_FLOOD_TICK.toNanos(),
                DiskGovernor.MOST_FLOOD_TICK.toNanos()));
    }

    /**
     * A flood is one until it was calm for a while: its writer may only have waited, for the disk or for a drop, and
     * would be made to wait for another one at once.
     */
    private boolean isFlooding(double bytesPerSecond, long now) {
        if (bytesPerSecond >= DiskGovernor.FLOOD) {
            flooded = true;
            floodedAt = now;
        } else if (now - floodedAt >= DiskGovernor.IDLE_AFTER.toNanos()) {
            flooded = false;
        }
        return flooded;
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
            for (GovernedStream stream : streams) {
                if (stream.file().exists()) {
                    armed.add(events.onNextWrite(stream.file().toPath(), onWrite));
                }
            }
        } catch (ErrnoException noWatch) {
            // Out of inotify watches: it stays among those looked at, which costs a little and misses nothing.
            disarm();
        }
        if (armed.isEmpty() || !streams.stream().allMatch(GovernedStream::isAsSeen)) {
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
        try {
            if (!limited) {
                measure();
                for (GovernedStream stream : streams) {
                    if (!stream.holdAtEnd()) {
                        limit();
                    }
                }
            }
        } finally {
            released = true;
        }
        return streams.stream().anyMatch(GovernedStream::isOwed);
    }

    private void disarm() {
        armed.forEach(KernelEvents.Registration::close);
        armed.clear();
    }

    /** @return by how much the two streams grew since the last look */
    private long measure() throws IOException {
        long grown = 0;
        for (GovernedStream stream : streams) {
            grown += stream.measure();
        }
        return grown;
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
        return streams.stream().mapToLong(GovernedStream::allocatedBytes).sum();
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
}
