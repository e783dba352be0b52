package dev.holdfast.duplicate;

import dev.holdfast.task.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which running commands are the same as which: a key is held by the commands that run with it, the oldest first. Each
 * method is atomic; of N that claim one key at the same moment exactly one gets it.
 */
public final class Claims {
    private final Map<String, List<TaskId>> holders = new ConcurrentHashMap<>();

    /** Claims the key unless somebody holds it: empty when it is {@code id}'s now, else the oldest holder. */
    public Optional<TaskId> claim(String key, TaskId id) {
        List<TaskId> now = holders.computeIfAbsent(key, _ -> List.of(id));
        return now.getFirst().equals(id) ? Optional.empty() : Optional.of(now.getFirst());
    }

    /** The oldest that holds the key. */
    public Optional<TaskId> holder(String key) {
        return Optional.ofNullable(holders.get(key)).map(List::getFirst);
    }

    /** Holds the key besides whoever does: a second instance that was asked for. */
    public void add(String key, TaskId id) {
        holders.merge(
                key,
                List.of(id),
                (ids, more) -> Stream.concat(ids.stream(), more.stream()).toList());
    }

    /** Gives the key up; nothing happens when {@code id} does not hold it. */
    public void release(String key, TaskId id) {
        holders.computeIfPresent(key, (_, ids) -> without(ids, id));
    }

    private static @Nullable List<TaskId> without(List<TaskId> ids, TaskId id) {
        List<TaskId> rest = ids.stream().filter(held -> !held.equals(id)).toList();
        return rest.isEmpty() ? null : rest;
    }
}
