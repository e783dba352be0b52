package dev.holdfast.runtime;

import dev.holdfast.runtime.Prompts.Prompt;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.TaskId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future.State;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What the processes of running commands were last seen to do. One pass a second at most looks at all of them together,
 * on a thread of its own, and only while somebody asks or watches: for some seconds after a question, so that who asks
 * every second finds his answer there. Who asks after a quiet time waits for the pass that he begins, some
 * milliseconds. While somebody watches, commands that take input are also looked at between passes, so that he hears of
 * a question soon. In memory, thread-safe.
 */
@Singleton
public final class Observations {
    private static final Logger LOG = Logger.getLogger(Observations.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    /** How long passes go on after a question. */
    private static final Duration LINGER = Duration.ofMillis(2500);
    /** A process in the kernel's own trouble can hold up a look; then the last answer has to do. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** Between two glances at those that take input. */
    private static final Duration BETWEEN_GLANCES = Duration.ofMillis(25);
    /** So many times what a glance took, it pauses: a fiftieth of one core is spent, however many there are. */
    private static final int GLANCE_SHARE = 50;

    private final Function<List<HostedCommand>, Map<TaskId, ProcessFacts>> facts;
    private final Supplier<Collection<LiveCommand>> live;
    private final Function<TaskId, @Nullable Prompt> prompts;
    private final InstantSource clock;
    private final Counter passes;
    private final Duration linger;
    private final List<Consumer<Map<TaskId, Seen>>> watchers = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor passing;

    private final LastSeen last = new LastSeen();
    private volatile long asked;
    /** The pass that is to come or under way; guarded by this. */
    private @Nullable CompletableFuture<Void> next;
    /** On the passes' thread alone, as what follows. */
    private boolean glancing;
    /** Those that the last glance found reading. */
    private Set<TaskId> reading = Set.of();

    @Inject
    public Observations(
            CommandHost host, LiveCommands live, Prompts prompts, InstantSource clock, MeterRegistry metrics) {
        this(host::facts, live::all, prompts::of, clock, metrics.counter("holdfast.passes"), LINGER);
    }

    /**
     * @param facts of all of them by one look
     * @param prompts what one that waits for input asks
     * @param passes counts them
     */
    public Observations(
            Function<List<HostedCommand>, Map<TaskId, ProcessFacts>> facts,
            Supplier<Collection<LiveCommand>> live,
            Function<TaskId, @Nullable Prompt> prompts,
            InstantSource clock,
            Counter passes,
            Duration linger) {
        this.facts = facts;
        this.live = live;
        this.prompts = prompts;
        this.clock = clock;
        this.passes = passes;
        this.linger = linger;
        this.passing = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("observations").factory());
        var _ = passing.prestartCoreThread(); // there may be none to be had when somebody asks
    }

    /**
     * @param at when the look began
     * @param prompt what it asks, where it waits for input and has printed something
     */
    public record Seen(
            ProcessFacts facts, Instant at, @Nullable Prompt prompt) {}

    /** As last seen, at most a second ago. */
    Map<TaskId, Seen> of(Collection<LiveCommand> commands) {
        if (commands.isEmpty()) {
            return Map.of();
        }
        asked = System.nanoTime();
        if (!last.isWithin(PERIOD)) {
            begin().copy()
                    .completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
        Map<TaskId, Seen> all = last.all();
        Map<TaskId, Seen> found = new HashMap<>();
        for (LiveCommand command : commands) {
            Seen seen = all.get(command.id());
            if (seen != null && seen.facts().main() != null) {
                found.put(command.id(), seen);
            } else {
                hosted(command).forEach(begun -> found.put(command.id(), first(begun)));
            }
        }
        return found;
    }

    /** It began after the pass, or its program did. */
    private Seen first(HostedCommand begun) {
        Seen seen = seen(begun.id(), begun.facts(), clock.instant());
        last.add(Map.of(begun.id(), seen));
        return seen;
    }

    /** The question is read after the look: it was printed before the program read. */
    private Seen seen(TaskId id, ProcessFacts facts, Instant at) {
        return new Seen(facts, at, facts.waiting() == Waiting.INPUT ? prompts.apply(id) : null);
    }

    /** More is known than the last pass saw: who asks next is told what is seen then. */
    public void outdated(TaskId id) {
        last.forget(id);
    }

    /** As they are now. */
    Map<TaskId, Seen> now(Collection<LiveCommand> commands) {
        Map<TaskId, Seen> seen = look(commands);
        last.add(seen);
        return seen;
    }

    /**
     * Tells what each pass saw, and at first what the last one did. Passes go on, one a second, until it is closed;
     * between them, of those that wait for input, what a glance saw.
     *
     * @param listener called on the passes' own thread, one call at a time: hand over, do not block
     */
    public OutputStore.Watch watch(Consumer<Map<TaskId, Seen>> listener) {
        watchers.add(listener);
        var _ = begin().thenRunAsync(() -> listener.accept(last.all()), passing);
        passing.execute(this::beginGlances);
        return () -> watchers.remove(listener);
    }

    /** One at a time: who asks in the midst of one gets what that one sees. Done where the last one is recent. */
    private synchronized CompletableFuture<Void> begin() {
        if (next == null && last.isWithin(PERIOD)) {
            return CompletableFuture.completedFuture(null);
        }
        if (next == null) {
            next = CompletableFuture.runAsync(this::pass, passing);
        }
        return next;
    }

    private void pass() {
        long began = System.nanoTime();
        try {
            last.passBegins();
            last.passed(began, look(live.get()));
            passes.increment();
            watchers.forEach(listener -> listener.accept(last.all()));
        } catch (RuntimeException failure) {
            LOG.warn("The processes of running commands could not be looked at; what was seen before is told", failure);
        } finally {
            last.passEnds();
            finish(began + PERIOD.toNanos() - System.nanoTime());
        }
    }

    private synchronized void finish(long untilNext) {
        next = null;
        if (!passing.isShutdown()) {
            var _ = passing.schedule(this::again, untilNext, TimeUnit.NANOSECONDS);
        }
    }

    private void again() {
        if (!watchers.isEmpty() || System.nanoTime() - asked < linger.toNanos()) {
            var _ = begin();
        }
    }

    private void beginGlances() {
        if (!glancing) {
            glancing = true;
            glance();
        }
    }

    /** Tells those that read at two glances in a row: who passes through a read does not wait. */
    private void glance() {
        long began = System.nanoTime();
        Set<TaskId> now = new HashSet<>();
        Map<TaskId, Seen> asking = new HashMap<>();
        try {
            for (LiveCommand command : live.get()) {
                if (command.task().command().acceptsInput()) {
                    hosted(command).forEach(one -> glanceAt(one, now, asking));
                }
            }
            reading = now;
            if (!asking.isEmpty()) {
                last.add(asking);
                watchers.forEach(listener -> listener.accept(asking));
            }
        } catch (RuntimeException failure) {
            LOG.debug("Commands that take input could not be looked at", failure);
        }
        glancing = !watchers.isEmpty() && !passing.isShutdown();
        if (glancing) {
            long pause = Math.max(BETWEEN_GLANCES.toNanos(), GLANCE_SHARE * (System.nanoTime() - began));
            var _ = passing.schedule(this::glance, pause, TimeUnit.NANOSECONDS);
        }
    }

    private void glanceAt(HostedCommand command, Set<TaskId> now, Map<TaskId, Seen> asking) {
        ProcessFacts facts = command.facts();
        if (facts.waiting() == Waiting.INPUT) {
            now.add(command.id());
            if (reading.contains(command.id())) {
                asking.put(command.id(), seen(command.id(), facts, clock.instant()));
            }
        }
    }

    private Map<TaskId, Seen> look(Collection<LiveCommand> commands) {
        List<HostedCommand> running =
                commands.stream().flatMap(Observations::hosted).toList();
        Map<TaskId, Seen> seen = new HashMap<>();
        if (!running.isEmpty()) {
            Instant at = clock.instant();
            facts.apply(running).forEach((id, found) -> seen.put(id, seen(id, found, at)));
        }
        return seen;
    }

    /** None before it was spawned, nor when it could not be, nor after its end. */
    private static Stream<HostedCommand> hosted(LiveCommand command) {
        CompletableFuture<HostedCommand> hosted = command.hosted();
        boolean runs = !command.task().status().ended() && hosted.state() == State.SUCCESS;
        return runs ? Stream.of(hosted.join()) : Stream.empty();
    }

    @PreDestroy
    public void close() {
        passing.shutdownNow();
    }
}
