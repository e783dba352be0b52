package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.request;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.start.BatchAnswer.Item;
import dev.holdfast.runtime.start.BatchAnswer.Status;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.EndedBy;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stops: two at once, of items of a batch, and of what does not end. */
class StopsTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @Test
    void twoStopsAtOnceAnswerTheSame() throws Exception {
        TaskId id = task("a");
        Steps.Hold stopping = runtime.steps.hold("stop");
        var first = inBackground(() -> runtime.control.stop(id, LONG, false));
        stopping.awaitReached();
        var second = inBackground(() -> runtime.control.stop(id, SHORT, true));
        Task seconds = second.get(20, SECONDS).task().task();
        stopping.open();
        Task firsts = first.get(20, SECONDS).task().task();

        assertThat(firsts).isEqualTo(seconds);
        assertThat(firsts.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(firsts.ending().endedBy()).isEqualTo(EndedBy.STOP);
        assertThat(runtime.store.find(id)).contains(firsts);
    }

    @Test
    void aCommandThatIsBeingStoppedIsNobodysDuplicate() throws Exception {
        TaskId id = task("a");
        Steps.Hold stopping = runtime.steps.hold("stop");
        var stop = inBackground(() -> runtime.control.stop(id, LONG, false));
        stopping.awaitReached();

        assertThat(task("a")).isNotEqualTo(id);
        stopping.open();
        assertThat(stop.get(20, SECONDS).survivors()).isEmpty();
    }

    @Test
    void aCommandThatItsLimitEndsIsNobodysDuplicate() throws Exception {
        TaskId id = task("a");
        LiveCommand command = runtime.live.find(id).orElseThrow();
        Steps.Hold stopping = runtime.steps.hold("stop");
        var end = inBackground(() -> {
            runtime.endings.stopAt(EndedBy.TIMEOUT, command, LONG);
            return true;
        });
        stopping.awaitReached();

        TaskId second = task("a");
        assertThat(second).isNotEqualTo(id);
        stopping.open();
        end.get(20, SECONDS);
        assertThat(runtime.claims.holder(command.launch().duplicateKey())).contains(second);
    }

    /** It would be given to somebody whom its batch knows nothing of, and stopped at the end of its window. */
    @Test
    void anItemIsNobodysDuplicate() throws Exception {
        var batch = inBackground(() -> runtime.batches.run(items(sh("a", LONG))));
        FakeCommand item = runtime.host.next();

        TaskId own = task("a");
        assertThat(own).isNotEqualTo(item.id());
        assertThat(runtime.host.next().id()).isEqualTo(own);
        var second = inBackground(() -> runtime.batches.run(items(sh("a", LONG))));
        FakeCommand another = runtime.host.next();
        assertThat(another.id()).isNotIn(own, item.id());
        item.exits(0);
        another.exits(0);
        assertThat(batch.get(20, SECONDS).count(Status.FAILED)).isZero();
        assertThat(second.get(20, SECONDS).count(Status.FAILED)).isZero();
    }

    /** Its window ends it there too. */
    @Test
    void anItemOfAFormerServerIsNobodysDuplicate() throws Exception {
        var _ = inBackground(() -> runtime.batches.run(items(sh("a", LONG))));
        FakeCommand item = runtime.host.next();
        runtime.live.find(item.id()).orElseThrow().hosted().get(20, SECONDS);
        runtime = runtime.restarted();
        runtime.recover();

        assertThat(runtime.live.find(item.id())).isPresent();
        assertThat(task("a")).isNotEqualTo(item.id());
    }

    /** In a system call that does not return, for one: it is a task from then on, and the batch goes on. */
    @Test
    void anItemThatSurvivesItsStopBecomesATask() throws Exception {
        Steps.Hold stopping = runtime.steps.hold("stop");
        var batch = inBackground(() -> runtime.batches.run(items(sh("a", SHORT), sh("b", LONG))));
        FakeCommand survivor = runtime.host.next();
        survivor.immortal = true;
        stopping.open();
        runtime.host.next().exits(0);

        List<Item> items = batch.get(20, SECONDS).items();
        assertThat(items).extracting(Item::status).containsExactly(Status.FAILED, Status.COMPLETED);
        assertThat(items.getFirst().errorMessage()).contains(survivor.id().value());
        assertThat(items.getFirst().result()).isNull();
        assertThat(runtime.store.find(survivor.id())).map(Task::status).contains(TaskStatus.CANCELLING);
        survivor.exits(0);
        soon().untilAsserted(() ->
                assertThat(runtime.store.find(survivor.id())).map(Task::status).contains(TaskStatus.CANCELLED));
    }

    @Test
    void anItemWhoseStopFailsBecomesATask() throws Exception {
        runtime.steps.fail("stop");
        var batch = inBackground(() -> runtime.batches.run(items(sh("a", SHORT))));
        TaskId item = runtime.host.next().id();

        assertThat(batch.get(20, SECONDS).items())
                .singleElement()
                .satisfies(failed -> assertThat(failed.errorMessage()).contains(item.value()));
        assertThat(runtime.store.find(item)).isPresent();
    }

    /** Whatever it was given when its server died: what is left of that, and nothing more. */
    @Test
    void theNextServerGoesOnWithTheGrace() throws Exception {
        TaskId id = task("a");
        FakeCommand command = runtime.host.next();
        Steps.Hold stopping = runtime.steps.hold("stop");
        var _ = inBackground(() -> runtime.control.stop(id, LONG, false));
        stopping.awaitReached();
        Files.createFile(TaskFolder.of(runtime.dataDir, id).asked());
        Steps.Hold again = runtime.steps.hold("stop");
        restart(Duration.ofSeconds(40));
        again.awaitReached();
        Steps.Hold late = runtime.steps.hold("stop");
        restart(Duration.ofMinutes(2));
        late.awaitReached();

        assertThat(command.stops).hasSize(3);
        assertThat(command.stops.get(1)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
        assertThat(command.stops.get(2)).isZero();
        List.of(stopping, again, late).forEach(Steps.Hold::open);
    }

    /** Its server died between the record and TERM, and was away for longer than the grace. */
    @Test
    void whoHasNotHeardOfAStopHasAllOfItsGrace() throws Exception {
        TaskId id = task("a");
        FakeCommand command = runtime.host.next();
        Steps.Hold stopping = runtime.steps.hold("stop");
        var _ = inBackground(() -> runtime.control.stop(id, LONG, false));
        stopping.awaitReached();
        Steps.Hold again = runtime.steps.hold("stop");
        restart(Duration.ofMinutes(2));
        again.awaitReached();

        assertThat(command.stops.getLast()).isBetween(LONG.minusSeconds(10), LONG);
        List.of(stopping, again).forEach(Steps.Hold::open);
    }

    /** As for the stop that goes on. */
    @Test
    void aShorterGraceIsOnRecordAndALongerOneIsNot() throws Exception {
        TaskId id = task("a");
        FakeCommand command = runtime.host.next();
        List<Steps.Hold> holds = new ArrayList<>();
        for (Duration grace : List.of(LONG, Duration.ofSeconds(20), LONG)) {
            holds.add(runtime.steps.hold("stop"));
            var _ = inBackground(() -> runtime.control.stop(id, grace, false));
            holds.getLast().awaitReached();
        }
        holds.add(runtime.steps.hold("stop"));
        restart(Duration.ZERO);
        holds.getLast().awaitReached();

        assertThat(command.stops.getLast()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
        holds.forEach(Steps.Hold::open);
    }

    private void restart(Duration later) {
        runtime = runtime.restarted();
        runtime.later = later;
        runtime.recover();
    }

    /** However long the end takes that a stop waits for: who waits for it elsewhere still gets it. */
    @Test
    void aWaitThatGivesUpSpoilsNoOthers() {
        LiveCommand command = runtime.live.find(task("a")).orElseThrow();
        assertThat(command.awaitEnd(Duration.ofMillis(1))).isEmpty();

        runtime.host.next().exits(0);

        assertThat(command.awaitEnd(LONG)).contains(command.task());
        assertThat(command.ended()).isCompletedWithValue(command.task());
    }

    private TaskId task(String cmd) {
        var request = request(cmd, DuplicatePolicy.REUSE_RUNNING, Duration.ZERO, YieldWhen.NONE, null, null);
        return ((PromotedToTask) runtime.commands.start(request, null)).task().id();
    }

    private static BatchRequest items(StartRequest... items) {
        return new BatchRequest(List.of(items), false);
    }
}
