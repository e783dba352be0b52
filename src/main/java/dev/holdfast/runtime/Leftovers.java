package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Remedy;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Processes that outlive their command and still hold its output: what they write stays recorded and within its budget,
 * and a folder that is to go stays until they are gone. Costs nothing while there are none. Whose output is held is
 * marked by a file, {@code <data>/leftovers/<id>}, before its end is on record: the next server looks at no other. What
 * is being stopped is marked likewise, {@code stop-<id>}, with when it is killed and when its command ended.
 */
@Singleton
public final class Leftovers {
    private static final Logger LOG = Logger.getLogger(Leftovers.class);
    private static final long LOOK_SECONDS = 5;
    /** Begins the name of the mark of a stop that goes on. */
    private static final String STOP = "stop-";

    private static final long SEEN_NANOS = Duration.ofSeconds(1).toNanos();

    /** @param at by the clock that nobody sets */
    private record Seen(long at, List<LeftProcess> left) {}

    private final OutputStore outputs;
    private final CommandHost host;
    private final TaskStore store;
    private final InstantSource clock;
    /** Whose output is still held. */
    private final Set<TaskId> held = ConcurrentHashMap.newKeySet();
    /** Of ended tasks that somebody polled. */
    private final Map<TaskId, Seen> seen = new ConcurrentHashMap<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("leftovers").factory());

    private final Path dataDir;
    private final Path marks;
    /** There once the marks tell all; a server of before made none. */
    private final Path complete;

    public Leftovers(
            HoldfastConfig config, OutputStore outputs, CommandHost host, TaskStore store, InstantSource clock) {
        this.outputs = outputs;
        this.host = host;
        this.store = store;
        this.clock = clock;
        this.dataDir = config.dataDir();
        this.marks = dataDir.resolve("leftovers");
        this.complete = marks.resolve("complete");
    }

    /** Whether the marks tell whose output is held: servers of before made none, and only a look at each task tells. */
    public boolean marked() {
        return Files.exists(complete);
    }

    /** Goes on with what the last server cared for; from now on the marks tell all. */
    public void takeOverMarked() {
        for (String name : Objects.requireNonNullElse(marks.toFile().list(), new String[0])) {
            if (name.startsWith(STOP)) {
                TaskId.parse(name.substring(STOP.length())).ifPresent(this::goOnEnding);
            } else {
                TaskId.parse(name).ifPresent(this::takeOver);
            }
        }
        mark(complete, "");
    }

    /**
     * Cares for the output of a command that ended before this server began: somebody may still write it, and it may
     * lie beyond its budget. Of who writes it nothing is known that could be ended for it. What is forgotten goes as
     * soon as it may.
     */
    public void takeOver(TaskId id) {
        outputs.govern(id, () -> {});
        if (watchUntilQuiet(id) && !isGone(id)) {
            held.add(id);
            lookLater(id);
        }
    }

    /** Whether its task was forgotten, and its folder stays only until nobody holds its output. */
    public boolean isForgotten(TaskId id) {
        return Files.exists(TaskFolder.of(dataDir, id).forgotten());
    }

    /**
     * Ends the care for a command's output, as soon as nobody writes it any more.
     *
     * @return whether that is so now
     */
    boolean watchUntilQuiet(TaskId id) {
        if (quiet(id)) {
            return true;
        }
        if (held.add(id)) {
            mark(marks.resolve(id.value()), "");
            lookLater(id);
        }
        return false;
    }

    /** What lives of a command that has ended, whoever writes its output; see {@link CommandHost#left}. */
    List<LeftProcess> of(TaskId id, Instant endedAt) {
        try {
            return host.left(id, endedAt);
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "What %s left running cannot be seen", id);
            return List.of();
        }
    }

    /**
     * The same for who polls: as last seen, a second ago at most. Where nothing tells that anything lives, nothing is
     * looked at.
     */
    List<LeftProcess> seen(TaskId id, Instant endedAt) {
        if (!held.contains(id) && !host.mayBeLeft(id)) {
            seen.remove(id);
            return List.of();
        }
        return seen.compute(
                        id,
                        (_, last) -> last != null && System.nanoTime() - last.at() < SEEN_NANOS
                                ? last
                                : new Seen(System.nanoTime(), of(id, endedAt)))
                .left();
    }

    /**
     * Has it end, whoever waits for it; see {@link CommandHost#endStrays}. A server that ends meanwhile leaves that to
     * the next one.
     */
    public CompletableFuture<CommandHost.Swept> end(TaskId id, Instant endedAt, Duration grace) {
        seen.remove(id);
        Path stop = marks.resolve(STOP + id.value());
        mark(stop, Instant.now().plus(grace) + " " + endedAt);
        return CompletableFuture.supplyAsync(
                () -> {
                    CommandHost.Swept swept = host.endStrays(id, endedAt, grace);
                    seen.remove(id);
                    var _ = stop.toFile().delete();
                    return swept;
                },
                Threads::start);
    }

    /** What a former server was ending, with what is left of its grace; returns at once. */
    private void goOnEnding(TaskId id) {
        try {
            String[] times = Files.readString(marks.resolve(STOP + id.value())).split(" ", -1);
            var _ = end(id, Instant.parse(times[1]), Endings.left(Instant.now(), Instant.parse(times[0])))
                    .exceptionally(failure -> {
                        notGoneOnWith(id, failure);
                        return null;
                    });
        } catch (IOException | RuntimeException failure) {
            notGoneOnWith(id, failure);
        }
    }

    private static void notGoneOnWith(TaskId id, Throwable failure) {
        LOG.warnf(failure, "What %s left running was being stopped, which cannot be gone on with", id);
    }

    private void mark(Path file, String what) {
        try {
            Files.createDirectories(marks);
            Files.writeString(file, what);
        } catch (IOException failure) {
            LOG.warnf("A new server will not know of all processes that outlive their command: %s", failure);
        }
    }

    /** Whether nobody writes it any more, and the care for it is over; what cannot be seen is not quiet. */
    private boolean quiet(TaskId id) {
        try {
            if (outputs.isHeld(id)) {
                return false;
            }
            outputs.release(id);
            var _ = marks.resolve(id.value()).toFile().delete();
            return true;
        } catch (RuntimeException | Error failure) {
            LOG.warnf(failure, "Who writes the output of %s cannot be seen; looking again later", id);
            return false;
        }
    }

    /**
     * Deletes a command's folder, as soon as nobody writes its output any more; until then it is marked, so that no
     * later server takes it for a task. Returns at once.
     *
     * @return completes when it is deleted or marked, exceptionally when it is neither
     */
    CompletableFuture<Void> forgetWhenQuiet(TaskId id) {
        return forgetWhenQuiet(id, () -> {});
    }

    /**
     * The same of a task. On a full disk the database cannot write before its output is gone; a server that dies in
     * between leaves its row to the next one.
     *
     * @param row deletes that
     */
    CompletableFuture<Void> forgetWhenQuiet(TaskId id, Runnable row) {
        return CompletableFuture.runAsync(() -> forget(id, row), timer);
    }

    /** On the timer's thread, as each look that may find it quiet. */
    private void forget(TaskId id, Runnable row) {
        seen.remove(id);
        if (!held.contains(id)) {
            host.forget(id, row);
            return;
        }
        Path forgotten = TaskFolder.of(dataDir, id).forgotten();
        try {
            Files.writeString(forgotten, "");
        } catch (NoSuchFileException gone) {
            // With its folder.
        } catch (IOException failure) {
            throw new Refusal(
                    ErrorKind.STORAGE_FULL,
                    "The folder of " + id + " cannot be marked as one to be deleted: " + failure.getMessage(),
                    Remedy.of(
                            failure.toString(),
                            "Free disk space, or make " + dataDir + " writable again, then try again."));
        }
        try {
            row.run();
        } catch (RuntimeException | Error failure) { // it stands as it did
            var _ = forgotten.toFile().delete();
            throw failure;
        }
    }

    private void lookLater(TaskId id) {
        var _ = timer.schedule(() -> look(id), LOOK_SECONDS, TimeUnit.SECONDS);
    }

    void look(TaskId id) {
        if (quiet(id) && isGone(id)) {
            held.remove(id);
        } else {
            lookLater(id);
        }
    }

    /** Whether nothing is left to do for it: what is forgotten is deleted, which may have to be tried again. */
    private boolean isGone(TaskId id) {
        return !isForgotten(id) || finishForgetting(id);
    }

    /**
     * What was to be forgotten goes, with the row that it may still have.
     *
     * @return false when it has to be tried again
     */
    public boolean finishForgetting(TaskId id) {
        try {
            host.forget(id, () -> store.find(id).ifPresent(_ -> store.forget(id, clock.instant())));
            return true;
        } catch (RuntimeException failure) {
            LOG.warnf(failure, "The folder of %s could not be deleted; trying again later", id);
            return false;
        }
    }

    @PreDestroy
    void close() {
        timer.shutdown();
    }
}
