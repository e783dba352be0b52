package dev.holdfast.runtime;

import dev.holdfast.config.HoldfastConfig;
import dev.holdfast.duplicate.Claims;
import dev.holdfast.duplicate.Fingerprint;
import dev.holdfast.policy.Policy;
import dev.holdfast.policy.Remembered;
import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.TokenFile;
import dev.holdfast.recovery.Recovery;
import dev.holdfast.runtime.call.Caller;
import dev.holdfast.runtime.control.LiveGuard;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.start.Approvals;
import dev.holdfast.runtime.start.Batches;
import dev.holdfast.runtime.start.CommandEnvironment;
import dev.holdfast.runtime.start.Commands;
import dev.holdfast.runtime.start.Decisions;
import dev.holdfast.runtime.start.Guard;
import dev.holdfast.runtime.start.Launches;
import dev.holdfast.runtime.start.Permits;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.runtime.start.Walls;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TaskIds;
import dev.holdfast.task.TerminalSize;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** The use cases wired as in the server, on ports that are fakes; at most four commands run at once. */
public final class RuntimeFixture implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(60);

    final Steps steps;
    final Path dataDir;
    final FakeStore store;
    final FakeOutput outputs;
    final FakeHost host;
    final Claims claims = new Claims();
    final TaskChanges changes = new TaskChanges();
    final FakeJournal journal;
    final Audit audit;
    final LiveGuard guard;
    final TaskControl control;
    final LiveCommands live;
    final Transitions transitions;
    final Leftovers leftovers;
    final Endings endings;
    final Deadlines deadlines;
    final Starter starter;
    final KeyFiles keys;
    final Replays replays;
    final Commands commands;
    final Batches batches;
    final TokenFile tokens;
    final Approvals approvals;
    final Decisions decisions;
    final Tasks tasks;
    final UnknownTasks unknown;
    final Retention retention;
    final Conditions conditions;
    private final Recovery recovery;

    /** Who calls. */
    volatile Actor actor = Actor.OPERATOR;

    final Caller caller = () -> actor;

    /** How much the clock is ahead. */
    volatile Duration later = Duration.ZERO;

    RuntimeFixture(Path dataDir) {
        this(dataDir, new Steps());
    }

    private RuntimeFixture(Path dataDir, Steps steps) {
        this(
                dataDir,
                steps,
                new FakeStore(steps),
                new FakeOutput(steps),
                new FakeHost(dataDir, steps),
                new FakeJournal(steps));
    }

    private RuntimeFixture(
            Path dataDir, Steps steps, FakeStore store, FakeOutput outputs, FakeHost host, FakeJournal journal) {
        this.dataDir = dataDir;
        this.steps = steps;
        this.store = store;
        this.outputs = outputs;
        this.host = host;
        this.journal = journal;
        audit = new Audit(journal, caller);
        InstantSource clock = () -> Instant.now().plus(later);
        HoldfastConfig config = config(dataDir);
        live = new LiveCommands(config);
        transitions = new Transitions(store, live, changes, audit, clock);
        leftovers = new Leftovers(config, outputs, host, store, clock);
        PortOwners ports = new PortOwners(outputs, host, live, store);
        endings = new Endings(config, transitions, live, claims, leftovers, ports, audit, clock);
        deadlines = new Deadlines(outputs, endings, clock);
        starter = new Starter(host, live, transitions, outputs, deadlines, endings, claims, leftovers, audit, clock);
        TaskIds ids = new TaskIds(clock, new Random());
        Remembered remembered = new Remembered(config);
        Launches launches = new Launches(
                config,
                new CommandEnvironment(Map.of(), HoldfastConfig.Inherit.CORE),
                new Fingerprint(new byte[32]),
                ids,
                clock);
        approvals = new Approvals(config, audit, ids, clock);
        tokens = new TokenFile(config);
        Policy policy = new Policy(config, tokens);
        guard = new LiveGuard(policy, remembered, audit, config);
        Permits permits = new Permits(
                launches, new Walls(config, host), new Guard(policy, remembered, audit, config), approvals, tokens);
        Prompts prompts = new Prompts(outputs);
        Answers answers = new Answers(config, host, outputs, live, prompts, leftovers);
        keys = new KeyFiles(config);
        replays = new Replays(live, store, answers, keys);
        Observations observations = new Observations(host, live, prompts, clock, new SimpleMeterRegistry());
        unknown = new UnknownTasks(caller, store, live, host, answers, clock);
        tasks = new Tasks(caller, observations, live, store, outputs, transitions, leftovers, unknown, clock);
        control = new TaskControl(caller, tasks, live, transitions, leftovers, endings, guard, audit, host, clock);
        retention = new Retention(config, store, host, leftovers, outputs, answers, tasks, keys, unknown, clock);
        conditions = new Conditions(tasks, live, outputs, observations, prompts, changes, clock);
        commands = new Commands(
                caller,
                permits,
                approvals,
                launches,
                claims,
                starter,
                live,
                transitions,
                conditions,
                observations,
                answers,
                replays);
        batches = new Batches(
                caller, permits, approvals, launches, starter, transitions, conditions, answers, replays, endings);
        decisions = new Decisions(approvals, commands, starter, remembered, clock);
        recovery = new Recovery(host, store, starter, transitions, answers, replays, endings, leftovers, ids, clock);
    }

    public static HoldfastConfig config(Path dataDir) {
        return config(dataDir, dataDir);
    }

    public static HoldfastConfig config(Path dataDir, Path workspace) {
        return new SmallRyeConfigBuilder()
                .withMapping(HoldfastConfig.class)
                .withDefaultValue("HOME", dataDir.toString())
                .withDefaultValue("holdfast.data-dir", dataDir.toString())
                .withDefaultValue("holdfast.workspace", workspace.toString())
                .withDefaultValue("holdfast.limits.running", "4")
                .withDefaultValue("holdfast.retention.age", "P7D")
                .withDefaultValue("holdfast.approvals.expire", "PT24H")
                .withDefaultValue("holdfast.keeper.idle", "PT1M")
                .withDefaultValue("holdfast.mcp.longest-wait", "PT55S")
                .build()
                .getConfigMapping(HoldfastConfig.class);
    }

    /** A server that starts on what this one leaves behind. */
    RuntimeFixture restarted() {
        close();
        host.serverDied();
        return new RuntimeFixture(dataDir, steps, store, outputs, host, journal);
    }

    /** What recovery does at the start of this one. */
    Recovery.Report recover() {
        return recovery.run();
    }

    /** A command without a window of its own, by a text that nothing runs. */
    static StartRequest sh(String cmd, Duration yieldTime) {
        return request(cmd, DuplicatePolicy.REUSE_RUNNING, yieldTime, YieldWhen.NONE, null, null);
    }

    /** A task at once. */
    static StartRequest inTerminal(String cmd) {
        return request(
                cmd, TerminalSize.DEFAULT, DuplicatePolicy.REUSE_RUNNING, Duration.ZERO, YieldWhen.NONE, null, null);
    }

    static StartRequest request(
            String cmd,
            DuplicatePolicy policy,
            Duration yieldTime,
            YieldWhen when,
            @Nullable Duration idle,
            @Nullable Duration timeout) {
        return request(cmd, null, policy, yieldTime, when, idle, timeout);
    }

    private static StartRequest request(
            String cmd,
            @Nullable TerminalSize terminal,
            DuplicatePolicy policy,
            Duration yieldTime,
            YieldWhen when,
            @Nullable Duration idle,
            @Nullable Duration timeout) {
        return new StartRequest(
                new What.ShellText(cmd, "/bin/sh", false),
                null,
                terminal,
                false,
                policy,
                yieldTime,
                when,
                100,
                Map.of(),
                timeout,
                idle,
                OnExit.LEAVE,
                Map.of(),
                StartRequest.Wall.DEFAULT,
                false,
                false);
    }

    CompletableFuture<CommandAnswer> start(StartRequest request) {
        return inBackground(() -> commands.start(request, null));
    }

    /** With an idempotency key. */
    CommandAnswer startOnce(String key, StartRequest request) {
        return commands.start(
                request, new Launch.Idempotency(key, request.what().toString()));
    }

    /** Nothing here takes longer than some milliseconds, so conditions are looked at that often. */
    static ConditionFactory soon() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    static <T> CompletableFuture<T> inBackground(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    @Override
    public void close() {
        deadlines.close();
        leftovers.close();
    }
}
