package dev.holdfast.host.watch;

import dev.holdfast.host.launch.ExitFile;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.kernel.Processes;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.task.Exit;
import dev.holdfast.task.ProcessIdentity;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Learns how one command ended. In order of trust: its launcher's {@code rc}; when the launcher was killed, the kernel,
 * through a pidfd of the command; else nobody saw it, which is said and never guessed around. Where {@code rc} may mean
 * a code or a signal, the kernel is asked, by the pidfd and what it tells of ended processes. What fails on the way,
 * for want of a descriptor, is done again until it does not. On the event thread, or on one of its own while it waits.
 */
public final class ExitWatch {
    /** How long an ended command may stay unreaped, its launcher gone: a process 1 was seen to take 1.2 s. */
    private static final long REAP_LIMIT_MS = 3000;
    /** How long to wait for the kernel's event of an end that was seen: it comes when the dying one runs again. */
    private static final long EVENT_LIMIT_NANOS = 1_000_000_000;

    private final TaskFolder folder;
    private final KernelEvents events;
    private final CommandProcesses processes;
    private final Supplier<TaskTree> looks;
    private final ToldExits told;
    private final CompletableFuture<Exit> exit = new CompletableFuture<>();
    /** A bit for each signal that this server sent. */
    private final AtomicLong sent = new AtomicLong();

    private volatile Map<String, String> doubt = Map.of();

    /** @param looks all that is the task's at that moment */
    public ExitWatch(
            TaskFolder folder,
            KernelEvents events,
            CommandProcesses processes,
            Supplier<TaskTree> looks,
            ToldExits told) {
        this.folder = folder;
        this.events = events;
        this.processes = processes;
        this.looks = looks;
        this.told = told;
    }

    /** Completes once, never exceptionally. */
    public CompletableFuture<Exit> exit() {
        return exit;
    }

    /** {@link ExitFile#doubt} once it has completed; empty where somebody knew better than the launcher's shell. */
    public Map<String, String> doubt() {
        return doubt;
    }

    /** Evidence for a death that the launcher's shell does not note. */
    public void sent(int signal) {
        sent.accumulateAndGet(1L << signal, (before, bit) -> before | bit);
    }

    /** Pids of the command's processes that were killed; by the kernel's word, so that some may be missing. */
    public Set<Long> killed() {
        return told.killedBelow(processes.session());
    }

    /** Watches the launcher, a child of this process, or of a former one. */
    public void begin() {
        ProcessIdentity launcher = processes.launcher();
        Optional<Pidfd> opened = Pidfd.open(launcher.pid());
        if (opened.isEmpty()) {
            surely(this::launcherGone);
            return;
        }
        try (Pidfd pidfd = opened.get()) {
            // A zombie of ours has its identity still and is told at once; another's pid is not waited for.
            ProcessStat now = ProcessTable.stat(launcher.pid());
            if (now != null && now.identity().equals(launcher)) {
                events.onExit(pidfd, () -> surely(this::launcherGone));
            } else {
                surely(this::launcherGone);
            }
        }
    }

    private void surely(Runnable step) {
        Retry.run(step, events);
    }

    private void launcherGone() {
        Processes.reap(processes.session());
        Optional<Exit> recorded = ExitFile.read(folder.exit());
        Optional<Pidfd> command = processes.liveCommand();
        if (recorded.isPresent()) {
            decide(recorded.get(), System.nanoTime() + EVENT_LIMIT_NANOS);
        } else if (command.isPresent()) {
            events.onExit(command.get(), () -> surely(this::commandGone));
        } else if (processes.command() != null) {
            // It ended while nobody held it; what it left behind is not taken for it.
            exit.complete(new Exit.Unseen(false));
        } else {
            new OrphanWatch(events, processes, looks, () -> exit.complete(new Exit.Unseen(false))).begin();
        }
    }

    /** Asks the kernel where the shell's code leaves it open. */
    private void decide(Exit recorded, long deadline) {
        int signal = ExitFile.unnotedSignal(recorded);
        if (signal == 0) {
            exit.complete(recorded);
            return;
        }
        WaitStatus death = new WaitStatus(signal);
        Optional<WaitStatus> seen =
                processes.commandExit().or(() -> told.childOf(processes.session(), ExitFile.shellCode(death)));
        if (seen.isEmpty() && told.tells() && System.nanoTime() - deadline < 0) {
            var _ = Threads.after(Duration.ofMillis(1), () -> surely(() -> decide(recorded, deadline)));
            return;
        }
        boolean died = seen.map(status -> status.signal() == signal).orElseGet(() -> (sent.get() & 1L << signal) != 0);
        doubt = died || seen.isPresent() ? Map.of() : ExitFile.doubt(recorded);
        // Put down what the shell left out, so that it is known after a restart too.
        exit.complete(died ? ExitFile.record(folder.exit(), death) : recorded);
    }

    private void commandGone() {
        Optional<WaitStatus> status = processes.commandExit();
        Optional<Pidfd> command = processes.liveCommand();
        if (status.isPresent() || command.isEmpty()) {
            completeFromKernel();
            return;
        }
        CompletableFuture<Void> reaped = new CompletableFuture<>();
        KernelEvents.Registration registration = events.onReaped(command.get(), () -> reaped.complete(null));
        var _ = reaped.completeOnTimeout(null, REAP_LIMIT_MS, TimeUnit.MILLISECONDS)
                .thenRun(() -> {
                    registration.close();
                    completeFromKernel();
                });
    }

    private void completeFromKernel() {
        exit.complete(processes
                .commandExit()
                .map(status -> ExitFile.record(folder.exit(), status))
                .orElseGet(() -> new Exit.Unseen(false)));
    }
}
