package dev.holdfast.runtime.feed;

import dev.holdfast.runtime.Observations;
import dev.holdfast.runtime.Observations.Seen;
import dev.holdfast.runtime.TaskChanges;
import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.output.OutputCursor;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.start.Approval;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What happens to all tasks, as events in a ring: each change of status as it comes, and while anybody listens what
 * they print and do. What was not looked at with nobody there is told to who comes next, before anything else of that
 * task, so that he goes on without loss. Thread-safe; nothing waits while its lock is held.
 */
final class AllTasks {
    private static final Logger LOG = Logger.getLogger(AllTasks.class);
    private static final Pattern ID = Pattern.compile("[0-9]{1,18}");
    /** Between two looks at how much was printed, so what is printed in this time is told as one for each stream. */
    private static final long PACE_MS = 50;
    /**
     * So much longer for each event told: at most some 500 a second, however many print, of which the ring holds 20 s.
     */
    private static final long EACH_MS = 2;

    private final EventRing ring;
    private final Supplier<Stream<Task>> running;
    private final OutputStore outputs;
    private final Observations observations;
    /** Those that have not ended; guarded by this, as what follows. */
    private final Map<TaskId, Told> tasks = new HashMap<>();

    private final Set<Wakeup> listeners = new HashSet<>();
    private OutputStore.Watch looking = () -> {};

    /** @param running the tasks that run; what they have come to now counts as told */
    AllTasks(
            EventRing ring,
            Supplier<Stream<Task>> running,
            OutputStore outputs,
            TaskChanges changes,
            Observations observations) {
        this.ring = ring;
        this.running = running;
        this.outputs = outputs;
        this.observations = observations;
        synchronized (this) {
            var _ = changes.listen(this::changed);
            running.get().forEach(task -> add(task).skip(task.status(), printed(task.id())));
        }
    }

    /** Something of no task yet: a person is asked, or has answered. */
    synchronized void tell(Approval approval) {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("approval_id", approval.id());
        data.put("state", approval.state().toString());
        data.put("cmd_preview", approval.preview());
        data.put("requested_by", approval.actor().name());
        data.put("rule", approval.asked().rule());
        data.put("task_id", approval.became());
        data.put("start_error", approval.outcome().startError());
        ring.append(
                new EventRing.Source(
                        approval.actor().labelled(approval.request().labels()),
                        approval.actor().owner()),
                "approval",
                data);
        listeners.forEach(Wakeup::wake);
    }

    /**
     * All that happens from now on, or after an event that is still kept, without end; else a resync comes first.
     *
     * @param wanted the sources whose events are told
     */
    FeedReader reader(Predicate<EventRing.Source> wanted, @Nullable String lastEventId) {
        return new Reader(wanted, lastEventId);
    }

    private synchronized void enter(Wakeup listener) {
        if (listeners.isEmpty()) {
            OutputStore.Watch watch = observations.watch(this::seen);
            Thread thread = Thread.ofPlatform().daemon().name("all-tasks").start(this::lookAgainAndAgain);
            looking = () -> {
                watch.close();
                thread.interrupt();
            };
        }
        listeners.add(listener);
    }

    private synchronized void leave(Wakeup listener) {
        if (listeners.remove(listener) && listeners.isEmpty()) {
            looking.close();
        }
    }

    private Told add(Task task) {
        EventRing.Source source =
                new EventRing.Source(task.command().labels(), task.command().owner());
        Told told = new Told(task.id(), (type, data) -> {
            ring.append(source, type, data);
            listeners.forEach(Wakeup::wake);
        });
        tasks.put(task.id(), told);
        return told;
    }

    /** A change may come after a later one: of a task that has ended, nothing follows. */
    private synchronized void changed(Task task) {
        boolean ended = task.status().ended();
        Told told = tasks.get(task.id());
        if (told == null && task.promotedAt() != null && (ended || runs(task.id()))) {
            told = add(task);
        }
        if (told != null) {
            if (ended) {
                tellOutput(told);
                tasks.remove(task.id());
            }
            told.tellStatus(task);
        }
    }

    private boolean runs(TaskId id) {
        return running.get().anyMatch(task -> task.id().equals(id));
    }

    private synchronized void seen(Map<TaskId, Seen> pass) {
        tasks.forEach((id, told) -> {
            Seen seen = pass.get(id);
            if (seen != null) {
                told.tellFacts(seen);
            }
        });
    }

    private void lookAgainAndAgain() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(look());
            }
        } catch (InterruptedException nobodyListens) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Asks for the sizes of files, which costs less than the kernel's word of each write to them.
     *
     * @return milliseconds until the next look
     */
    private synchronized long look() {
        long before = ring.last();
        try {
            if (!listeners.isEmpty()) {
                tasks.values().forEach(this::tellOutput);
            }
        } catch (RuntimeException failure) {
            LOG.error("What tasks print could not be told", failure);
        }
        return PACE_MS + tasks.size() + EACH_MS * (ring.last() - before);
    }

    private void tellOutput(Told told) {
        OutputCursor printed = printed(told.id());
        for (StreamName stream : StreamName.values()) {
            if (printed.of(stream) > told.of(stream)) {
                told.tellOutput(stream, told.of(stream), printed.of(stream), null);
            }
        }
    }

    private OutputCursor printed(TaskId id) {
        return new OutputCursor(
                outputs.file(id, StreamName.STDOUT).toFile().length(),
                outputs.file(id, StreamName.STDERR).toFile().length());
    }

    private final class Reader extends FeedReader {
        private final Predicate<EventRing.Source> wanted;
        private final @Nullable String lastEventId;
        private long seen;

        Reader(Predicate<EventRing.Source> wanted, @Nullable String lastEventId) {
            this.wanted = wanted;
            this.lastEventId = lastEventId;
        }

        @Override
        public void begin() {
            enter(wakeup);
            if (lastEventId == null) {
                seen = ring.last();
            } else if (ID.matcher(lastEventId).matches()) {
                seen = Long.parseLong(lastEventId);
            }
        }

        @Override
        public String place() {
            return Long.toString(seen);
        }

        /** Who is so far behind that some of it is gone goes on from now. */
        @Override
        List<FeedEvent> read() {
            EventRing.Page page = ring.after(seen, wanted).orElse(null);
            seen = page == null ? ring.last() : page.last();
            return page == null ? List.of(new FeedEvent(place(), "resync", Map.of())) : page.events();
        }

        @Override
        public void close() {
            leave(wakeup);
        }
    }
}
