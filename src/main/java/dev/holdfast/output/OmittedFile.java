package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.StreamName;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code omitted} of a task: a line {@code stdout <from> <to>} for the one gap a stream has. It is written
 * before the bytes are dropped: who reads it after he read the bytes cannot take a hole for zeros.
 *
 * <p>Its form is fixed, both streams' lines twice: it is overwritten in place, for under a flood a rename waits for the
 * file system's journal, at times for a quarter of a second, while the flood goes on. Two equal halves tell a reader
 * that he did not read in the middle of it. It survives the server; nothing is forced to the disk, so that a power
 * failure may leave it half a minute behind the holes.
 */
final class OmittedFile {
    private static final int MOST_RETRIES = 1000;
    private static final Gap NONE = new Gap(0, 0);

    private OmittedFile() {}

    /** The gap of one stream as far as it lies within {@code size}, null without one. */
    static @Nullable Gap read(TaskFolder folder, StreamName stream, long size) {
        return size < DiskGovernor.LEAST_BUDGET ? null : within(read(folder).get(stream), size);
    }

    /** Replaces what is on record of one stream; null: it has no gap. For one writer at a time. */
    static void write(TaskFolder folder, StreamName stream, @Nullable Gap gap) throws IOException {
        Map<StreamName, Gap> gaps = read(folder);
        gaps.put(stream, gap == null ? NONE : gap);
        StringBuilder lines = new StringBuilder();
        for (StreamName name : StreamName.values()) {
            Gap one = gaps.getOrDefault(name, NONE);
            lines.append("%s %019d %019d\n".formatted(name.name().toLowerCase(Locale.ROOT), one.from(), one.to()));
        }
        try (RandomAccessFile out = new RandomAccessFile(folder.omitted().toFile(), "rw")) {
            out.write(lines.toString().repeat(2).getBytes(US_ASCII));
        }
    }

    /** What is on record beyond the end of a stream that was truncated is no gap any more. */
    static void truncated(TaskFolder folder, StreamName stream, long size) throws IOException {
        Gap gap = read(folder).get(stream);
        Gap left = within(gap, size);
        if (gap != null && !gap.equals(left)) {
            write(folder, stream, left);
        }
    }

    private static @Nullable Gap within(@Nullable Gap gap, long size) {
        if (gap == null || gap.from() >= size) {
            return null;
        }
        return gap.to() <= size ? gap : new Gap(gap.from(), size);
    }

    /** The gaps on record; empty when nothing was ever dropped. */
    static Map<StreamName, Gap> read(TaskFolder folder) {
        Map<StreamName, Gap> gaps = new EnumMap<>(StreamName.class);
        for (String line : half(folder.omitted().toFile()).lines().toList()) {
            String[] fields = line.split(" ", -1);
            Gap gap = new Gap(Long.parseLong(fields[1]), Long.parseLong(fields[2]));
            if (gap.to() > gap.from()) {
                gaps.put(StreamName.valueOf(fields[0].toUpperCase(Locale.ROOT)), gap);
            }
        }
        return gaps;
    }

    private static String half(File file) {
        try {
            for (int i = 0; i < MOST_RETRIES; i++) {
                String content = file.length() == 0 ? "" : Files.readString(file.toPath(), US_ASCII);
                int half = content.length() / 2;
                if (content.regionMatches(0, content, half, half)) {
                    return content.substring(0, half);
                }
            }
            throw new IOException(file + " is damaged: its halves differ");
        } catch (NoSuchFileException deleted) {
            return "";
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
