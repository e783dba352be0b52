package dev.holdfast.host.stop;

import dev.holdfast.host.proc.ProcessStat;
import dev.holdfast.host.proc.ProcessTable;
import dev.holdfast.host.watch.Lineage;
import dev.holdfast.host.watch.TaskProcess;
import dev.holdfast.host.watch.TaskTree;
import dev.holdfast.kernel.Processes;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.Signal;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One stop of one task: asks, waits for the grace, then freezes and kills what is left, until two looks in a row find
 * nothing. The launcher and its holders are asked for nothing: they leave when the command has, which records its exit;
 * only if they stay are they killed. Runs once, on its own thread; {@link #shorten} may come from any.
 */
final class Stopping implements Runnable {
    /** How long killing may take after the grace before what lives is reported. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    /** For a launcher that is held up, as on a busy machine: the exit that it has not put down is lost with it. */
    private static final long LAUNCHER_LEAVES_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long HOLDERS_LEAVE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long FULL_LOOK_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(100).toNanos();
    private static final long KILL_TAKES_NANOS = Duration.ofMillis(500).toNanos();
    private static final long FIRST_PAUSE_NANOS = 500_000;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    private static final Logger LOG = System.getLogger(Stopping.class.getName());

    private final TaskProcess task;
    private final Lineage lineage;
    private final Runnable done;
    private final @Nullable Path mark;
    private final boolean askedBefore;
    private final long began = System.nanoTime();
    private final CompletableFuture<List<Long>> survivors = new CompletableFuture<>();
    private final Set<ProcessIdentity> asked = new HashSet<>();
    private final Signals signals = new Signals();
    private boolean allAsked;
    private TaskTree last = TaskTree.NONE;
    private volatile long graceNanos;

    /**
     * @param mark made once TERM was sent; where it is there, none is sent. Null for none
     * @param done called when nothing more will be done, before the survivors are told
     */
    Stopping(TaskProcess task, Lineage lineage, Duration grace, @Nullable Path mark, Runnable done) {
        this.task = task;
        this.lineage = lineage;
        this.mark = mark;
        this.askedBefore = mark != null && Files.exists(mark);
        this.done = done;
        this.graceNanos = grace.toNanos();
    }

    /** Pids that live although they were sent KILL, or may not be signalled by this user. */
    CompletableFuture<List<Long>> survivors() {
        return survivors;
    }

    /** Counted from the start of this stop; a longer grace changes nothing. */
    synchronized void shorten(Duration grace) {
        long nanos = System.nanoTime() - began + grace.toNanos();
        graceNanos = Math.min(graceNanos, nanos);
    }

    @Override
    public void run() {
        try {
            List<Long> living = stopped();
            done.run();
            survivors.complete(living);
        } catch (Throwable failure) {
            done.run();
            survivors.completeExceptionally(failure); // each caller gets it from its join
        }
    }

    /** What fails, as a look without a descriptor does, is done again: nobody is gone because he could not be seen. */
    private List<Long> stopped() {
        while (true) {
            try {
                stop();
                return last.processes().stream()
                        .filter(process -> ProcessTable.alive(process.identity()))
                        .map(ProcessStat::pid)
                        .sorted()
                        .toList();
            } catch (RuntimeException | Error failure) {
                if (System.nanoTime() - began > graceNanos + LIMIT.toNanos()) {
                    throw failure;
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    private void stop() {
        look();
        long limit;
        do {
            ask();
            limit = System.nanoTime() + LIMIT.toNanos();
            kill(limit);
        } while (!seeOff(limit));
    }

    private void look() {
        last = lineage.look(task);
    }

    private boolean inGrace() {
        return System.nanoTime() - began < graceNanos;
    }

    /** TERM, and CONT so that a stopped process can act on it; then waits until all are gone or the grace is over. */
    private void ask() {
        while (!last.processes().isEmpty() && inGrace()) {
            if (!askedBefore) {
                askNew(last.processes());
            }
            awaitGone(last.processes(), System.nanoTime() + FULL_LOOK_NANOS, true);
            look();
        }
    }

    /** Not those that turn up later, for they may be the cleaning up; but the command itself whenever it turns up. */
    private void askNew(List<ProcessStat> living) {
        ProcessIdentity launcher = task.launcher();
        for (ProcessStat process : living) {
            boolean early = !allAsked || (launcher != null && process.parent() == launcher.pid());
            if (early && !asked.contains(process.identity())) {
                signals.send(Signal.TERM, List.of(process));
                signals.send(Signal.CONT, List.of(process));
                asked.add(process.identity());
            }
        }
        if (!allAsked) {
            allAsked = true;
            putDown();
        }
    }

    /** After the sending: a server that dies in between sends it twice, and never not at all. */
    private void putDown() {
        try {
            if (mark != null) {
                Files.writeString(mark, "");
            }
        } catch (IOException failure) {
            LOG.log(Level.WARNING, "that {0} was sent TERM could not be put down: {1}", task.id(), failure);
        }
    }

    /** Until two looks in a row, the last one counted, find nothing that can be killed, and the group is empty. */
    private void kill(long limit) {
        boolean wasEmpty = victims().isEmpty();
        while (System.nanoTime() < limit) {
            lineage.kill(task.id());
            freeze(limit);
            List<ProcessStat> victims = victims();
            if (victims.isEmpty() && wasEmpty && !anyUnseen()) {
                return;
            }
            wasEmpty = victims.isEmpty();
            signals.send(Signal.KILL, victims);
            awaitGone(victims, Math.min(limit, System.nanoTime() + KILL_TAKES_NANOS), false);
        }
    }

    /**
     * Stops everything, again and again until nobody new turns up: what is stopped cannot fork. A group is stopped at
     * one moment, with what is being forked in it, so that nothing of it can be born behind the back of a look.
     */
    private void freeze(long limit) {
        Set<ProcessIdentity> frozen = new HashSet<>();
        boolean grew = true;
        while (grew && System.nanoTime() < limit) {
            stopGroups();
            look();
            signals.send(Signal.CONT, last.attendants()); // also those whom no look had seen before
            List<ProcessStat> fresh = victims().stream()
                    .filter(process -> frozen.add(process.identity()))
                    .toList();
            signals.send(Signal.STOP, fresh);
            grew = !fresh.isEmpty();
        }
    }

    /**
     * The numbers of groups were seen a moment ago, and while the launcher lives its own cannot be another's. Launcher
     * and holders go on at once, also when somebody had stopped them before.
     */
    private void stopGroups() {
        ProcessStat launcher = last.launcher();
        if (launcher == null || ProcessTable.alive(launcher.identity())) {
            last.groups().forEach(group -> Processes.signalGroup(group, Signal.STOP.number()));
            signals.send(Signal.CONT, last.attendants());
        }
    }

    /** Who forks and ends all the time is another at each look, and a kill of the group may miss a fork. */
    private boolean anyUnseen() {
        return last.processes().isEmpty() && lineage.groupLives(task.id());
    }

    private List<ProcessStat> victims() {
        return last.processes().stream()
                .filter(process -> !signals.refusedBy(process))
                .toList();
    }

    /**
     * The launcher and its holders: they go by themselves within milliseconds, or are killed.
     *
     * @return false where there is something to be stopped again: a launcher that was held up had not yet started it
     */
    private boolean seeOff(long limit) {
        long leaves = Math.min(limit, System.nanoTime() + LAUNCHER_LEAVES_NANOS);
        while (launcherLives() && System.nanoTime() < leaves) {
            awaitGone(last.attendants(), Math.min(leaves, System.nanoTime() + FULL_LOOK_NANOS), false);
            if (launcherLives() && anythingNew()) {
                return false;
            }
        }
        boolean stays = launcherLives();
        List<ProcessStat> attendants = last.attendants();
        if (!stays) {
            awaitGone(attendants, Math.min(limit, System.nanoTime() + HOLDERS_LEAVE_NANOS), false);
        }
        signals.send(Signal.KILL, attendants);
        awaitGone(attendants, Math.min(limit, System.nanoTime() + KILL_TAKES_NANOS), false);
        return !stays || System.nanoTime() > limit || !anythingNew();
    }

    private boolean launcherLives() {
        ProcessStat launcher = last.launcher();
        return launcher != null && ProcessTable.alive(launcher.identity());
    }

    private boolean anythingNew() {
        look();
        return !victims().isEmpty();
    }

    /** Looks at these alone, at growing intervals: soon enough for what goes at once, cheap for what takes its time. */
    private void awaitGone(Collection<ProcessStat> processes, long until, boolean graceEnds) {
        Set<ProcessIdentity> living = new HashSet<>();
        processes.forEach(process -> living.add(process.identity()));
        long pause = FIRST_PAUSE_NANOS;
        while (!living.isEmpty() && System.nanoTime() < until && (!graceEnds || inGrace())) {
            LockSupport.parkNanos(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            living.removeIf(identity -> !ProcessTable.alive(identity));
        }
    }
}
