package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.duplicate.Claims;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Exit;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * How a command is stopped, and what happens when its own process has ended. Each ending runs on a virtual thread of
 * its own.
 */
@Singleton
public final class Endings {
    private static final Logger LOG = Logger.getLogger(Endings.class);
    /** Of a stop by a server of before, which did not put it down. */
    private static final Duration USUAL_GRACE = Duration.ofSeconds(5);
    /** As callers may ask for; the clock may have been set back meanwhile. */
    private static final Duration LONGEST_GRACE = Duration.ofMinutes(1);

    private static final Executor VIRTUAL = Threads::start;

    private final Path dataDir;
    private final Transitions transitions;
    private final LiveCommands live;
    private final Claims claims;
    private final Leftovers leftovers;
    private final PortOwners ports;
    private final Audit audit;
    private final InstantSource clock;
    /** Read while an end is recorded. */
    private final ReadWriteLock open = new ReentrantReadWriteLock();

    public Endings(
            HoldfastConfig config,
            Transitions transitions,
            LiveCommands live,
            Claims claims,
            Leftovers leftovers,
            PortOwners ports,
            Audit audit,
            InstantSource clock) {
        this.dataDir = config.dataDir();
        this.transitions = transitions;
        this.live = live;
        this.claims = claims;
        this.leftovers = leftovers;
        this.ports = ports;
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * Stops a command that was spawned, or is being: nobody's duplicate from now on. Blocks until everything it started
     * is verified gone, or survived.
     *
     * @return pids that live although they were sent KILL
     */
    public List<Long> stop(LiveCommand command, Duration grace) {
        return beginStop(command, grace).join();
    }

    /**
     * The same for who may not wait until then. What was asked for is on disk when this returns, and goes on also when
     * nobody waits.
     */
    public CompletableFuture<List<Long>> beginStop(LiveCommand command, Duration grace) {
        audit.stop(command.id(), grace);
        claims.release(command.launch().duplicateKey(), command.id());
        writeCause(command.id(), EndedBy.STOP, grace);
        CompletableFuture<Boolean> through = command.beginStop();
        try {
            transitions.apply(command, new TaskEvent.StopRequested());
        } catch (RuntimeException | Error failure) {
            through.complete(true);
            throw failure;
        }
        return command.hosted()
                .thenApplyAsync(hosted -> hosted.stop(grace), VIRTUAL)
                .whenComplete((_, _) -> through.complete(true));
    }

    /** The same because of a limit of its own, when it has not ended; the first limit counts. */
    void stopAt(EndedBy limit, LiveCommand command, Duration grace) {
        HostedCommand hosted = command.hosted().join();
        if (!hosted.exit().isDone()) {
            audit.stopAt(limit, command.id());
            command.limit(limit);
            claims.release(command.launch().duplicateKey(), command.id());
            writeCause(command.id(), limit, grace);
            hosted.stop(grace);
        }
    }

    /**
     * Why a command is being ended.
     *
     * @param killAt when the grace is over that it was given
     */
    public record Begun(EndedBy cause, Instant killAt) {}

    /**
     * On disk before the first signal, so that a server that dies meanwhile leaves no ending without its reason, and
     * the next one knows how long to wait. Best effort: a full disk does not keep a command from being stopped.
     */
    private void writeCause(TaskId id, EndedBy cause, Duration grace) {
        Optional<Instant> before = begun(id).map(Begun::killAt);
        Instant now = clock.instant();
        Instant until = now.plus(grace);
        // As for the stop that goes on: a shorter grace shortens it, a longer one changes nothing.
        Instant killAt = before.filter(until::isAfter).orElse(until);
        String record = cause.name() + " " + killAt + " " + Duration.between(now, killAt);
        try {
            Files.writeString(TaskFolder.of(dataDir, id).cause(), record);
        } catch (IOException failure) {
            LOG.warnf("Why %s is ended (%s) could not be written down: %s", id, cause, failure);
        }
    }

    /**
     * What this server, or one before it, began; empty when it did not, or that cannot be read. Of a grace that began
     * with no TERM all is left.
     */
    public Optional<Begun> begun(TaskId id) {
        TaskFolder folder = TaskFolder.of(dataDir, id);
        try {
            String[] words = Files.readString(folder.cause()).split(" ", -1);
            Duration grace = words.length > 2 ? Duration.parse(words[2]) : USUAL_GRACE;
            boolean goesOn = words.length > 1 && (words.length == 2 || Files.exists(folder.asked()));
            Instant killAt = goesOn ? Instant.parse(words[1]) : clock.instant().plus(grace);
            return Optional.of(new Begun(EndedBy.valueOf(words[0]), killAt));
        } catch (IOException | IllegalArgumentException | DateTimeParseException none) {
            return Optional.empty();
        }
    }

    /** The same, also where its row alone tells of a stop: on a full disk nothing else can be put down. */
    public Optional<Begun> begun(TaskId id, @Nullable Task row) {
        boolean stopping = row != null && row.status() == TaskStatus.CANCELLING;
        return begun(id)
                .or(() -> stopping
                        ? Optional.of(new Begun(EndedBy.STOP, clock.instant().plus(USUAL_GRACE)))
                        : Optional.empty());
    }

    /** Puts down that it is to be killed at once, so that whoever adopts it does. */
    public Begun beginAtOnce(TaskId id) {
        writeCause(id, EndedBy.STOP, Duration.ZERO);
        return new Begun(EndedBy.STOP, clock.instant());
    }

    /** How much of the grace is left that a command was given; none when no server was there at its end. */
    public Duration left(Begun begun) {
        return left(clock.instant(), begun.killAt());
    }

    static Duration left(Instant now, Instant killAt) {
        Duration left = Duration.between(now, killAt);
        return left.isNegative() ? Duration.ZERO : Collections.min(List.of(left, LONGEST_GRACE));
    }

    void follow(LiveCommand command, HostedCommand hosted) {
        var _ = hosted.exit().thenAcceptAsync(exit -> ended(command, hosted, exit), VIRTUAL);
    }

    private void ended(LiveCommand command, HostedCommand hosted, Exit exit) {
        record(command, exit, () -> {
            Ending ending = ending(command, hosted, exit);
            Instant at = endedAt(command.task(), hosted);
            keepWhatIsLeft(command, hosted, at);
            // A server killed in the midst of a stop goes on with it only for a task that is not on record as ended.
            var _ = command.stopping()
                    .thenRun(() -> record(
                            command,
                            exit,
                            () -> command.ended()
                                    .complete(transitions.apply(command, new TaskEvent.Ended(ending), at))));
        });
    }

    /** Now; where the clock was set back behind its start, as long after that as it has run. */
    private Instant endedAt(Task task, HostedCommand hosted) {
        Instant now = clock.instant();
        Instant started = task.startedAt();
        return started != null && now.isBefore(started) ? started.plus(hosted.age()) : now;
    }

    /**
     * Whatever fails on the way, claim and place are free afterwards and who waits for the end is told. Once this is
     * closed nothing is done: the next server will.
     */
    private void record(LiveCommand command, Exit exit, Runnable step) {
        if (!open.readLock().tryLock()) {
            return;
        }
        try {
            step.run();
        } catch (Throwable failure) {
            LOG.errorf(
                    failure,
                    "%s ended (%s), which could not be recorded; its folder keeps the truth",
                    command.id(),
                    exit);
            command.ended().completeExceptionally(failure);
        } finally {
            open.readLock().unlock();
        }
    }

    /** No end is recorded any more by this server; waits for those that are being recorded, at most for that. */
    public void close(Duration limit) throws InterruptedException {
        var _ = open.writeLock().tryLock(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private Ending ending(LiveCommand command, HostedCommand hosted, Exit exit) {
        EndedBy limit = command.limit();
        Ending ending;
        try {
            ending = Ending.of(exit).with(details(command, hosted, exit));
            if (limit != null || command.launch().command().onExit() == OnExit.STOP) {
                stopRest(hosted);
            }
        } finally {
            claims.release(command.launch().duplicateKey(), command.id());
            live.freePlace();
        }
        return limit == null ? ending : ending.by(limit);
    }

    private static boolean isInWindow(Task task) {
        return task.status() == TaskStatus.RUNNING && task.promotedAt() == null;
    }

    /** A command that left something running is a task, so that a stop finds it. What cannot be seen is not told of. */
    private void keepWhatIsLeft(LiveCommand command, HostedCommand hosted, Instant at) {
        try {
            boolean quiet = leftovers.watchUntilQuiet(command.id());
            boolean maybe = isInWindow(command.task()) && (!quiet || hosted.outlived());
            List<LeftProcess> left = maybe ? leftovers.of(command.id(), at) : List.of();
            if (!left.isEmpty()) {
                command.left(left);
                transitions.apply(command, new TaskEvent.Promoted(), at);
            }
        } catch (RuntimeException | Error failure) {
            LOG.warnf(failure, "%s ended; whether it left anything running could not be seen", command.id());
        }
    }

    private Map<String, String> details(LiveCommand command, HostedCommand hosted, Exit exit) {
        try {
            boolean failed = exit instanceof Exit.Code code && code.status() != 0;
            Map<String, String> details = new HashMap<>(hosted.endingDetails());
            if (failed) {
                ports.of(command).ifPresent(owner -> details.putAll(owner.details()));
            }
            return details;
        } catch (RuntimeException | Error failure) {
            LOG.warnf(failure, "%s ended; what else is known of that could not be read", hosted.id());
            return Map.of();
        }
    }

    private static void stopRest(HostedCommand hosted) {
        try {
            hosted.stop(Duration.ZERO);
        } catch (RuntimeException | Error failure) {
            LOG.errorf(failure, "%s ended; what it started could not be stopped", hosted.id());
        }
    }
}
