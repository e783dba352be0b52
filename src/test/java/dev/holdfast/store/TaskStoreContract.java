package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.StaleTaskException;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskLifecycle;
import dev.holdfast.task.TaskStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What whoever keeps tasks must hold of each of them. The store is empty before each test. */
abstract class TaskStoreContract {
    abstract TaskStore store();

    @ParameterizedTest
    @MethodSource("dev.holdfast.store.SampleTasks#everyShape")
    void givesBackEveryFieldOfATask(Task task) {
        Task inserted = store().insert(task);

        assertThat(inserted.version()).isPositive();
        assertThat(inserted).isEqualTo(task.withVersion(inserted.version()));
        assertThat(store().find(task.id())).contains(inserted);
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.store.SampleTasks#everyShape")
    void savesEveryFieldOfATask(Task task) {
        Task plain = store().insert(SampleTasks.plain(task.id(), task.command().labels()));

        Task saved = store().save(task.withVersion(plain.version()));

        assertThat(saved).isEqualTo(task.withVersion(saved.version()));
        assertThat(store().find(task.id())).contains(saved);
    }

    @Test
    void hasNothingForAnIdItDoesNotKnow() {
        assertThat(store().find(SampleTasks.id())).isEmpty();
        store().forget(SampleTasks.id(), SampleTasks.NOW);
    }

    @Test
    void refusesASecondTaskOfTheSameId() {
        Task task = store().insert(SampleTasks.running("true"));

        assertThatThrownBy(() -> store().insert(task)).isNotInstanceOf(StaleTaskException.class);
        assertThat(store().find(task.id())).contains(task);
    }

    @Test
    void countsVersionsUp() {
        Task first = store().insert(SampleTasks.running("true"));
        Task second = store().save(TaskLifecycle.apply(first, new TaskEvent.StopRequested(), SampleTasks.NOW));
        Task third =
                store().save(TaskLifecycle.apply(second, new TaskEvent.Ended(SampleTasks.EXIT_0), SampleTasks.NOW));

        assertThat(List.of(second.version(), third.version()))
                .containsExactly(first.version() + 1, first.version() + 2);
        assertThat(third.status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void refusesToSaveOverAChangeThatWasNotSeen() {
        Task seen = store().insert(SampleTasks.running("true"));
        Task stopping = store().save(TaskLifecycle.apply(seen, new TaskEvent.StopRequested(), SampleTasks.NOW));

        Task ended = TaskLifecycle.apply(seen, new TaskEvent.Ended(SampleTasks.EXIT_0), SampleTasks.NOW);
        assertThatThrownBy(() -> store().save(ended)).isInstanceOf(StaleTaskException.class);
        assertThat(store().find(seen.id())).contains(stopping);
    }

    @Test
    void refusesToSaveATaskWithoutARow() {
        Task gone = store().insert(SampleTasks.running("true"));
        store().forget(gone.id(), SampleTasks.NOW);

        assertThatThrownBy(() -> store().save(gone)).isInstanceOf(StaleTaskException.class);
        assertThatThrownBy(() -> store().save(SampleTasks.running("true"))).isInstanceOf(StaleTaskException.class);
    }

    @Test
    void letsExactlyOneOfManySaversOfTheSameVersionWin() throws Exception {
        for (int round = 0; round < 20; round++) {
            Task seen = store().insert(SampleTasks.running("round " + round));
            List<Task> winners = atOnce(16, saver -> trySave(ended(seen, saver)));

            assertThat(winners).hasSize(1);
            assertThat(store().find(seen.id())).contains(winners.getFirst());
        }
    }

    @Test
    void takesManyTasksAtOnce() throws Exception {
        List<Task> inserted = atOnce(64, n -> Optional.of(insert(SampleTasks.running("n " + n))));

        assertThat(store().unfinished()).containsExactlyInAnyOrderElementsOf(inserted);
    }

    final Task insert(Task task) {
        return store().insert(task);
    }

    private Optional<Task> trySave(Task task) {
        try {
            return Optional.of(store().save(task));
        } catch (StaleTaskException e) {
            return Optional.empty(); // somebody else won
        }
    }

    private static Task ended(Task task, int status) {
        Ending ending = new Ending(EndedBy.EXIT, status, null, Map.of());
        return TaskLifecycle.apply(task, new TaskEvent.Ended(ending), SampleTasks.NOW.plus(Duration.ofSeconds(status)));
    }

    /** What {@code job} gives, run on that many threads at the same moment. */
    private static List<Task> atOnce(int threads, IntFunction<Optional<Task>> job) throws Exception {
        CountDownLatch together = new CountDownLatch(1);
        List<Future<Optional<Task>>> running = new ArrayList<>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                int number = i;
                running.add(pool.submit(() -> {
                    together.await();
                    return job.apply(number);
                }));
            }
            together.countDown();
        }
        List<Task> results = new ArrayList<>();
        for (Future<Optional<Task>> one : running) {
            one.get().ifPresent(results::add);
        }
        return results;
    }
}
