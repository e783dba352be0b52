package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.TaskStore;
import dev.holdfast.runtime.TaskStore.Page;
import dev.holdfast.runtime.TaskStore.Query;
import dev.holdfast.runtime.TaskStore.StaleTaskException;
import dev.holdfast.runtime.TaskStore.StatusFilter;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Ending;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskEvent;
import dev.holdfast.task.TaskId;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What whoever keeps tasks must hold. The store is empty before each test. */
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
        Task plain = store().insert(SampleTasks.plain(task.id()));

        Task saved = store().save(task.withVersion(plain.version()));

        assertThat(saved).isEqualTo(task.withVersion(saved.version()));
        assertThat(store().find(task.id())).contains(saved);
    }

    @Test
    void hasNothingForAnIdItDoesNotKnow() {
        assertThat(store().find(SampleTasks.id())).isEmpty();
        assertThat(store().delete(SampleTasks.id())).isFalse();
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
        store().delete(gone.id());

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

    @ParameterizedTest
    @EnumSource(TaskStatus.class)
    void findsTasksByStatus(TaskStatus status) {
        Task wanted = insert(SampleTasks.in(status));
        for (TaskStatus other : TaskStatus.values()) {
            if (other != status) {
                insert(SampleTasks.in(other));
            }
        }

        assertThat(list(new Query(StatusFilter.ALL, status, Map.of(), null, 100, null)))
                .containsExactly(wanted);
        List<Task> filtered = list(query(status.ended() ? StatusFilter.ENDED : StatusFilter.ACTIVE));
        assertThat(filtered).contains(wanted).allMatch(task -> task.status().ended() == status.ended());
    }

    @Test
    void tellsActiveFromEnded() {
        List<Task> all = Stream.of(TaskStatus.values())
                .map(status -> insert(SampleTasks.in(status)))
                .toList();

        List<Task> active = all.stream().filter(task -> !task.status().ended()).toList();
        assertThat(store().countActive()).isEqualTo(3);
        assertThat(store().unfinished()).containsExactlyElementsOf(active);
        assertThat(store().ended())
                .containsExactlyInAnyOrderElementsOf(all.stream()
                        .filter(task -> task.status().ended())
                        .map(Task::id)
                        .toList());
        assertThat(list(query(StatusFilter.ACTIVE))).containsExactlyElementsOf(active.reversed());
        assertThat(list(query(StatusFilter.ALL))).containsExactlyElementsOf(all.reversed());
    }

    @Test
    void handsOutEveryTaskOncePageByPageNewestFirst() {
        List<Task> newestFirst = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            newestFirst.addFirst(insert(SampleTasks.running("n " + i)));
        }
        List<Task> read = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        TaskId cursor = null;
        do {
            Page page = store().list(new Query(StatusFilter.ACTIVE, null, Map.of(), null, 3, cursor));
            read.addAll(page.tasks());
            sizes.add(page.tasks().size());
            cursor = page.next();
        } while (cursor != null);

        assertThat(read).containsExactlyElementsOf(newestFirst);
        assertThat(sizes).containsExactly(3, 3, 1);
    }

    @Test
    void saysThatNothingFollowsAPageThatHoldsTheLastTask() {
        insert(SampleTasks.running("a"));
        insert(SampleTasks.running("b"));

        Page page = store().list(new Query(StatusFilter.ACTIVE, null, Map.of(), null, 2, null));
        assertThat(page.tasks()).hasSize(2);
        assertThat(page.next()).isNull();
    }

    @Test
    void pagesThroughTasksWithLabelsWithoutCountingLabelsAsTasks() {
        Map<String, String> labels = Map.of("a", "1", "b", "2", "c", "3");
        List<Task> all = IntStream.range(0, 5)
                .mapToObj(i -> insert(SampleTasks.labelled(labels)))
                .toList();

        Page page = store().list(new Query(StatusFilter.ACTIVE, null, Map.of("b", "2"), null, 4, null));
        assertThat(page.tasks()).containsExactlyElementsOf(all.subList(1, 5).reversed());
        assertThat(page.next()).isEqualTo(all.get(1).id());
    }

    @Test
    void wantsEveryLabelToHold() {
        Task both = insert(SampleTasks.labelled(Map.of("team", "a", "kind", "server")));
        Task one = insert(SampleTasks.labelled(Map.of("team", "a")));
        insert(SampleTasks.labelled(Map.of("team", "b", "kind", "a")));
        insert(SampleTasks.labelled(Map.of("kind", "server", "other", "a")));

        assertThat(labelled(Map.of("team", "a"))).containsExactly(one, both);
        assertThat(labelled(Map.of("team", "a", "kind", "server"))).containsExactly(both);
        assertThat(labelled(Map.of("team", "A"))).isEmpty();
        assertThat(labelled(Map.of("team", "%"))).isEmpty();
    }

    @Test
    void findsTextInTheCommandWhateverItsCase() {
        Task server = insert(SampleTasks.running("npm run DEV -- --port 3000"));
        Task program = insert(SampleTasks.program(List.of("npm", "run", "dev")));
        insert(SampleTasks.running("make"));

        assertThat(searched("NPM run dev")).containsExactly(program, server);
        assertThat(searched("Straße")).isEmpty();
        Task german = insert(SampleTasks.running("echo STRAẞE Ünter"));
        assertThat(searched("üNTER")).containsExactly(german);
    }

    @Test
    void takesWildcardsInASearchAsThemselves() {
        Task percent = insert(SampleTasks.running("echo 100%"));
        Task underscore = insert(SampleTasks.running("echo a_b"));
        Task bang = insert(SampleTasks.running("echo a!b"));
        Task backslash = insert(SampleTasks.running("echo a\\b 'c'"));
        insert(SampleTasks.running("echo axb 1000"));

        assertThat(searched("0%")).containsExactly(percent);
        assertThat(searched("a_b")).containsExactly(underscore);
        assertThat(searched("a!b")).containsExactly(bang);
        assertThat(searched("a\\b")).containsExactly(backslash);
        assertThat(searched("'c'")).containsExactly(backslash);
    }

    @Test
    void forgetsATaskWithItsLabels() {
        Task task = insert(SampleTasks.labelled(Map.of("team", "a")));
        Task other = insert(SampleTasks.labelled(Map.of("team", "a")));

        assertThat(store().delete(task.id())).isTrue();
        assertThat(store().delete(task.id())).isFalse();
        assertThat(store().find(task.id())).isEmpty();
        assertThat(labelled(Map.of("team", "a"))).containsExactly(other);
    }

    private Task insert(Task task) {
        return store().insert(task);
    }

    private List<Task> list(Query query) {
        return store().list(query).tasks();
    }

    private static Query query(StatusFilter filter) {
        return new Query(filter, null, Map.of(), null, 100, null);
    }

    private List<Task> labelled(Map<String, String> labels) {
        return list(new Query(StatusFilter.ALL, null, labels, null, 100, null));
    }

    private List<Task> searched(String text) {
        return list(new Query(StatusFilter.ALL, null, Map.of(), text, 100, null));
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
