package dev.holdfast.output;

import dev.holdfast.kernel.Blocks;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a {@link GovernedTask}, under whose lock it is used: what was last seen of its file, its gap, and the
 * blocks that are set aside for it while it floods.
 */
final class GovernedStream {
    /** Looks for which blocks are set aside: some come late. */
    private static final int AHEAD = 4;

    /** What may stay set aside for a stream that falls silent, until its command has ended. */
    private static final long MOST_AHEAD = 32 << 20;

    /** For less it is not worth a system call. */
    private static final long LEAST_AHEAD = 1 << 20;

    private final StreamName name;
    private final File file;
    private final Budget budget;
    private final Punch punch;
    private final Gaps gaps;
    private long seen;
    private long grown;
    /** Up to where blocks are set aside. */
    private long aside;
    /** On record as omitted, and still to be freed. */
    private @Nullable Gap owed;

    GovernedStream(StreamName name, TaskFolder folder, Budget budget, Punch punch, Gaps gaps) {
        this.name = name;
        this.file = folder.output(name).toFile();
        this.budget = budget;
        this.punch = punch;
        this.gaps = gaps;
        this.seen = file.length();
    }

    File file() {
        return file;
    }

    /** @return by how much it grew, or was truncated, since it was last measured */
    long measure() throws IOException {
        long before = seen;
        long size = file.length();
        if (size < before) {
            gaps.truncated(name, size);
            aside = 0;
        }
        seen = size;
        grown = size - before;
        return Math.abs(grown);
    }

    boolean isAsSeen() {
        return file.length() == seen;
    }

    /**
     * Drops what is beyond the budget; in large pieces while it floods.
     *
     * @return false: the file system cannot
     */
    boolean hold(boolean flooding) throws IOException {
        return seen <= budget.bytes() || drop(flooding, false);
    }

    /** The same a last time; of a flood the bytes are freed by {@link #settle}. */
    boolean holdAtEnd() throws IOException {
        return seen <= budget.bytes() || drop(false, true);
    }

    private boolean drop(boolean flooding, boolean atEnd) throws IOException {
        Gap old = gaps.of(name);
        Gap gap = budget.gap(seen, old);
        long dropped = old == null ? gap.from() : old.to();
        if (flooding ? seen <= budget.limit(old) : gap.to() == dropped) {
            return true;
        }
        gaps.record(name, gap);
        if (atEnd && old != null) {
            owed = new Gap(dropped, gap.to());
            return true;
        }
        boolean done = false;
        try {
            done = punch.punch(file.toPath(), dropped, gap.to());
        } finally {
            if (!done) {
                gaps.record(name, old);
            }
        }
        return done;
    }

    /**
     * For a stream that floods: lays out the record of what will be dropped, and sets blocks aside for what it will write
     * until some looks from now, as long as none of it is dropped.
     *
     * @param room whether the disk has room for so many bytes
     */
    void prepare(LongPredicate room) throws IOException {
        if (seen > budget.bytes()) {
            gaps.prepare();
        }
        long from = Math.max(seen, aside);
        long to = Math.min(seen + Math.min(AHEAD * grown, MOST_AHEAD), budget.limit(gaps.of(name)));
        if (to - from >= LEAST_AHEAD && from - seen < AHEAD / 2 * grown && room.test(to - from)) {
            // Where it cannot be done its writer does without.
            aside = Blocks.setAside(file.toPath(), from, to) ? to : Long.MAX_VALUE;
        }
    }

    /** In how many seconds bytes must be dropped from a flood that goes on as in the {@code last} seconds, those between looks. */
    double secondsUntilLimit(double last) {
        return last * (budget.limit(gaps.of(name)) - seen) / Math.max(grown, 1);
    }

    /** Whether there is something for {@link #settle}. */
    boolean isOwed() {
        if (seen < LEAST_AHEAD) {
            return false;
        }
        Gap gap = gaps.of(name);
        long kept = gap == null ? seen : seen - (gap.to() - gap.from());
        return owed != null || aside > seen || allocatedBytes() > kept + budget.slack();
    }

    /**
     * Once nobody writes any more: frees what is on record as omitted, and what is set aside, also by a server before this
     * one. When the file was last written stays as it was.
     */
    void settle() throws IOException {
        if (!file.exists() || !isOwed()) {
            return;
        }
        FileTime written = Files.getLastModifiedTime(file.toPath());
        if (owed != null) {
            punch.punch(file.toPath(), owed.from(), owed.to());
            owed = null;
        }
        var _ = Blocks.giveBack(file.toPath());
        Files.setLastModifiedTime(file.toPath(), written);
    }

    /** What it takes of the disk. */
    long allocatedBytes() {
        try {
            return Blocks.allocatedBytes(file.toPath());
        } catch (ErrnoException none) {
            // A terminal has no stderr, and a folder may be deleted meanwhile.
            return 0;
        }
    }
}
