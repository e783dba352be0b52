package dev.holdfast.runtime;

import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A command without a process: it ends when a test says so, or by the KILL of a stop, unless it is {@link #immortal}.
 * Steps: {@code age}, {@code endingDetails}, {@code outlived}, {@code stop}, {@code processFacts}.
 */
final class FakeCommand implements HostedCommand {
    final List<Signal> signals = new CopyOnWriteArrayList<>();
    final List<Duration> stops = new CopyOnWriteArrayList<>();
    final Set<Integer> ports = ConcurrentHashMap.newKeySet();
    volatile Waiting waiting = Waiting.BUSY;

    /** As a process in a system call that no signal interrupts: sent KILL, it lives. */
    volatile boolean immortal;

    volatile Duration age = Duration.ZERO;

    /** Something of it is left in its process group. */
    volatile boolean outlived;

    /** Whether somebody reads its terminal. */
    volatile boolean drained = true;

    /** What is on its way to its output until somebody asks whether all is there. */
    volatile Runnable lastWords = () -> {};

    /** That reads what is sent to it; null: none does. */
    volatile @Nullable ReadingShell shell;

    private final Launch launch;
    private final Steps steps;
    private volatile CompletableFuture<Exit> exit = new CompletableFuture<>();

    FakeCommand(Launch launch, Steps steps) {
        this.launch = launch;
        this.steps = steps;
    }

    Launch launch() {
        return launch;
    }

    /** The server that watched it is killed: what ends from now on is told to the next one alone. */
    void serverDied() {
        if (!exit.isDone()) {
            exit = new CompletableFuture<>();
        }
    }

    void exits(int code) {
        exit.complete(new Exit.Code(code));
    }

    @Override
    public TaskId id() {
        return launch.id();
    }

    @Override
    public @Nullable ProcessIdentity process() {
        return exit.isDone() ? null : new ProcessIdentity(4242, 1);
    }

    @Override
    public CompletableFuture<Exit> exit() {
        return exit;
    }

    @Override
    public Map<String, String> endingDetails() {
        steps.pass("endingDetails");
        return Map.of();
    }

    @Override
    public int write(byte[] bytes, boolean endOfInput, Duration limit) {
        return launch.command().acceptsInput() ? bytes.length : 0;
    }

    @Override
    public boolean inputEnded() {
        return false;
    }

    @Override
    public boolean takesLines() {
        return false;
    }

    @Override
    public boolean drained() {
        lastWords.run();
        return drained;
    }

    @Override
    public void resize(TerminalSize size) {}

    @Override
    public void signal(Signal signal) {
        signals.add(signal);
    }

    @Override
    public List<Long> stop(Duration grace) {
        stops.add(grace);
        steps.pass("stop");
        if (immortal) {
            return List.of(4242L);
        }
        exit.complete(new Exit.Signalled("SIGTERM"));
        return List.of();
    }

    @Override
    public boolean outlived() {
        steps.pass("outlived");
        return outlived;
    }

    @Override
    public Duration age() {
        steps.pass("age");
        return age;
    }

    @Override
    public boolean listensOn(int port) {
        return ports.contains(port);
    }

    @Override
    public ProcessFacts facts() {
        steps.pass("processFacts");
        return new ProcessFacts(null, waiting, ports.stream().sorted().toList(), List.of());
    }

    @Override
    public boolean onlyReads() {
        return waiting == Waiting.INPUT;
    }

    @Override
    public Optional<ReadingShell> readingShell() {
        return Optional.ofNullable(shell);
    }

    @Override
    public TerminalLink openTerminal(TerminalListener listener) {
        throw new UnsupportedOperationException("it has no terminal");
    }
}
