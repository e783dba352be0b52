package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.holdfast.runtime.OutputStore.Gap;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
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
 * The file {@code omitted} of a task: a line {@code stdout <from> <to>} for the one gap a stream has. It is written before
 * the bytes are dropped: who reads it after he read the bytes cannot take a hole for zeros.
 *
 * <p>Its form is fixed, both streams' lines twice: it is overwritten in place, for under a flood a rename waits for the
 * file system's journal, at times for a quarter of a second, while the flood goes on. Two equal halves tell a reader that
 * he did not read in the middle of it. It survives the server; nothing is forced to the disk, so that a power
 * failure may leave it half a minute behind the holes.
 */
final class OmittedFile {
    private static final int MOST_RETRIES = 1000;

    private OmittedFile() {}

    /** The gaps on record; empty when nothing was ever dropped. */
    static Map<StreamName, Gap> read(TaskFolder folder) {
        if (folder.omitted().toFile().length() == 0) {
            return new EnumMap<>(StreamName.class);
        }
        try {
            return parse(half(folder.omitted()));
        } catch (NoSuchFileException gone) {
            return new EnumMap<>(StreamName.class);
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

    /** Replaces what is on record. For one writer at a time. */
    static void write(TaskFolder folder, Map<StreamName, Gap> gaps) throws IOException {
        byte[] content = content(gaps).repeat(2).getBytes(US_ASCII);
        File file = folder.omitted().toFile();
        if (file.length() == content.length) {
            try (RandomAccessFile out = new RandomAccessFile(file, "rw")) {
                out.write(content);
            }
            return;
        }
        Path fresh = folder.path().resolve("omitted.new");
        Files.write(fresh, content);
        Files.move(fresh, folder.omitted(), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String content(Map<StreamName, Gap> gaps) {
        StringBuilder lines = new StringBuilder();
        for (StreamName stream : StreamName.values()) {
            Gap gap = gaps.getOrDefault(stream, new Gap(0, 0));
            String name = stream.name().toLowerCase(Locale.ROOT);
            lines.append("%s %019d %019d\n".formatted(name, gap.from(), gap.to()));
        }
        return lines.toString();
    }

    private static String half(Path file) throws IOException {
        for (int i = 0; i < MOST_RETRIES; i++) {
            String content = Files.readString(file, US_ASCII);
            int half = content.length() / 2;
            if (content.regionMatches(0, content, half, half)) {
                return content.substring(0, half);
            }
            Thread.onSpinWait();
        }
        throw new IOException(file + " is damaged: its halves differ");
    }

    private static Map<StreamName, Gap> parse(String lines) {
        Map<StreamName, Gap> gaps = new EnumMap<>(StreamName.class);
        for (String line : lines.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            if (fields.length == 3) {
                Gap gap = new Gap(Long.parseLong(fields[1]), Long.parseLong(fields[2]));
                if (gap.to() > gap.from()) {
                    gaps.put(StreamName.valueOf(fields[0].toUpperCase(Locale.ROOT)), gap);
                }
            }
        }
        return gaps;
    }
}
