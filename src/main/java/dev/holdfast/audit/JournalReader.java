package dev.holdfast.audit;

import dev.holdfast.runtime.port.Journal.Entry;
import dev.holdfast.runtime.port.Journal.Page;
import dev.holdfast.runtime.port.Journal.Query;
import dev.holdfast.task.TaskId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a journal's files while they are written, deleted, and perhaps damaged. Holds a page of them and a
 * buffer.
 */
final class JournalReader {
    /** A file is written after the time of its last line was taken, by a clock of its own that ticks more slowly. */
    private static final Duration CLOCKS = Duration.ofSeconds(1);
    /** A piece of a file that is sooner read than searched. */
    private static final int SMALL = 64 * 1024;

    private final Query query;
    private final List<Entry> found = new ArrayList<>();

    JournalReader(Query query) {
        this.query = query;
    }

    /** @param files the oldest first */
    Page read(List<Path> files) throws IOException {
        for (int i = 0; i < files.size() && found.size() <= query.limit(); i++) {
            boolean last = i == files.size() - 1;
            boolean before = !last && JournalFiles.first(files.get(i + 1)) <= query.after() + 1;
            if (!before && (last || mayHold(files.get(i)))) {
                read(files.get(i));
            }
        }
        if (found.size() <= query.limit()) {
            return new Page(found, null);
        }
        List<Entry> page = found.subList(0, query.limit());
        return new Page(page, page.getLast().seq());
    }

    private boolean mayHold(Path file) {
        Instant since = query.since();
        return since == null
                || !Instant.ofEpochMilli(file.toFile().lastModified()).isBefore(since.minus(CLOCKS));
    }

    private void read(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            file.seek(near(file));
            LineReader lines = new LineReader(file);
            byte[] line = lines.next();
            while (line != null && found.size() <= query.limit()) {
                if (mayTellOf(query.taskId(), line)) {
                    JournalLine.read(line).filter(this::wanted).ifPresent(found::add);
                }
                line = lines.next();
            }
        } catch (FileNotFoundException gone) {
            // rotated away meanwhile: the next one is the oldest
            if (path.toFile().exists()) {
                throw gone;
            }
        }
    }

    private boolean wanted(Entry entry) {
        TaskId task = query.taskId();
        Instant since = query.since();
        return entry.seq() > query.after()
                && (task == null || task.equals(entry.line().taskId()))
                && (since == null || !entry.at().isBefore(since));
    }

    /**
     * A line's beginning at or before the first that is wanted by its {@code seq}: found by halves, for lines are in
     * order.
     */
    private long near(RandomAccessFile file) throws IOException {
        long low = 0;
        long high = file.length();
        while (query.after() > 0 && high - low > SMALL) {
            long middle = (low + high) / 2;
            file.seek(middle);
            LineReader lines = new LineReader(file);
            byte[] rest = lines.next();
            byte[] line = rest == null ? null : lines.next();
            long seq = line == null ? 0 : JournalLine.seq(line);
            if (rest == null || seq == 0) {
                return low; // damaged there: read it all
            }
            if (seq <= query.after()) {
                low = middle + rest.length + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean mayTellOf(@Nullable TaskId task, byte[] line) {
        return task == null || new String(line, StandardCharsets.ISO_8859_1).contains(task.value());
    }
}
