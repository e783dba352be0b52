package dev.holdfast.host;

import dev.holdfast.kernel.BootTime;
import dev.holdfast.kernel.ProcessBirths;
import dev.holdfast.task.ProcessIdentity;
import dev.holdfast.task.TaskId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which processes descend from which task by the kernel's own word ({@link ProcessBirths}), whatever they have left behind
 * since: session, parent and environment at once. Births wait in the kernel until somebody looks; nobody is woken by them.
 * Knows nothing where the kernel tells nothing, and after a loss only what was known before it.
 *
 * <p>Listens from the first {@link #expect} on until {@link #rest}. A pid that is used again is another process: a birth
 * replaces what was known of its pid, and who is seen in {@code /proc} is compared by its start. Thread-safe; only after
 * a loss is {@code /proc} read here.
 */
final class Ancestry implements AutoCloseable {
    private final Descents descents = new Descents();
    private final Set<Attention> paid = new HashSet<>();
    /** Tasks of whom no process can have been missed: all births were told since their launcher's own, or since a look. */
    private final Set<TaskId> followed = new HashSet<>();

    private final Supplier<Optional<ProcessBirths>> source;
    private @Nullable ProcessBirths births;
    private boolean opened;
    private boolean listening;
    private long listeningSince;

    Ancestry() {
        this(ProcessBirths::open);
    }

    /** @param source asked once, at the first {@link #expect} */
    Ancestry(Supplier<Optional<ProcessBirths>> source) {
        this.source = source;
    }

    /** As long as it is not closed, {@link #rest} is not granted. */
    final class Attention implements AutoCloseable {
        private final long since;

        private Attention(long since) {
            this.since = since;
        }

        @Override
        public void close() {
            synchronized (Ancestry.this) {
                paid.remove(this);
            }
        }
    }

    /** A launcher is about to be started; to be closed when it is {@link #launched}. One system call if it rested. */
    synchronized Attention expect() {
        if (!opened) {
            opened = true;
            births = source.get().orElse(null);
        } else if (births != null && !listening) {
            births.listen();
        }
        long now = BootTime.nanos();
        if (births != null && !listening) {
            listening = true;
            listeningSince = now;
        }
        return attention(now);
    }

    /** Does not begin to listen. */
    synchronized Attention hold() {
        return attention(Long.MAX_VALUE);
    }

    private Attention attention(long since) {
        Attention attention = new Attention(since);
        paid.add(attention);
        return attention;
    }

    /** All that descends from this process belongs to the task. */
    synchronized void launched(TaskId task, @Nullable ProcessIdentity launcher) {
        if (listening && launcher != null && launcher.bootId().equals(BootId.current())) {
            descents.launched(task, launcher);
            if (launcher.startTicks() > listeningSince / Descent.NANOS_PER_TICK) {
                followed.add(task);
            }
        }
    }

    /** Whether a look at these could find nobody who is not known. */
    synchronized boolean follows(Set<TaskId> tasks) {
        return followed.containsAll(tasks);
    }

    /** The others are not asked for any more. */
    synchronized void follow(Set<TaskId> tasks) {
        followed.retainAll(tasks);
    }

    /**
     * Listens no more and forgets all.
     *
     * @param idle asked when nobody can begin to pay attention
     * @return false when there is something to listen for
     */
    synchronized boolean rest(BooleanSupplier idle) {
        if (!paid.isEmpty() || !idle.getAsBoolean()) {
            return false;
        }
        if (births != null && listening) {
            births.ignore();
        }
        listening = false;
        descents.clear();
        followed.clear();
        return true;
    }

    /** To be asked for before a list of processes is made. */
    synchronized long moment() {
        return descents.moment();
    }

    /**
     * The live processes that are known to be a task's, by task.
     *
     * @param table read after {@code moment}
     */
    synchronized Map<TaskId, List<ProcessStat>> in(ProcessTable table, long moment) {
        fetch();
        Map<TaskId, List<ProcessStat>> members = descents.in(table);
        Set<Long> pids = table.processes().stream().map(ProcessStat::pid).collect(Collectors.toSet());
        sift(pids, moment);
        return members;
    }

    /**
     * Fetches what was born, and lets go of what has ended.
     *
     * @param listed the pids there are, listed after {@code moment}
     */
    synchronized void follow(long[] listed, long moment) {
        fetch();
        sift(Arrays.stream(listed).boxed().collect(Collectors.toSet()), moment);
    }

    /** These were found to be the task's by other means: what descends from them is its too. */
    synchronized void claim(TaskId task, Stream<ProcessStat> members) {
        if (listening) {
            descents.claim(task, members);
            followed.add(task);
        }
    }

    /** Whether the latest process with this pid was born of that one; false also when it is not known. */
    synchronized boolean isChild(long pid, long parent) {
        fetch();
        return descents.isChild(pid, parent);
    }

    private void fetch() {
        if (births != null && listening) {
            descents.beginFetch();
            if (births.drain(descents::born)) {
                afterLoss();
            }
        }
    }

    private void afterLoss() {
        followed.clear();
        boolean read = false;
        try {
            descents.lost(ProcessTable.read());
            read = true;
        } finally {
            if (!read) {
                descents.clear(); // who lives is not known, so nothing is
            }
        }
    }

    private void sift(Set<Long> listed, long moment) {
        long unsure =
                paid.stream().mapToLong(attention -> attention.since).min().orElse(Long.MAX_VALUE);
        descents.sift(listed, moment, unsure);
    }

    @Override
    public synchronized void close() {
        if (births != null) {
            births.close();
        }
        births = null;
        listening = false;
        followed.clear();
    }
}
