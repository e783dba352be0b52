package dev.holdfast.host.watch;

import dev.holdfast.host.launch.Launcher;
import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.kernel.Pidfd;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.task.ProcessIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Owns what lives of a command whose launcher was killed before anybody knew which process was the command's own. The
 * oldest of its processes stands for it. Since that may be something the command started, its exit code is not taken
 * for the command's; but the task is not said to have ended while anything of it lives. In the midst of an exec a
 * process shows no environment, and one that is being forked may not show at all: so it is gone only when two looks in
 * a row have found nobody; one that failed, for want of a descriptor, is none. Looks on virtual threads, some 20 ms
 * each, and waits without any.
 */
final class OrphanWatch {
    /** How long a child of the launcher may take to become the command; the holder of a stdin never does. */
    private static final long START_LIMIT_NANOS = Duration.ofMillis(300).toNanos();

    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

    private final KernelEvents events;
    private final CommandProcesses processes;
    private final Supplier<TaskTree> looks;
    private final Runnable onGone;
    private final long startDeadline = System.nanoTime() + START_LIMIT_NANOS;
    /** One look at a time sets it, each after the one before. */
    private volatile boolean wasEmpty;

    /**
     * @param looks all that is the task's at that moment
     * @param onGone runs once, when nothing of it lives
     */
    OrphanWatch(KernelEvents events, CommandProcesses processes, Supplier<TaskTree> looks, Runnable onGone) {
        this.events = events;
        this.processes = processes;
        this.looks = looks;
        this.onGone = onGone;
    }

    void begin() {
        Threads.start(() -> Retry.run(this::look, events));
    }

    private void look() {
        List<ProcessStat> left = looks.get().all().toList();
        Optional<ProcessIdentity> oldest = left.stream()
                .filter(process -> !Launcher.isOwn(process.arguments()))
                .min(ProcessStat.OLDEST_FIRST)
                .map(ProcessStat::identity);
        boolean empty = left.isEmpty() || (oldest.isEmpty() && System.nanoTime() - startDeadline > 0);
        if (oldest.isPresent()) {
            wasEmpty = false;
            follow(oldest.get());
        } else if (empty && wasEmpty) {
            onGone.run();
        } else {
            wasEmpty = empty;
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
        var _ = Threads.after(LOOK_AGAIN, () -> Retry.run(this::look, events));
    }
}
