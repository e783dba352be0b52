package dev.holdfast.runtime;

import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rows in memory. Its steps have the names of the methods. */
public final class FakeStore implements TaskStore {
    private final Steps steps;
    /** Guarded by rows. */
    private final Map<TaskId, Forgotten> forgotten = new HashMap<>();

    private final NavigableMap<TaskId, Task> rows = new TreeMap<>(Comparator.comparing(TaskId::value));

    FakeStore(Steps steps) {
        this.steps = steps;
    }

    public FakeStore() {
        this(new Steps());
    }

    @Override
    public Task insert(Task task) {
        steps.pass("insert");
        synchronized (rows) {
            Task first = task.withVersion(1);
            if (rows.putIfAbsent(task.id(), first) != null) {
                throw new IllegalStateException(task.id() + " has a row");
            }
            return first;
        }
    }

    @Override
    public Task save(Task task) {
        steps.pass("save");
        synchronized (rows) {
            Task row = rows.get(task.id());
            if (row == null || row.version() != task.version()) {
                throw new StaleTaskException(task.id());
            }
            Task next = task.withVersion(task.version() + 1);
            rows.put(task.id(), next);
            return next;
        }
    }

    @Override
    public Optional<Task> find(TaskId id) {
        steps.pass("find");
        synchronized (rows) {
            return Optional.ofNullable(rows.get(id));
        }
    }

    @Override
    public Page list(Query query) {
        List<Task> found = new ArrayList<>(newestFirst()
                .filter(task -> query.lets(task))
                .limit(query.limit() + 1L)
                .toList());
        if (found.size() <= query.limit()) {
            return new Page(found, null);
        }
        found.removeLast();
        return new Page(found, found.getLast().id());
    }

    private Stream<Task> newestFirst() {
        synchronized (rows) {
            return List.copyOf(rows.descendingMap().values()).stream();
        }
    }

    @Override
    public long countActive(@Nullable String owner) {
        return newestFirst()
                .filter(new Query(StatusFilter.ACTIVE, null, Map.of(), null, 1, null, null, owner)::lets)
                .count();
    }

    @Override
    public List<Task> unfinished() {
        return newestFirst().filter(task -> !task.status().ended()).toList().reversed();
    }

    @Override
    public Set<TaskId> ended() {
        return newestFirst().filter(task -> task.status().ended()).map(Task::id).collect(Collectors.toSet());
    }

    @Override
    public void forget(TaskId id, Instant at) {
        steps.pass("forget");
        synchronized (rows) {
            Task row = rows.remove(id);
            Forgotten before = forgotten.get(id);
            String owner = row != null ? row.command().owner() : before == null ? null : before.owner();
            forgotten.put(id, new Forgotten(at, owner));
        }
    }

    @Override
    public Optional<Forgotten> forgotten(TaskId id) {
        synchronized (rows) {
            return Optional.ofNullable(forgotten.get(id));
        }
    }

    @Override
    public List<TaskId> forgotten(String beginning) {
        synchronized (rows) {
            return forgotten.keySet().stream()
                    .filter(id -> id.value().startsWith(beginning))
                    .sorted(Comparator.comparing(TaskId::value))
                    .toList();
        }
    }

    @Override
    public void sweepForgotten(Instant before, int most) {
        synchronized (rows) {
            forgotten.values().removeIf(known -> before.isAfter(known.at()));
            List<TaskId> newest = forgotten.entrySet().stream()
                    .sorted(Comparator.comparing((Map.Entry<TaskId, Forgotten> known) ->
                                    known.getValue().at())
                            .thenComparing(Map.Entry.comparingByKey())
                            .reversed())
                    .map(Map.Entry::getKey)
                    .limit(most)
                    .toList();
            forgotten.keySet().retainAll(newest);
        }
    }
}
