package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.runtime.Observations.Seen;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.HostedCommand.MainProcess;
import dev.holdfast.runtime.port.HostedCommand.ProcessFacts;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.PlainCommand;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Passes over commands without processes: what they do is what the test says. */
@Timeout(180)
class ObservationsTest {
    private static final Duration LINGER = Duration.ofMillis(1500);
    private static final TaskIds IDS = new TaskIds(InstantSource.system(), new Random());

    private final long begun = System.nanoTime();
    private final List<LiveCommand> live = new CopyOnWriteArrayList<>();
    private final Map<TaskId, ProcessFacts> doing = new ConcurrentHashMap<>();
    private final AtomicInteger looksAlone = new AtomicInteger();
    private final Queue<Long> passes = new ConcurrentLinkedQueue<>();
    private volatile Runnable atPass = () -> {};
    private final Counter counter = new SimpleMeterRegistry().counter("passes");
    private final Observations observations =
            new Observations(this::look, () -> live, _ -> null, InstantSource.system(), counter, LINGER);

    @AfterEach
    void close() {
        observations.close();
    }

    @Test
    void manyPollsAreAnsweredFromOnePass() {
        List<LiveCommand> commands = List.of(start(Waiting.IDLE), start(Waiting.BUSY));
        Instant before = Instant.now();
        Map<TaskId, Seen> first = observations.of(commands);
        assertThat(counter.count()).isEqualTo(1);
        assertThat(observations.of(commands)).isEqualTo(first);
        for (int i = 0; i < 1000; i++) {
            assertThat(observations.of(commands)).containsOnlyKeys(first.keySet());
        }
        assertOnePassASecond();
        assertThat(looksAlone).hasValue(0);
        assertThat(first.get(commands.getFirst().id()).facts().waiting()).isEqualTo(Waiting.IDLE);
        assertThat(first.get(commands.getLast().id()).at()).isBetween(before, Instant.now());
    }

    @Test
    void whileSomebodyAsksNothingIsOlderThanASecondAndNoTwoPassesAreNearer() {
        List<LiveCommand> commands = List.of(start(Waiting.IDLE));
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            Instant asked = Instant.now();
            Seen seen = observations.of(commands).get(commands.getFirst().id());
            assertThat(Duration.between(seen.at(), asked)).isLessThanOrEqualTo(Duration.ofMillis(1020));
            return passes.size() >= 4;
        });
        assertOnePassASecond();
    }

    private void assertOnePassASecond() {
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(passes).hasSizeLessThanOrEqualTo((int) seconds + 1);
    }

    @Test
    void nobodyAsksAndNothingIsLookedAt() {
        List<LiveCommand> commands = List.of(start(Waiting.IDLE));
        await().during(Duration.ofMillis(1500)).until(passes::isEmpty);
        observations.of(commands);
        await().during(LINGER.plusMillis(1500)).until(() -> passes.size() <= 2);
        int quiet = passes.size();
        doing.put(commands.getFirst().id(), facts(Waiting.INPUT));

        Seen seen = observations.of(commands).get(commands.getFirst().id());

        assertThat(seen.facts().waiting()).as("not what was seen seconds ago").isEqualTo(Waiting.INPUT);
        assertThat(passes).hasSize(quiet + 1);
    }

    @Test
    void whoAsksAtOnceSharesOnePass() throws Exception {
        List<LiveCommand> commands = List.of(start(Waiting.IDLE));
        Semaphore allowed = new Semaphore(0);
        atPass = allowed::acquireUninterruptibly;
        List<Thread> askers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            askers.add(Thread.ofPlatform().start(() -> observations.of(commands)));
        }
        await().until(() -> askers.stream()
                .allMatch(asker ->
                        asker.getState() == Thread.State.TIMED_WAITING || asker.getState() == Thread.State.WAITING));
        allowed.release(100);
        for (Thread asker : askers) {
            asker.join();
        }
        assertOnePassASecond();
    }

    @Test
    void whatBeganAfterThePassIsLookedAtAlone() {
        LiveCommand old = start(Waiting.IDLE);
        observations.of(List.of(old));
        LiveCommand young = start(Waiting.INPUT);
        for (int i = 0; i < 10; i++) {
            assertThat(waiting(observations.of(List.of(old, young)), young)).isEqualTo(Waiting.INPUT);
        }
        assertOnePassASecond();
        assertThat(looksAlone).hasValue(1);
    }

    @Test
    void aFreshLookIsOneOfNow() {
        LiveCommand command = start(Waiting.IDLE);
        observations.of(List.of(command));
        doing.put(command.id(), facts(Waiting.BUSY));
        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.IDLE);
        assertThat(waiting(observations.now(List.of(command)), command)).isEqualTo(Waiting.BUSY);
        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.BUSY);
    }

    /** As when a window saw a port open after the last pass. */
    @Test
    void whatIsOutdatedIsLookedAtAlone() {
        LiveCommand command = start(Waiting.IDLE);
        observations.of(List.of(command));
        doing.put(command.id(), facts(Waiting.INPUT));

        observations.outdated(command.id());

        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.INPUT);
        assertOnePassASecond();
        assertThat(looksAlone).hasValue(1);
    }

    /** As when a wait sees a port open that the pass under way did not: who asks then is not told less. */
    @Test
    void aPassPutsNothingOlderBack() {
        LiveCommand outdated = start(Waiting.IDLE);
        LiveCommand fresh = start(Waiting.IDLE);
        List<LiveCommand> commands = List.of(outdated, fresh);
        observations.of(commands);
        Semaphore allowed = new Semaphore(0);
        atPass = () -> {
            atPass = () -> {};
            allowed.acquireUninterruptibly();
        };
        await().until(allowed::hasQueuedThreads);
        commands.forEach(command -> doing.put(command.id(), facts(Waiting.INPUT)));
        observations.outdated(outdated.id());
        observations.now(List.of(fresh));
        allowed.release();
        await().until(() -> counter.count() == 2);

        Map<TaskId, Seen> seen = observations.of(commands);

        assertThat(waiting(seen, outdated)).isEqualTo(Waiting.INPUT);
        assertThat(waiting(seen, fresh)).isEqualTo(Waiting.INPUT);
    }

    @Test
    void aWatcherIsToldWhatEachPassSees() {
        LiveCommand changes = start(Waiting.BUSY);
        LiveCommand stays = start(Waiting.IDLE);
        List<Map<TaskId, Waiting>> told = new CopyOnWriteArrayList<>();
        try (OutputStore.Watch _ = observations.watch(pass -> {
            Map<TaskId, Waiting> waiting = new HashMap<>();
            pass.forEach((id, seen) -> waiting.put(id, seen.facts().waiting()));
            told.add(waiting);
        })) {
            await().until(() -> told.size() == 2);
            doing.put(changes.id(), facts(Waiting.INPUT));
            await().until(() -> told.getLast().get(changes.id()) == Waiting.INPUT);
        }
        assertThat(told)
                .startsWith(Map.of(changes.id(), Waiting.BUSY, stays.id(), Waiting.IDLE))
                .endsWith(Map.of(changes.id(), Waiting.INPUT, stays.id(), Waiting.IDLE));
        int closed = passes.size();
        await().during(Duration.ofMillis(2500)).until(() -> passes.size() <= closed + 1);
    }

    @Test
    void aLookThatHangsHoldsUpNoAnswerForLong() {
        LiveCommand command = start(Waiting.IDLE);
        Semaphore allowed = new Semaphore(0);
        atPass = allowed::acquireUninterruptibly;
        long asked = System.nanoTime();
        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.IDLE);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(30));
        allowed.release(100);
    }

    @Test
    void aLookThatFailsIsMadeAgain() {
        LiveCommand command = start(Waiting.IDLE);
        atPass = () -> {
            atPass = () -> {};
            throw new IllegalStateException("too many open files");
        };
        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.IDLE);
        doing.put(command.id(), facts(Waiting.BUSY));
        assertThat(waiting(observations.of(List.of(command)), command)).isEqualTo(Waiting.BUSY);
    }

    private static Waiting waiting(Map<TaskId, Seen> seen, LiveCommand command) {
        return Objects.requireNonNull(seen.get(command.id())).facts().waiting();
    }

    private Map<TaskId, ProcessFacts> look(List<HostedCommand> commands) {
        passes.add(System.nanoTime());
        Map<TaskId, ProcessFacts> facts = new HashMap<>();
        commands.forEach(command -> facts.put(command.id(), doing.get(command.id())));
        atPass.run();
        return facts;
    }

    private static ProcessFacts facts(Waiting waiting) {
        return new ProcessFacts(new MainProcess(4242, Instant.EPOCH), waiting, List.of(), List.of());
    }

    private LiveCommand start(Waiting waiting) {
        TaskId id = IDS.next();
        Invocation sh = new Invocation.ShellText("sleep 60", "/bin/sh", false);
        CommandSpec spec = PlainCommand.of(sh, Path.of("/"));
        LiveCommand command = new LiveCommand(
                new Launch(id, spec, Map.of(), Instant.now(), "key", null), Task.queued(id, spec, Instant.now()));
        doing.put(id, facts(waiting));
        command.hosted().complete(hosted(id));
        live.add(command);
        return command;
    }

    private HostedCommand hosted(TaskId id) {
        return (HostedCommand) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HostedCommand.class},
                (_, method, _) -> switch (method.getName()) {
                    case "id" -> id;
                    case "facts" -> {
                        looksAlone.incrementAndGet();
                        yield doing.get(id);
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
