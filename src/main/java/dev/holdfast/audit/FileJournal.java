package dev.holdfast.audit;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.config.OwnFiles;
import dev.holdfast.kernel.Descriptor;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.port.Journal;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The journal in {@code <data>/audit/}, mode 0700: files of 64 MiB, mode 0600, of which ten are kept besides the one
 * that is written. Each line is one write to a file that is opened for it, so that a journal that somebody moves,
 * deletes or closes is never written to a file that nobody finds. Thread-safe, no thread of its own; an interrupt does
 * nothing to it.
 */
@Singleton
public final class FileJournal implements Journal {
    /** When the data folder is there, before recovery tells of ends. */
    static final int OPEN_JOURNAL = 60;

    private static final long MOST_BYTES = 64 << 20;
    private static final int KEPT = 10;
    private static final int FILE_MODE = 0600;
    private static final Logger LOG = Logger.getLogger(FileJournal.class);

    private final JournalFiles files;
    private final InstantSource clock;
    private final long mostBytes;
    /** The file that is written; null until its end was looked at. */
    private @Nullable Path current;

    private long next = 1;

    @Inject
    public FileJournal(HoldfastConfig config, InstantSource clock) {
        this(config.dataDir().resolve("audit"), clock, MOST_BYTES);
    }

    FileJournal(Path folder, InstantSource clock, long mostBytes) {
        this.files = new JournalFiles(folder);
        this.clock = clock;
        this.mostBytes = mostBytes;
    }

    void begin(@Observes @Priority(OPEN_JOURNAL) StartupEvent start) {
        try {
            takeUp();
        } catch (IOException | RuntimeException failure) {
            LOG.errorf("The journal cannot be written (%s); new work is refused until it can", reason(failure));
        }
    }

    @Override
    public void write(Line line) {
        try {
            append(line);
        } catch (IOException | ErrnoException failure) {
            throw refusal("The journal cannot be written (" + reason(failure) + "), so nothing new is done.", failure);
        }
    }

    @Override
    public void tell(Line line) {
        try {
            append(line);
        } catch (IOException | RuntimeException failure) {
            String text = new String(JournalLine.bytes(0, clock.instant(), line), StandardCharsets.UTF_8).strip();
            LOG.errorf("The journal cannot be written (%s); not in it: %s", reason(failure), text);
        }
    }

    @Override
    public Optional<String> flaw() {
        try {
            takeUp(); // opens the newest file to write, where there is one
            return Optional.empty();
        } catch (IOException | RuntimeException failure) {
            return Optional.of(reason(failure));
        }
    }

    @Override
    public Page read(Query query) {
        try {
            return new JournalReader(query).read(files.all());
        } catch (IOException failure) {
            throw refusal("The journal cannot be read (" + reason(failure) + ").", failure);
        }
    }

    private synchronized void append(Line line) throws IOException {
        Path file = current;
        long size = file == null ? 0 : file.toFile().length();
        if (file == null || size == 0) {
            file = takeUp(); // made anew when somebody took it away
            size = file.toFile().length();
        }
        byte[] bytes = JournalLine.bytes(next, clock.instant(), line);
        if (size > 0 && size + bytes.length > mostBytes) {
            files.keep(KEPT);
            file = files.beginning(next);
            current = file;
        }
        try (Descriptor open =
                Descriptor.open(file, Descriptor.WRITE | Descriptor.CREATE | Descriptor.APPEND, FILE_MODE)) {
            open.writeAll(bytes);
        } catch (ErrnoException failure) {
            current = null; // a piece of the line may be there
            throw failure;
        }
        next++;
    }

    private synchronized Path takeUp() throws IOException {
        OwnFiles.folder(files.folder());
        List<Path> all = files.all();
        Path newest = all.isEmpty() ? files.beginning(next) : all.getLast();
        if (!all.isEmpty()) {
            next = Math.max(next, JournalTail.mend(newest));
        }
        current = newest;
        return newest;
    }

    private Refusal refusal(String message, Exception failure) {
        return new Refusal(
                ErrorKind.STORAGE_FULL,
                message,
                Remedy.of(
                                reason(failure),
                                "Free disk space, or make " + files.folder()
                                        + " a folder that the server's user can write, then try again.")
                        + " Stops and signals work meanwhile.",
                Map.of("journal", files.folder().toString(), "reason", reason(failure)));
    }

    private static String reason(Exception failure) {
        return switch (failure) {
            case FileAlreadyExistsException file -> file.getFile() + ": it is no folder";
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case NoSuchFileException gone -> gone.getFile() + ": it is not there";
            default -> String.valueOf(failure.getMessage());
        };
    }
}
