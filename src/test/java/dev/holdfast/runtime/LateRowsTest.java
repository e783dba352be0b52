package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.recovery.Recovery.Report;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.port.TaskStore.StatusFilter;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start while the database cannot be written: all is known as it is, and its row follows when it can. */
class LateRowsTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
        runtime.recover();
    }

    @Test
    void whatRunsInAWindowThatClosedIsNotStartedAgain() {
        FakeCommand command = inWindow();
        Steps.Hold later = atOnceAndThen("insert");

        assertThat(restart()).isEqualTo(new Report(1, 0, 0, 0, 0));

        assertThat(runtime.tasks.find(command.id()).status()).isEqualTo(TaskStatus.RUNNING);
        assertThat(runtime.startOnce("key", sh("it", LONG)))
                .isInstanceOfSatisfying(
                        PromotedToTask.class,
                        same -> assertThat(same.task().id()).isEqualTo(command.id()));
        assertThat(runtime.startOnce("another", sh("it", LONG))).isInstanceOf(AlreadyRunning.class);
        assertThat(runtime.host.waiting()).isZero();
        later.open();
        soon().until(() -> runtime.store.find(command.id()).isPresent());
    }

    @Test
    void whatEndedInAWindowThatClosedHasEnded() {
        FakeCommand command = inWindow();
        Steps.Hold later = atOnceAndThen("insert");
        runtime = runtime.restarted();
        command.exits(7);

        assertThat(runtime.recover()).isEqualTo(new Report(0, 1, 0, 0, 0));

        assertThat(runtime.tasks.find(command.id()).status()).isEqualTo(TaskStatus.FAILED);
        assertThat(runtime.startOnce("key", sh("it", LONG)))
                .isInstanceOfSatisfying(
                        Completed.class,
                        same -> assertThat(same.ending().exitStatus()).isEqualTo(7));
        later.open();
        assertOnRecord(command.id(), TaskStatus.FAILED);
    }

    @Test
    void aTaskThatEndedHasEnded() {
        FakeCommand command = task("it");
        Steps.Hold later = atOnceAndThen("save");
        runtime = runtime.restarted();
        command.exits(7);

        assertThat(runtime.recover()).isEqualTo(new Report(0, 1, 0, 0, 0));

        assertThat(runtime.tasks.find(command.id()).status()).isEqualTo(TaskStatus.FAILED);
        later.open();
        assertOnRecord(command.id(), TaskStatus.FAILED);
    }

    @Test
    void aTaskWithoutAFolderDoesNotHoldUpTheStart() {
        TaskId id = task("it").id();
        Steps.Hold later = atOnceAndThen("save");
        runtime = runtime.restarted();
        runtime.host.forget(id);

        assertThat(runtime.recover()).isEqualTo(new Report(0, 0, 1, 0, 0));

        assertThat(runtime.tasks.find(id).status()).isEqualTo(TaskStatus.INTERRUPTED);
        later.open();
        assertOnRecord(id, TaskStatus.INTERRUPTED);
    }

    @Test
    void areListedAsWhatTheyAre() {
        TaskId first = task("first").id();
        FakeCommand ended = task("ended");
        Steps.Hold saving = atOnceAndThen("save");
        ended.exits(0);
        soon().until(() -> runtime.tasks.find(ended.id()).status().ended());
        TaskId late = task("late").id();

        assertThat(listed(StatusFilter.ACTIVE, 10)).containsExactly(late, first);
        assertThat(listed(StatusFilter.ENDED, 10)).containsExactly(ended.id());
        assertThat(listed(StatusFilter.ALL, 10)).containsExactly(late, ended.id(), first);
        assertThat(listed(StatusFilter.ALL, 1)).containsExactly(late, ended.id(), first);
        assertThat(listed(StatusFilter.ALL, 2)).containsExactly(late, ended.id(), first);
        assertThat(active()).isEqualTo(2);
        runtime.actor = new Actor("another", Role.AGENT, Map.of(), Mode.OPEN, null);
        assertThat(listed(StatusFilter.ALL, 10)).isEmpty();
        assertThat(active()).isZero();
        runtime.actor = Actor.OPERATOR;
        saving.open();
        soon().until(() -> runtime.store.find(late).isPresent());
        assertOnRecord(ended.id(), TaskStatus.COMPLETED);
        assertThat(listed(StatusFilter.ALL, 2)).containsExactly(late, ended.id(), first);
        assertThat(active()).isEqualTo(2);
    }

    /** By pages of so many. */
    private List<TaskId> listed(StatusFilter filter, int limit) {
        List<TaskId> ids = new ArrayList<>();
        TaskId before = null;
        do {
            Tasks.Listing page = runtime.tasks.list(TaskStore.Query.newest(filter, limit, before), false);
            assertThat(page.tasks()).hasSizeLessThanOrEqualTo(limit);
            page.tasks().forEach(view -> ids.add(view.task().id()));
            before = page.next();
        } while (before != null);
        return ids;
    }

    private long active() {
        return runtime.tasks
                .list(TaskStore.Query.newest(StatusFilter.ALL, 1, null), false)
                .totalActive();
    }

    /** The step fails when it is first come to, and waits the next time. */
    private Steps.Hold atOnceAndThen(String step) {
        runtime.steps.fail(step);
        return runtime.steps.hold(step);
    }

    private void assertOnRecord(TaskId id, TaskStatus status) {
        soon().until(() -> runtime.store.find(id).map(Task::status).equals(Optional.of(status)));
        soon().until(() -> runtime.live.find(id).isEmpty());
    }

    private Report restart() {
        runtime = runtime.restarted();
        return runtime.recover();
    }

    private FakeCommand inWindow() {
        var _ = inBackground(() -> runtime.startOnce("key", sh("it", LONG)));
        return runtime.host.next();
    }

    private FakeCommand task(String cmd) {
        runtime.startOnce(cmd, sh(cmd, Duration.ZERO));
        return runtime.host.next();
    }
}
