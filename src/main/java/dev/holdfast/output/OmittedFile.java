package dev.holdfast.output;

import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code omitted} of a task: a line {@code stdout <from> <to>} for the one gap a stream has. It is written, whole
 * and renamed into place, before the bytes are dropped: who reads it after he read the bytes cannot take a hole for zeros.
 */
final class OmittedFile {
    private OmittedFile() {}

    /** The gaps on record; empty when nothing was ever dropped. */
    static Map<StreamName, Gap> read(TaskFolder folder) {
        Map<StreamName, Gap> gaps = new EnumMap<>(StreamName.class);
        if (folder.omitted().toFile().length() == 0) {
            return gaps;
        }
        try {
            for (String line : Files.readAllLines(folder.omitted())) {
                String[] fields = line.split(" ", 3);
                StreamName stream = StreamName.valueOf(fields[0].toUpperCase(Locale.ROOT));
                gaps.put(stream, new Gap(Long.parseLong(fields[1]), Long.parseLong(fields[2])));
            }
            return gaps;
        } catch (NoSuchFileException gone) {
            return gaps;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** The gap of one stream as far as it lies within {@code size}, null without one. */
    static @Nullable Gap read(TaskFolder folder, StreamName stream, long size) {
        if (size < DiskGovernor.LEAST_BUDGET) {
            return null;
        }
        return within(read(folder).get(stream), size);
    }

    /** What is left of a gap in a file that may have been truncated since. */
    static @Nullable Gap within(@Nullable Gap gap, long size) {
        if (gap == null || gap.from() >= size) {
            return null;
        }
        return gap.to() <= size ? gap : new Gap(gap.from(), size);
    }

    /** Replaces what is on record. */
    static void write(TaskFolder folder, Map<StreamName, Gap> gaps) throws IOException {
        StringBuilder lines = new StringBuilder();
        gaps.forEach((stream, gap) -> lines.append(stream.name().toLowerCase(Locale.ROOT))
                .append(' ')
                .append(gap.from())
                .append(' ')
                .append(gap.to())
                .append('\n'));
        Path fresh = folder.path().resolve("omitted.new");
        Files.writeString(fresh, lines);
        Files.move(fresh, folder.omitted(), StandardCopyOption.ATOMIC_MOVE);
    }
}
