package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.TaskId;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Processes that outlive their command and still hold its output: what they write stays recorded and within its budget,
 * and a folder that is to go stays until they are gone. Costs nothing while there are none. Whose output is held is
 * marked by a file, {@code <data>/leftovers/<id>}, before its end is on record, so that the next server looks at no
 * other.
 */
@Singleton
public final class Leftovers {
    private static final Logger LOG = Logger.getLogger(Leftovers.class);
    private static final long LOOK_SECONDS = 5;

    private final OutputStore outputs;
    private final CommandHost host;
    /** Whose output is still held, and whether its folder goes afterwards. */
    private final Map<TaskId, Boolean> held = new ConcurrentHashMap<>();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("leftovers").factory());

    private final Path marks;
    /** There once the marks tell all; a server of before made none. */
    private final Path complete;

    @Inject
    public Leftovers(HoldfastConfig config, OutputStore outputs, CommandHost host) {
        this.outputs = outputs;
        this.host = host;
        this.marks = config.dataDir().resolve("leftovers");
        this.complete = marks.resolve("complete");
    }

    /** Whether the marks tell whose output is held: servers of before made none, and only a look at each task tells. */
    public boolean marked() {
        return Files.exists(complete);
    }

    /** Goes on with what the last server cared for; from now on the marks tell all. */
    public void takeOverMarked() {
        for (String name : Objects.requireNonNullElse(marks.toFile().list(), new String[0])) {
            TaskId.parse(name).ifPresent(this::takeOver);
        }
        mark(complete);
    }

    /**
     * Cares for the output of a command that ended before this server began: somebody may still write it, and it may
     * lie beyond its budget. Of who writes it nothing is known that could be ended for it.
     */
    public void takeOver(TaskId id) {
        outputs.govern(id, () -> {});
        watchUntilQuiet(id);
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
        if (held.putIfAbsent(id, false) == null) {
            mark(marks.resolve(id.value()));
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

    /** Ends it; see {@link CommandHost#endStrays}. */
    public CommandHost.Swept end(TaskId id, Instant endedAt, Duration grace) {
        return host.endStrays(id, endedAt, grace);
    }

    private void mark(Path file) {
        try {
            Files.createDirectories(marks);
            Files.writeString(file, "");
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
     * Deletes a command's folder, as soon as nobody writes its output any more. Returns at once.
     *
     * @return completes when it is deleted, or left until its writers are gone
     */
    CompletableFuture<Void> forgetWhenQuiet(TaskId id) {
        return held.computeIfPresent(id, (_, _) -> true) == null
                ? CompletableFuture.runAsync(() -> host.forget(id), timer)
                : CompletableFuture.completedFuture(null);
    }

    private void lookLater(TaskId id) {
        var _ = timer.schedule(() -> look(id), LOOK_SECONDS, TimeUnit.SECONDS);
    }

    void look(TaskId id) {
        if (!quiet(id)) {
            lookLater(id);
        } else if (Boolean.TRUE.equals(held.remove(id)) && !isForgotten(id)) {
            held.put(id, true);
            lookLater(id);
        }
    }

    /** Else the next server would take the folder for a task. */
    private boolean isForgotten(TaskId id) {
        try {
            host.forget(id);
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
