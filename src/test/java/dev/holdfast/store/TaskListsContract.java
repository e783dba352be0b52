package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.Page;
import dev.holdfast.runtime.port.TaskStore.Query;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How whoever keeps tasks must find them: by status, label and text, page by page. */
abstract class TaskListsContract extends TaskStoreContract {
    @ParameterizedTest
    @EnumSource(TaskStatus.class)
    void findsTasksByStatus(TaskStatus status) {
        Task wanted = insert(SampleTasks.in(status));
        for (TaskStatus other : TaskStatus.values()) {
            if (other != status) {
                insert(SampleTasks.in(other));
            }
        }

        assertThat(list(new Query(StatusFilter.ALL, status, Map.of(), null, 100, null, null, null)))
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
        assertThat(store().countActive(null)).isEqualTo(3);
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
            Page page = store().list(Query.newest(StatusFilter.ACTIVE, 3, cursor));
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

        Page page = store().list(Query.newest(StatusFilter.ACTIVE, 2, null));
        assertThat(page.tasks()).hasSize(2);
        assertThat(page.next()).isNull();
    }

    @Test
    void pagesThroughTasksWithLabelsWithoutCountingLabelsAsTasks() {
        Map<String, String> labels = Map.of("a", "1", "b", "2", "c", "3");
        List<Task> all = IntStream.range(0, 5)
                .mapToObj(i -> insert(SampleTasks.labelled(labels)))
                .toList();

        Page page = store().list(new Query(StatusFilter.ACTIVE, null, Map.of("b", "2"), null, 4, null, null, null));
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
    void findsTextInAVeryLongCommand() {
        Task program =
                insert(SampleTasks.program(List.of("echo", "x".repeat(250_000), "Needle", "y".repeat(1_100_000))));
        insert(SampleTasks.running("echo needles"));

        assertThat(searched("x needle")).containsExactly(program);
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
    void findsWhatEndedSinceAMoment() {
        Instant moment = SampleTasks.NOW;
        Task late = insert(SampleTasks.endedAt(moment.plusNanos(1), "npm test", Map.of("team", "a")));
        insert(SampleTasks.endedAt(moment, "npm test", Map.of("team", "a")));
        insert(SampleTasks.endedAt(moment.minusSeconds(1), "npm test", Map.of("team", "a")));
        insert(SampleTasks.in(TaskStatus.RUNNING));
        Task later = insert(SampleTasks.endedAt(moment.plusSeconds(1), "make", Map.of()));

        assertThat(list(ended(StatusFilter.ENDED, Map.of(), null, moment))).containsExactly(later, late);
        assertThat(list(ended(StatusFilter.ALL, Map.of(), null, moment))).containsExactly(later, late);
        assertThat(list(ended(StatusFilter.ALL, Map.of("team", "a"), null, moment)))
                .containsExactly(late);
        assertThat(list(ended(StatusFilter.ENDED, Map.of(), "NPM", moment))).containsExactly(late);
        assertThat(list(ended(StatusFilter.ENDED, Map.of(), null, moment.plusSeconds(1))))
                .isEmpty();
    }

    private static Query ended(StatusFilter filter, Map<String, String> labels, @Nullable String text, Instant after) {
        return new Query(filter, null, labels, text, 100, null, after, null);
    }

    @Test
    void knowsForAWhileWhatItForgot() {
        Instant now = SampleTasks.NOW;
        List<TaskId> ids = IntStream.range(0, 4)
                .mapToObj(i -> insert(SampleTasks.running("a")).id())
                .toList();
        for (int i = 0; i < 4; i++) {
            store().forget(ids.get(i), now.plusSeconds(i));
        }
        store().forget(ids.get(3), now.plusSeconds(9));
        assertThat(store().forgotten(ids.get(1))).contains(new TaskStore.Forgotten(now.plusSeconds(1), null));
        assertThat(store().forgotten(ids.get(3))).contains(new TaskStore.Forgotten(now.plusSeconds(9), null));
        assertThat(store().forgotten(SampleTasks.id())).isEmpty();
        String first = ids.getFirst().value();
        assertThat(store().forgotten(first)).containsExactly(ids.getFirst());
        assertThat(store().forgotten(first.substring(0, first.length() - 8))).contains(ids.getFirst());
        assertThat(store().forgotten("task_8")).isEmpty();

        store().sweepForgotten(now.plusSeconds(1), 100);
        assertThat(ids.stream().filter(id -> store().forgotten(id).isPresent()))
                .containsExactlyElementsOf(ids.subList(1, 4));
        store().sweepForgotten(now, 2);
        assertThat(ids.stream().filter(id -> store().forgotten(id).isPresent()))
                .containsExactlyElementsOf(ids.subList(2, 4));
    }

    @Test
    void anOwnersWorldIsItsOwn() {
        Task plain = insert(SampleTasks.running("a"));
        Task own = insert(SampleTasks.owned("ci", "a"));
        Task others = insert(SampleTasks.owned("CI", "a"));
        for (StatusFilter filter : List.of(StatusFilter.ACTIVE, StatusFilter.ALL)) {
            assertThat(list(query(filter).of("ci"))).containsExactly(own);
            assertThat(list(query(filter).of("nobody"))).isEmpty();
            assertThat(list(query(filter))).containsExactly(others, own, plain);
        }
        assertThat(store().countActive("ci")).isEqualTo(1);
        assertThat(store().countActive(null)).isEqualTo(3);

        store().forget(own.id(), SampleTasks.NOW);
        store().forget(own.id(), SampleTasks.NOW);
        assertThat(store().forgotten(own.id())).contains(new TaskStore.Forgotten(SampleTasks.NOW, "ci"));
    }

    @Test
    void forgetsATaskWithItsLabels() {
        Task task = insert(SampleTasks.labelled(Map.of("team", "a")));
        Task other = insert(SampleTasks.labelled(Map.of("team", "a")));

        store().forget(task.id(), SampleTasks.NOW);
        store().forget(task.id(), SampleTasks.NOW);
        assertThat(store().find(task.id())).isEmpty();
        assertThat(labelled(Map.of("team", "a"))).containsExactly(other);
    }

    private List<Task> list(Query query) {
        return store().list(query).tasks();
    }

    private static Query query(StatusFilter filter) {
        return Query.newest(filter, 100, null);
    }

    private List<Task> labelled(Map<String, String> labels) {
        return list(new Query(StatusFilter.ALL, null, labels, null, 100, null, null, null));
    }

    private List<Task> searched(String text) {
        return list(new Query(StatusFilter.ALL, null, Map.of(), text, 100, null, null, null));
    }
}
