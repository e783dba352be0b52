package dev.holdfast.runtime;

import dev.holdfast.task.Task;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Tells whoever listens of each change of a task, after it is on record and outside every lock. Thread-safe. */
@ApplicationScoped
public class TaskChanges {
    private final List<Consumer<Task>> listeners = new CopyOnWriteArrayList<>();

    void publish(Task task) {
        listeners.forEach(listener -> listener.accept(task));
    }

    /** @param listener called on the thread that made the change: hand over, do not block */
    OutputStore.Watch listen(Consumer<Task> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
