package dev.holdfast.runtime;

import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.Task;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Tells whoever listens of each change of a task, after it is on record and outside every lock. Thread-safe. */
@ApplicationScoped
public class TaskChanges {
    private static final Logger LOG = Logger.getLogger(TaskChanges.class);

    private final List<Consumer<Task>> listeners = new CopyOnWriteArrayList<>();

    /** Who listens and fails keeps nobody else from being told, and no command from going on. */
    public void publish(Task task) {
        for (Consumer<Task> listener : listeners) {
            try {
                listener.accept(task);
            } catch (RuntimeException | Error failure) {
                LOG.errorf(failure, "Somebody was not told that %s is %s", task.id(), task.status());
            }
        }
    }

    /** @param listener called on the thread that made the change: hand over, do not block */
    public OutputStore.Watch listen(Consumer<Task> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
