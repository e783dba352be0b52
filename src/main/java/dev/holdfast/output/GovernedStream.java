package dev.holdfast.output;

import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.Holes;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One stream of a {@link GovernedTask}, under whose lock it is used: what was last seen of its file, and its gap. */
final class GovernedStream {
    private final StreamName name;
    private final File file;
    private final Budget budget;
    private final Punch punch;
    private final Gaps gaps;
    private long seen;
    /** On record as omitted, and still to be freed. */
    private @Nullable Gap owed;

    GovernedStream(StreamName name, TaskFolder folder, Budget budget, Punch punch, Gaps gaps) {
        this.name = name;
        this.file = folder.output(name).toFile();
        this.budget = budget;
        this.punch = punch;
        this.gaps = gaps;
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
        }
        seen = size;
        return Math.abs(size - before);
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
        if (gap.to() - dropped <= (flooding ? budget.leeway(old) : 0)) {
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

    boolean isOwed() {
        return owed != null;
    }

    /** Frees what was on record as omitted, but not yet freed. */
    void settle() {
        if (owed != null && file.exists()) {
            punch.punch(file.toPath(), owed.from(), owed.to());
        }
        owed = null;
    }

    /** What it takes of the disk. */
    long allocatedBytes() {
        try {
            return Holes.allocatedBytes(file.toPath());
        } catch (ErrnoException none) {
            // A terminal has no stderr, and a folder may be deleted meanwhile.
            return 0;
        }
    }
}
