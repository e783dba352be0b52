package dev.holdfast.duplicate;

import dev.holdfast.task.TaskId;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Who runs which command now. Of any number of claims on a key at the same moment exactly one is granted. In memory only:
 * recovery claims again for what it adopts. Thread-safe; never blocks.
 */
public final class Claims {
    private final ConcurrentMap<String, TaskId> holders = new ConcurrentHashMap<>();

    /** @return empty when {@code key} is yours from now on, else who holds it; also empty when you held it already */
    public Optional<TaskId> claim(String key, TaskId id) {
        TaskId holder = holders.putIfAbsent(key, id);
        return holder == null || holder.equals(id) ? Optional.empty() : Optional.of(holder);
    }

    /** Who holds {@code key} now. */
    public Optional<TaskId> holder(String key) {
        return Optional.ofNullable(holders.get(key));
    }

    /** @return whether {@code id} held it; a key that somebody else holds stays theirs */
    public boolean release(String key, TaskId id) {
        return holders.remove(key, id);
    }
}
