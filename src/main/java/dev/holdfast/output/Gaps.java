package dev.holdfast.output;

import dev.holdfast.kernel.Blocks;
import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The gaps of one task's streams as they are on record, read from disk when they are first asked for: a server before
 * this one may have dropped something. Used under the task's lock.
 */
final class Gaps {
    private final TaskFolder folder;
    private final Budget budget;
    private final Punch punch;
    private @Nullable Map<StreamName, Gap> recorded;
    private boolean laidOut;

    Gaps(TaskFolder folder, Budget budget, Punch punch) {
        this.folder = folder;
        this.budget = budget;
        this.punch = punch;
    }

    @Nullable
    Gap of(StreamName stream) {
        return all().get(stream);
    }

    /** On disk first: whoever looks there never misses a gap. */
    void record(StreamName stream, @Nullable Gap gap) throws IOException {
        Map<StreamName, Gap> changed = new EnumMap<>(all());
        if (gap == null) {
            changed.remove(stream);
        } else {
            changed.put(stream, gap);
        }
        OmittedFile.write(folder, changed);
        recorded = changed;
    }

    /** Lays the record out as it stands, so that the next one is quick: a flood does not wait for it. */
    void prepare() throws IOException {
        if (!laidOut) {
            if (!folder.omitted().toFile().exists()) {
                OmittedFile.write(folder, all());
            }
            laidOut = true;
        }
    }

    /** The command truncated its own output: what is on record beyond the new end is no gap any more. */
    void truncated(StreamName stream, long size) throws IOException {
        Gap gap = of(stream);
        Gap left = OmittedFile.within(gap, size);
        if (gap != null && !gap.equals(left) && folder.output(stream).toFile().exists()) {
            record(stream, left);
        }
    }

    private Map<StreamName, Gap> all() {
        if (recorded == null) {
            recorded = OmittedFile.read(folder);
            recorded.forEach(this::dropAgain);
        }
        return recorded;
    }

    /** That server may have died between the record and the punch. */
    private void dropAgain(StreamName stream, Gap gap) {
        Path path = folder.output(stream);
        File file = path.toFile();
        long kept = file.length() - (gap.to() - gap.from());
        if (file.length() >= gap.to() && Blocks.allocatedBytes(path) > kept + budget.slack()) {
            punch.punch(path, gap.from(), gap.to());
        }
    }
}
