package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.inTerminal;
import static dev.holdfast.runtime.RuntimeFixture.request;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.LeftRunning;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.Exit;
import dev.holdfast.task.LeftProcess;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that ended in its window and left something running, and what may happen at the same moment. */
class LeftRunningTest {
    private static final List<LeftProcess> SLEEP =
            List.of(new LeftProcess(4711, "sleep", List.of("sleep", "300"), List.of()));

    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    @Test
    void isATaskThatHasEnded() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        command.exits(0);

        Completed completed = (Completed) answer.get(20, SECONDS);
        assertThat(completed.left()).isEqualTo(new LeftRunning(command.id(), SLEEP));
        Task row = runtime.store.find(command.id()).orElseThrow();
        assertThat(row.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(row.promotedAt()).isEqualTo(row.endedAt());
    }

    /** Perhaps it has left its group, but holds the output. */
    @Test
    void isLookedForWhereTheOutputIsHeld() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        command.outlived = false;
        runtime.outputs.held.add(command.id());
        command.exits(0);

        assertThat(((Completed) answer.get(20, SECONDS)).left()).isNotNull();
    }

    @Test
    void isNotLookedForWhereNothingTellsOfAny() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a", LONG));
        FakeCommand command = leaves(runtime.host.next());
        command.outlived = false;
        command.exits(0);

        assertThat(((Completed) answer.get(20, SECONDS)).left()).isNull();
        assertThat(runtime.store.find(command.id())).isEmpty();
    }

    @Test
    void whatEndedAtOnceIsNoTask() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a | b", LONG));
        FakeCommand command = runtime.host.next();
        command.outlived = true;
        command.exits(0);

        assertThat(((Completed) answer.get(20, SECONDS)).left()).isNull();
        assertThat(runtime.store.find(command.id())).isEmpty();
    }

    @Test
    void aLookThatFailsCostsNoAnswer() throws Exception {
        runtime.steps.fail("left");
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        leaves(runtime.host.next()).exits(3);

        Completed completed = (Completed) answer.get(20, SECONDS);
        assertThat(completed.ending().exitStatus()).isEqualTo(3);
        assertThat(completed.left()).isNull();
    }

    @Test
    void isToldAlsoWhereItsRowHasToWait() throws Exception {
        runtime.steps.fail("insert");
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        command.exits(0);

        assertThat(((Completed) answer.get(20, SECONDS)).left()).isNotNull();
        soon().until(() -> runtime.store
                .find(command.id())
                .filter(row -> row.status() == TaskStatus.COMPLETED)
                .isPresent());
    }

    /** Its end is heard of first. */
    @Test
    void isToldOnceWhenTheWindowClosesMeanwhile() throws Exception {
        Steps.Hold looking = runtime.steps.hold("left");
        YieldWhen printed = new YieldWhen(Pattern.compile("close"), null, null, false);
        CompletableFuture<CommandAnswer> answer =
                runtime.start(request("a &", DuplicatePolicy.REUSE_RUNNING, LONG, printed, null, null));
        FakeCommand command = leaves(runtime.host.next());
        command.exits(0);
        looking.awaitReached();
        runtime.outputs.write(command.id(), StreamName.STDOUT, "close");

        assertThat(answer.get(20, SECONDS)).isInstanceOf(PromotedToTask.class);
        looking.open();
        soon().until(() -> runtime.tasks.find(command.id()).status() == TaskStatus.COMPLETED);
        assertThat(runtime.control.stop(command.id(), LONG, false).leftovers()).containsExactly(4711L);
    }

    /** The stop goes on to end it. */
    @Test
    void isNotLookedForInTheMidstOfAStop() throws Exception {
        Steps.Hold stopping = runtime.steps.hold("stop");
        var batch = inBackground(() ->
                runtime.batches.run(new BatchRequest(List.of(sh("a &", Duration.ofMillis(20))), false)));
        FakeCommand command = leaves(runtime.host.next());
        stopping.awaitReached();
        command.exits(0);
        stopping.open();

        var item = batch.get(20, SECONDS).items().getFirst();
        assertThat(item.result()).isNotNull();
        assertThat(item.result().left()).isNull();
        assertThat(runtime.store.find(command.id())).isEmpty();
    }

    @Test
    void aStopEndsItOnce() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        command.exits(0);
        answer.get(20, SECONDS);

        TaskControl.StopOutcome first = runtime.control.stop(command.id(), LONG, false);
        assertThat(first.stopRequested()).isFalse();
        assertThat(first.leftovers()).containsExactly(4711L);
        assertThat(first.task().task()).isEqualTo(runtime.tasks.find(command.id()));
        assertThat(runtime.control.stop(command.id(), LONG, true).leftovers()).isEmpty();
    }

    /** A folder without a row would be a task again at the next start. */
    @Test
    void aFolderThatIsToGoIsTriedAgain() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        runtime.outputs.held.add(command.id());
        command.exits(0);
        answer.get(20, SECONDS);
        runtime.tasks.delete(command.id());
        runtime.outputs.held.clear();
        runtime.steps.fail("forget");

        runtime.leftovers.look(command.id());
        assertThat(runtime.host.ids()).containsExactly(command.id());
        runtime.leftovers.look(command.id());
        assertThat(runtime.host.ids()).isEmpty();
    }

    /** Looked at once a second at most, however often somebody asks, and not at all where nothing is left. */
    @Test
    void anEndedTaskTellsWhatItLeft() throws Exception {
        runtime.start(sh("a &", Duration.ZERO)).get(20, SECONDS);
        FakeCommand command = leaves(runtime.host.next());
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());

        assertThat(runtime.tasks.get(command.id()).left()).isEqualTo(SLEEP);
        runtime.steps.fail("left");
        assertThat(runtime.tasks.get(command.id()).left()).isEqualTo(SLEEP);
        runtime.control.stop(command.id(), LONG, false);
        assertThat(runtime.tasks.get(command.id()).left()).isEmpty();
    }

    /** Its output counts as held for a while longer, and what was last seen is told for a second. */
    @Test
    void whatAPollSawInTheMidstOfAStopIsNotToldAfterIt() throws Exception {
        FakeCommand command = endedTaskWhoseOutputIsHeld();
        Steps.Hold ending = runtime.steps.hold("endStrays");
        var stop = inBackground(() -> runtime.control.stop(command.id(), LONG, false));
        ending.awaitReached();
        assertThat(runtime.tasks.get(command.id()).left()).isEqualTo(SLEEP);
        ending.open();

        stop.get(20, SECONDS);
        assertThat(runtime.tasks.get(command.id()).left()).isEmpty();
    }

    /** Also where something holds the output of what was forgotten, and whenever that ends. */
    @Test
    void isNoTaskAgainOnceItIsForgotten() throws Exception {
        CompletableFuture<CommandAnswer> answer = runtime.start(sh("a &", LONG));
        FakeCommand command = leaves(runtime.host.next());
        runtime.outputs.held.add(command.id());
        command.exits(0);
        answer.get(20, SECONDS);
        runtime.tasks.delete(command.id());

        restart();
        assertThat(runtime.store.find(command.id())).isEmpty();
        assertThat(runtime.outputs.governed).containsKey(command.id());
        assertThat(runtime.host.ids()).containsExactly(command.id());
        runtime.steps.fail("forget");
        runtime.outputs.held.clear();
        restart();
        runtime.leftovers.look(command.id());

        assertThat(runtime.host.ids()).isEmpty();
        restart();
        assertThat(runtime.store.find(command.id())).isEmpty();
    }

    /** Nor where its server was killed when its folder was marked and its row stood. */
    @Test
    void goesWithItsRowWhereItsServerWasKilledInBetween() throws Exception {
        FakeCommand command = endedTaskWhoseOutputIsHeld();
        Steps.Hold killed = runtime.steps.kill("forget", 1);
        Thread.startVirtualThread(() -> runtime.tasks.delete(command.id()));
        killed.awaitReached();
        runtime.outputs.held.clear();

        restart();

        assertThat(runtime.host.ids()).isEmpty();
        assertThat(runtime.store.find(command.id())).isEmpty();
    }

    /** Whatever is to become of it else: so it is where a server sees the keeper die. */
    @Test
    void isEndedWithACommandThatHadLostItsTerminalWhileNoServerRan() throws Exception {
        for (Exit end : List.of(new Exit.Unseen(false), new Exit.Code(0))) {
            runtime.start(inTerminal("a &" + end)).get(20, SECONDS);
            FakeCommand command = leaves(runtime.host.next());
            runtime = runtime.restarted();
            command.exit().complete(end);
            runtime.recover();

            assertThat(runtime.host.left.containsKey(command.id()))
                    .as("%s is left after %s", SLEEP, end)
                    .isEqualTo(end instanceof Exit.Code);
        }
    }

    private FakeCommand endedTaskWhoseOutputIsHeld() throws Exception {
        runtime.start(sh("a &", Duration.ZERO)).get(20, SECONDS);
        FakeCommand command = leaves(runtime.host.next());
        runtime.outputs.held.add(command.id());
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        return command;
    }

    private void restart() {
        runtime = runtime.restarted();
        runtime.recover();
    }

    private FakeCommand leaves(FakeCommand command) {
        command.outlived = true;
        runtime.host.left.put(command.id(), SLEEP);
        return command;
    }
}
