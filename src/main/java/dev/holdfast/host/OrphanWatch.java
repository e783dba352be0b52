package dev.holdfast.host;

import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Owns what lives of a command whose launcher was killed before anybody knew which process was the command's own. The
 * oldest that carries the task's marker stands for it. Since that may be something the command started, its exit code
 * is not taken for the command's; but the task is not said to have ended while anything of it lives. Looks on virtual
 * threads, some 20 ms each, and waits without any.
 */
final class OrphanWatch {
    private static final Comparator<ProcessStat> BY_AGE =
            Comparator.comparingLong(ProcessStat::startTicks).thenComparingLong(ProcessStat::pid);
    /** How long a child of the launcher may take to become the command; the holder of a stdin never does. */
    private static final long START_LIMIT_NANOS = Duration.ofMillis(300).toNanos();

    private static final long LOOK_AGAIN_MS = 10;

    private final TaskId id;
    private final KernelEvents events;
    private final CommandProcesses processes;
    private final Runnable onGone;
    private final Markers markers = new Markers();
    private final long startDeadline = System.nanoTime() + START_LIMIT_NANOS;

    /** @param onGone runs once, when nothing of it lives */
    OrphanWatch(TaskId id, KernelEvents events, CommandProcesses processes, Runnable onGone) {
        this.id = id;
        this.events = events;
        this.processes = processes;
        this.onGone = onGone;
    }

    void begin() {
        Thread.startVirtualThread(this::look);
    }

    private void look() {
        List<ProcessStat> left = markers.in(ProcessTable.read()).getOrDefault(id, List.of());
        Optional<ProcessIdentity> oldest = left.stream()
                .filter(process -> !Launcher.isOwn(process.arguments()))
                .min(BY_AGE)
                .map(ProcessStat::identity);
        if (oldest.isPresent()) {
            follow(oldest.get());
        } else if (left.isEmpty() || System.nanoTime() - startDeadline > 0) {
            onGone.run();
        } else {
            lookAgain();
        }
    }

    private void follow(ProcessIdentity orphan) {
        try (Pidfd held = CommandProcesses.open(orphan)) {
            if (held == null) {
                lookAgain();
            } else {
                processes.standIn(orphan);
                events.onExit(held, this::begin);
            }
        }
    }

    private void lookAgain() {
        CompletableFuture.delayedExecutor(LOOK_AGAIN_MS, TimeUnit.MILLISECONDS, Thread::startVirtualThread)
                .execute(this::look);
    }
}
