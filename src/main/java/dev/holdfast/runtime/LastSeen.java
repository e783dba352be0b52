package dev.holdfast.runtime;

import dev.holdfast.runtime.Observations.Seen;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What the last pass saw of running commands, and what was seen of them since it began. Thread-safe. */
final class LastSeen {
    /** Of {@link System#nanoTime}; null before the first. */
    private volatile @Nullable Long began;

    private volatile Map<TaskId, Seen> seen = new ConcurrentHashMap<>();
    /** Of what more became known while a pass looks, which may have seen it before; guarded by this. */
    private @Nullable Set<TaskId> newer;

    /** Whether the last pass began within so much. */
    boolean isWithin(Duration age) {
        Long since = began;
        return since != null && System.nanoTime() - since < age.toNanos();
    }

    Map<TaskId, Seen> all() {
        return seen;
    }

    /** By a look besides the passes. */
    synchronized void add(Map<TaskId, Seen> looked) {
        seen.putAll(looked);
        if (newer != null) {
            newer.addAll(looked.keySet());
        }
    }

    /** More became known of it than was seen. */
    synchronized void forget(TaskId id) {
        seen.remove(id);
        if (newer != null) {
            newer.add(id);
        }
    }

    synchronized void passBegins() {
        newer = new HashSet<>();
    }

    /** The pass that began: all that it found, but for what is newer. */
    synchronized void passed(long passBegan, Map<TaskId, Seen> found) {
        Map<TaskId, Seen> next = new ConcurrentHashMap<>(found);
        for (TaskId id : Objects.requireNonNull(newer)) {
            next.computeIfPresent(id, (_, _) -> seen.get(id));
        }
        seen = next;
        began = passBegan;
    }

    /** However it ended. */
    synchronized void passEnds() {
        newer = null;
    }
}
