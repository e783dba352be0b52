package dev.holdfast.recovery;

import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.Endings;
import dev.holdfast.runtime.Endings.Begun;
import dev.holdfast.runtime.Leftovers;
import dev.holdfast.runtime.Replays;
import dev.holdfast.runtime.Starter;
import dev.holdfast.runtime.Transitions;
import dev.holdfast.runtime.port.CommandHost;
import dev.holdfast.runtime.port.CommandHost.Folder;
import dev.holdfast.runtime.port.Launch;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Exit;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows and folders agree at start, before the port opens: what runs is adopted, what ended is finished, what is
 * lost is said to be. The folder is the truth; a folder without a row gets its row, unless it keeps the answer of a
 * command that ended in its caller's window, or is forgotten. Of what has ended on record nothing is read.
 */
@Singleton
public record Recovery(
        CommandHost host,
        TaskStore store,
        Starter starter,
        Transitions transitions,
        Answers answers,
        Replays replays,
        Endings endings,
        Leftovers leftovers,
        TaskIds newIds,
        InstantSource clock) {
    private static final Logger LOG = Logger.getLogger(Recovery.class);
    /**
     * Between TERM and KILL of what has no folder any more; and no longer of what outlived its command in the midst of
     * a stop, for the port is not open until then.
     */
    private static final Duration GRACE = Duration.ofSeconds(2);

    /** What was found, by what became of it. */
    public record Report(int adopted, int finished, int lost, int keptAnswers, int damaged) {}

    /** Call once, before anything else starts or reads tasks. */
    public Report run() {
        // First, for with what was being forgotten go rows.
        List<TaskId> ids = host.ids(leftovers::finishForgetting);
        Map<TaskId, Task> unfinished = new HashMap<>();
        store.unfinished().forEach(task -> unfinished.put(task.id(), task));
        Tally tally = new Tally();
        Set<TaskId> ended = store.ended();
        Stream.of(ids, unfinished.keySet(), ended)
                .flatMap(Collection::stream)
                .max(Comparator.naturalOrder())
                .ifPresent(newIds::follow);
        boolean marked = leftovers.marked();
        for (TaskId id : ids) {
            boolean rowless = !ended.contains(id) && !unfinished.containsKey(id);
            if (rowless && leftovers.isForgotten(id)) {
                leftovers.takeOver(id);
                continue;
            }
            boolean kept = rowless && answers.keeps(id);
            tally.kept += kept ? 1 : 0;
            if (!kept && !ended.contains(id)) {
                recover(id, unfinished, tally);
            } else if (!marked) {
                host.idempotency(id).ifPresent(key -> replays.keep(key, id));
                leftovers.takeOver(id);
            }
        }
        leftovers.takeOverMarked();
        unfinished.values().forEach(row -> withoutFolder(row, tally));
        return new Report(tally.adopted, tally.finished, tally.lost, tally.kept, tally.damaged);
    }

    private static final class Tally {
        int adopted;
        int finished;
        int lost;
        int kept;
        int damaged;
    }

    private void recover(TaskId id, Map<TaskId, Task> unfinished, Tally tally) {
        try {
            Optional<Folder> folder = host.folder(id);
            if (folder.isPresent()) {
                settle(folder.get(), unfinished.remove(id), tally);
            }
        } catch (RuntimeException failure) {
            unfinished.remove(id); // there is a folder of it, and what it says is not known
            tally.damaged++;
            LOG.errorf(failure, "%s could not be recovered; its folder is left as it is", id);
        }
    }

    private void settle(Folder folder, @Nullable Task row, Tally tally) {
        switch (folder) {
            case Folder.Running running -> {
                remember(running.launch());
                Optional<Begun> begun = endings.begun(running.id(), row);
                if (begun.isEmpty() && row == null && running.launch().endsWithCaller()) {
                    // Before its row: a server that dies in between still knows.
                    begun = Optional.of(endings.beginAtOnce(running.id()));
                }
                starter.adopt(running, row, begun);
                tally.adopted++;
            }
            case Folder.Ended ended -> {
                remember(ended.launch());
                finish(ended, row, tally);
            }
            case Folder.Unborn unborn -> {
                LOG.infof("%s was never started: the server died before that", unborn.id());
                if (row != null) {
                    declareLost(row, tally);
                }
                host.forget(unborn.id());
            }
            case Folder.Damaged damaged -> {
                tally.damaged++;
                salvage(damaged, row, tally);
            }
        }
    }

    private void salvage(Folder.Damaged damaged, @Nullable Task row, Tally tally) {
        Folder found = host.salvage(damaged, row);
        String what = found instanceof Folder.Running
                ? "it runs and is adopted as "
                        + (row != null
                                ? "its row has it"
                                : "its processes show it, without labels and limits: nothing else is known of it")
                : row != null ? "nothing of it runs" : "nothing of it runs, and no row names it: its folder is left";
        LOG.warnf("%s: %s; %s", damaged.id(), damaged.problem(), what);
        if (!(found instanceof Folder.Damaged)) {
            settle(found, row, tally);
        }
    }

    /** A row without a folder: what lives of it can be neither read nor waited for, so it is ended. */
    private void withoutFolder(Task row, Tally tally) {
        try {
            List<Long> strays = host.endStrays(row.id(), row.updatedAt(), GRACE).found();
            if (!strays.isEmpty()) {
                LOG.warnf("%s: its folder is gone; its processes %s still ran and were stopped", row.id(), strays);
            }
        } catch (RuntimeException failure) {
            LOG.errorf(failure, "%s: its folder is gone; whether anything of it runs could not be found out", row.id());
        }
        declareLost(row, tally);
    }

    private void remember(Launch launch) {
        if (launch.idempotency() != null) {
            replays.keep(launch.idempotency(), launch.id());
        }
    }

    private void finish(Folder.Ended ended, @Nullable Task row, Tally tally) {
        // A file's time is that of the kernel's last tick: what wrote nothing seems to have ended before it began.
        Instant began = row == null ? ended.launch().createdAt() : row.startedAt();
        Instant at = began == null ? ended.endedAt() : Collections.max(List.of(began, ended.endedAt()));
        Optional<Begun> begun = endings.begun(ended.id(), row);
        // Nobody saw how it ended: its launcher had lost the terminal, or was killed, which hangs that up.
        boolean lost = ended.launch().command().tty() && ended.exit() instanceof Exit.Unseen;
        // Before the end is on record: a server that dies here does it again.
        if (begun.isPresent() || lost || ended.launch().command().onExit() == OnExit.STOP) {
            Duration grace = begun.map(endings::left).orElse(Duration.ZERO);
            host.endStrays(ended.id(), ended.endedAt(), Collections.min(List.of(grace, GRACE)));
        }
        leftovers.takeOver(ended.id());
        Ending ending = Ending.of(ended.exit()).with(host.endingDetails(ended));
        Ending known = begun.map(Begun::cause).map(ending::by).orElse(ending);
        transitions.end(ended.launch(), row, known, at);
        if (ended.exit() instanceof Exit.Unseen) {
            tally.lost++;
        } else {
            tally.finished++;
        }
    }

    private void declareLost(Task row, Tally tally) {
        Launch launch = Launch.known(row.id(), row.command(), row.createdAt());
        transitions.end(launch, row, Ending.of(new Exit.Unseen(false)), clock.instant());
        tally.lost++;
    }
}
