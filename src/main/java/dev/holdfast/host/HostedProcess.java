package dev.holdfast.host;

import dev.holdfast.host.launch.InputPipe;
import dev.holdfast.host.proc.KernelUnits;
import dev.holdfast.host.proc.ProcFiles;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.stop.GroupSignals;
import dev.holdfast.host.watch.CommandProcesses;
import dev.holdfast.host.watch.ExitWatch;
import dev.holdfast.host.watch.OutOfMemory;
import dev.holdfast.host.watch.Retry;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.ToldExits;
import dev.holdfast.kernel.Processes;
import dev.holdfast.kernel.TerminalMode;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.HostedCommand;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.task.CommandSpec;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One command under its launcher. Costs no thread, three descriptors at most, and no look at anything until asked. */
final class HostedProcess implements HostedCommand {
    /** How long a launcher may take to start its command, before a signal is sent all the same. */
    private static final Duration START_LIMIT = Duration.ofSeconds(2);

    private static final long LOOK_AGAIN_NANOS = 500_000;
    /** Between the end of a keeper's connection and the kernel's hang-up of its terminals. */
    private static final Duration HANG_UP_LIMIT = Duration.ofSeconds(2);
    /** Between HUP and KILL of what lost its terminal. */
    private static final Duration LOST_GRACE = Duration.ofSeconds(1);

    /** Of {@link #endingDetails}. */
    static final Map<String, String> OUTPUT_MAY_BE_MISSING = Map.of("output_may_be_missing", "true");

    private static final Logger LOG = System.getLogger(HostedProcess.class.getName());

    private final TaskId id;
    private final CommandSpec command;
    private final boolean tty;
    private final boolean acceptsInput;
    private final TaskFolder folder;
    private final HostServices services;
    private final CommandProcesses processes;
    private final ExitWatch watch;
    private final InputPipe input;
    private final CompletableFuture<Exit> exit = new CompletableFuture<>();
    private volatile boolean terminalLost;
    private volatile boolean outputMayBeMissing;

    HostedProcess(Launch launch, TaskFolder folder, CommandProcesses processes, HostServices services) {
        this.id = launch.id();
        this.command = launch.command();
        this.tty = command.tty();
        this.acceptsInput = command.acceptsInput();
        this.folder = folder;
        this.services = services;
        this.processes = processes;
        // Behind a wall its parent is the launcher there, of which the kernel's word cannot be found again.
        ToldExits told = command.sandbox() == null ? services.told() : ToldExits.silent();
        this.watch = new ExitWatch(
                folder, services.events(), processes, () -> services.lineage().look(identities()), told);
        this.input = new InputPipe(folder, services.events());
    }

    /** Watches for its end from now on. */
    HostedProcess watched() {
        var _ = watch.exit().thenAccept(this::ended);
        watch.begin();
        services.watch().add(id, this::identities);
        if (watch.exit().isDone()) {
            services.watch().remove(id);
        }
        if (tty) {
            services.terminals().onRelease(id, () -> Threads.start(() -> Retry.run(this::released, services.events())));
        }
        return this;
    }

    @Override
    public TaskId id() {
        return id;
    }

    @Override
    public @Nullable ProcessIdentity process() {
        return processes.command();
    }

    @Override
    public CompletableFuture<Exit> exit() {
        return exit;
    }

    @Override
    public Map<String, String> endingDetails() {
        Set<Long> suspects = new HashSet<>(watch.killed());
        ProcessIdentity process = OutOfMemory.maybe(exit.getNow(new Exit.Unseen(false))) ? process() : null;
        if (process != null) {
            suspects.add(process.pid());
        }
        Map<String, String> known = new HashMap<>(OutOfMemory.details(suspects, processes.launcher()));
        known.putAll(watch.doubt());
        known.putAll(outputMayBeMissing ? OUTPUT_MAY_BE_MISSING : Map.of());
        return known;
    }

    @Override
    public int write(byte[] bytes, boolean endOfInput, Duration limit) {
        if (tty) {
            return services.terminals().write(id, bytes, endOfInput, limit);
        }
        long begun = System.nanoTime();
        // Before the command has opened its end there is no reader, which would look like one that is gone.
        awaitStarted(limit);
        return input.write(bytes, endOfInput, limit.minusNanos(System.nanoTime() - begun));
    }

    @Override
    public boolean inputEnded() {
        return !tty && acceptsInput && input.ended();
    }

    @Override
    public boolean takesLines() {
        Path terminal = tty ? terminalDevice() : null;
        return terminal != null
                && TerminalMode.of(terminal).filter(TerminalMode::lines).isPresent();
    }

    @Override
    public void resize(TerminalSize size) {
        services.terminals().resize(id, size);
    }

    @Override
    public void signal(Signal signal) {
        // Until the launcher has set its traps it would not survive.
        awaitStarted(START_LIMIT);
        watch.sent(signal.number());
        GroupSignals.send(processes, signal);
    }

    @Override
    public List<Long> stop(Duration grace) {
        awaitStarted(START_LIMIT);
        return services.stops().stop(identities(), grace, folder.asked());
    }

    @Override
    public boolean outlived() {
        return Processes.groupExists(processes.session()) || services.lineage().anyKnownAlive(id);
    }

    @Override
    public Duration age() {
        return KernelUnits.since(processes.launcher().startTicks());
    }

    @Override
    public boolean listensOn(int port) {
        return services.facts().listensOn(target(), port);
    }

    @Override
    public ProcessFacts facts() {
        return services.facts().of(target());
    }

    @Override
    public boolean onlyReads() {
        return services.facts().onlyReads(target());
    }

    @Override
    public Optional<ReadingShell> readingShell() {
        return services.facts().readingShell(target());
    }

    @Override
    public TerminalLink openTerminal(TerminalListener listener) {
        return services.terminals().attach(id, listener);
    }

    @Override
    public boolean drained() {
        return !tty || services.terminals().drained(id);
    }

    private void ended(Exit seen) {
        if (!tty) {
            finish(seen);
            return;
        }
        Threads.start(() -> {
            try {
                outputMayBeMissing = !services.terminals().saidAll(id);
                if (terminalLost || seen instanceof Exit.Unseen) {
                    // Joins the stop that goes on; or the terminal was lost unnoticed, or with its launcher.
                    services.stops().stop(identities(), LOST_GRACE);
                }
            } finally {
                finish(seen);
            }
        });
    }

    /**
     * Nobody holds the terminal: either its session has ended, or its keeper has died and the kernel has hung it up, or
     * the keeper is merely out of reach. A session without its terminal is ended as one: HUP, then a stop.
     */
    private void released() {
        long deadline = System.nanoTime() + HANG_UP_LIMIT.toNanos();
        ProcessStat launcher = ProcessTable.living(processes.launcher());
        while (launcher != null && launcher.terminal() != 0 && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            launcher = ProcessTable.living(processes.launcher());
        }
        if (launcher != null && launcher.terminal() == 0) {
            LOG.log(Level.WARNING, "{0} has lost its terminal: its keeper died. It is ended", id);
            terminalLost = true;
            GroupSignals.send(processes, Signal.HUP);
            services.stops().stop(identities(), LOST_GRACE);
        }
    }

    /** Whatever fails on the way: the exit is told. */
    private void finish(Exit seen) {
        try {
            services.watch().remove(id);
            processes.close();
            if (acceptsInput && !tty) {
                // A launcher that was killed could not let the holder of its stdin go.
                input.end();
            }
        } catch (RuntimeException failure) {
            LOG.log(Level.WARNING, id + " has ended, and not all that it had could be closed", failure);
        } finally {
            Exit told = terminalLost ? new Exit.Unseen(false) : seen;
            services.walls().ended(command, told); // first: who is told of it may start the next one
            exit.complete(told);
        }
    }

    /** Who its processes are, without a look at what they have open. */
    private TaskProcess identities() {
        return new TaskProcess(
                id, processes.session(), processes.launcher(), processes.command(), null, null, List.of());
    }

    /** Who its processes are, and what they may wait for. */
    TaskProcess target() {
        return new TaskProcess(
                id,
                processes.session(),
                processes.launcher(),
                processes.command(),
                tty ? terminalDevice() : null,
                acceptsInput && !tty ? folder.in() : null,
                Stream.of(StreamName.values()).map(folder::output).toList());
    }

    private @Nullable Path terminalDevice() {
        ProcessIdentity holder = ProcessTable.alive(processes.launcher()) ? processes.launcher() : process();
        String terminal = holder == null ? null : ProcFiles.link("/proc/" + holder.pid() + "/fd/0");
        return terminal == null ? null : Path.of(terminal);
    }

    private void awaitStarted(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (process() == null && !exit.isDone() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }
}
