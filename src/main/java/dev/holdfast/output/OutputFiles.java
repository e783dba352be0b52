package dev.holdfast.output;

import com.google.re2j.Pattern;
import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.kernel.ErrnoException;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.StreamFile.Chunk;
import dev.holdfast.output.search.Candidates;
import dev.holdfast.output.search.Search;
import dev.holdfast.output.search.Searches;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The output of commands as the files in their folders, which the commands write themselves. Nothing is cached: what is
 * answered is what is on disk, also what a former server's commands wrote.
 */
@ApplicationScoped
public class OutputFiles implements OutputStore, AutoCloseable {
    /** So much is read to get one character or escape: nearly always the first is enough. */
    private static final int[] ONE = {Escapes.SHORT + 1, Escapes.LIMIT + 1};

    private static final int[] NONE = {};
    /** Between two looks at what the kernel has no watch left for. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private static final Logger LOG = Logger.getLogger(OutputFiles.class);

    private final Path dataDir;
    private final KernelEvents events;
    private final DiskGovernor governor;
    private final long floor;
    private final Searches searches = new Searches();
    private final AtomicBoolean warned = new AtomicBoolean();
    /** Callers who wait for output, or follow it. */
    private final AtomicInteger watching = new AtomicInteger();

    /**
     * @param maxBytes what is kept of each stream
     * @param floor free bytes below which nothing new may start
     */
    public OutputFiles(Path dataDir, KernelEvents events, long maxBytes, long floor) {
        this.floor = floor;
        this.dataDir = dataDir.toAbsolutePath();
        this.events = events;
        File data = this.dataDir.toFile();
        this.governor = new DiskGovernor(events, maxBytes, new DiskFloor(data::getUsableSpace, floor));
    }

    @Inject
    OutputFiles(HoldfastConfig config, KernelEvents events, MeterRegistry metrics) {
        this(config.dataDir(), events, config.output().maxBytes(), config.disk().floor());
        metrics.gauge("holdfast.output.watches", watching);
    }

    @Override
    public Facts facts(TaskId id) {
        StreamFile out = stream(id, StreamName.STDOUT);
        StreamFile err = stream(id, StreamName.STDERR);
        long stdout = out.size();
        long stderr = err.size();
        if (stdout == 0 && stderr == 0) {
            return Facts.NONE;
        }
        Instant last = Instant.ofEpochMilli(Math.max(out.writtenAt(stdout), err.writtenAt(stderr)));
        return new Facts(stdout, stderr, out.omitted(stdout) + err.omitted(stderr), last);
    }

    @Override
    public Slice read(TaskId id, StreamName stream, long from, int maxBytes) {
        Chunk chunk = stream(id, stream).read(from, maxBytes);
        return new Slice(chunk.bytes(), chunk.start(), chunk.next(), omitted(chunk));
    }

    @Override
    public TextSlice readText(TaskId id, StreamName stream, long from, int maxBytes, boolean last) {
        return readText(stream(id, stream), from, maxBytes, last, false);
    }

    @Override
    public TextSlice readLines(TaskId id, StreamName stream, long from, int maxBytes, boolean last) {
        return readText(stream(id, stream), from, maxBytes, last, true);
    }

    private static TextSlice readText(StreamFile file, long from, int maxBytes, boolean last, boolean lines) {
        Chunk chunk = file.read(from, maxBytes);
        TextSlice slice = text(file, chunk, last, false, lines && chunk.length() == maxBytes);
        boolean less = slice.next() == chunk.start() && chunk.length() == maxBytes;
        for (int most : less ? ONE : NONE) {
            // No progress: a chunk of this size is less than one character or escape.
            slice = slice.next() == chunk.start()
                    ? text(file, file.read(chunk.start(), most), last, true, false)
                    : slice;
        }
        return new TextSlice(slice.text(), slice.start(), slice.next(), omitted(chunk), slice.line(), slice.lineFrom());
    }

    /**
     * @param one no more than one character or escape, or the rest of one
     * @param lines no more than lines that end, if there is one
     */
    private static TextSlice text(StreamFile file, Chunk chunk, boolean last, boolean one, boolean lines) {
        byte[] bytes = chunk.bytes();
        boolean closed = chunk.beforeGap() || (last && chunk.atEnd());
        int rest = file.rest(chunk.start(), bytes, last);
        if (rest < 0 || rest > bytes.length) {
            long next = chunk.start() + Math.max(0, rest);
            return new TextSlice("", next, next, List.of(), 0, next);
        }
        int to = bytes.length;
        if (one && to > 0) {
            int end = rest > 0 ? rest : TextView.unit(bytes, 0, to, closed);
            if (end > 0 && (rest > 0 || bytes[0] == Escapes.ESC)) {
                long next = chunk.start() + end; // what follows tells where it ends, and without that it may be text
                return new TextSlice("", next, next, List.of(), 0, next);
            }
            to = end > 0 ? end : to;
        }
        TextView.Rendered rendered =
                lines ? TextView.renderLines(bytes, rest, to, closed) : TextView.render(bytes, rest, to, closed);
        return new TextSlice(
                rendered.text(),
                chunk.start() + rest,
                chunk.start() + rendered.end(),
                List.of(),
                rendered.line(),
                chunk.start() + rendered.lineFrom());
    }

    @Override
    public Preview preview(TaskId id, int budgetChars, boolean last) {
        return Previews.of(folder(id), budgetChars, last);
    }

    @Override
    public Found search(TaskId id, StreamName stream, Wanted wanted, boolean last, BooleanSupplier abandoned) {
        return searches.run(() -> new Search(stream(id, stream), wanted, last, abandoned).run());
    }

    @Override
    public Predicate<String> sieve(Pattern pattern) {
        return new Candidates(pattern.pattern())::mayBeIn;
    }

    @Override
    public @Nullable Gap gap(TaskId id, StreamName stream) {
        return OmittedFile.read(folder(id), stream, stream(id, stream).size());
    }

    @Override
    public Path file(TaskId id, StreamName stream) {
        return folder(id).output(stream);
    }

    @Override
    public Watch watch(TaskId id, Consumer<StreamName> onChange) {
        List<KernelEvents.Registration> registrations = new ArrayList<>();
        AtomicBoolean open = new AtomicBoolean(true);
        watching.incrementAndGet();
        Watch watch = () -> {
            registrations.forEach(KernelEvents.Registration::close);
            if (open.getAndSet(false)) {
                watching.decrementAndGet();
            }
        };
        for (StreamName stream : StreamName.values()) {
            try {
                registrations.add(events.onWrite(file(id, stream), () -> onChange.accept(stream)));
            } catch (ErrnoException problem) {
                // A terminal has no stderr.
                if (problem.errno() != ErrnoException.ENOENT) {
                    warnOnce(problem);
                    lookAgainAndAgain(open, () -> onChange.accept(stream));
                }
            }
        }
        return watch;
    }

    private void warnOnce(ErrnoException problem) {
        if (!warned.getAndSet(true)) {
            LOG.warnf(
                    "Output cannot be watched (%s), so it is looked at every %d ms. Raise fs.inotify.max_user_watches"
                            + " and fs.inotify.max_user_instances, and start the server anew.",
                    problem.getMessage(), LOOK.toMillis());
        }
    }

    private static void lookAgainAndAgain(AtomicBoolean open, Runnable look) {
        if (open.get()) {
            look.run();
            var _ = Threads.after(LOOK, () -> lookAgainAndAgain(open, look));
        }
    }

    @Override
    public void govern(TaskId id, Writer writer) {
        governor.govern(id, folder(id), writer);
    }

    @Override
    public boolean isHeld(TaskId id) {
        return governor.isHeld(id, folder(id));
    }

    @Override
    public boolean isPaused(TaskId id) {
        return folder(id).paused().toFile().exists();
    }

    @Override
    public Space space() {
        return new Space(dataDir.toFile().getUsableSpace(), floor);
    }

    @Override
    public void release(TaskId id) {
        governor.release(id);
    }

    private TaskFolder folder(TaskId id) {
        return TaskFolder.of(dataDir, id);
    }

    private StreamFile stream(TaskId id, StreamName stream) {
        return new StreamFile(folder(id), stream);
    }

    private static List<Gap> omitted(Chunk chunk) {
        return chunk.skipped() == null ? List.of() : List.of(chunk.skipped());
    }

    /** Tasks are no longer held within their budget; their commands go on. */
    @PreDestroy
    @Override
    public void close() {
        governor.close();
        searches.close();
    }
}
