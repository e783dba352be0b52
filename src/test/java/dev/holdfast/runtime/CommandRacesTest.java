package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.AlreadyRunning;
import dev.holdfast.task.CommandAnswer.AwaitingApproval;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import dev.holdfast.task.TerminalSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two things at the same moment, as {@code RacesIT} has them with processes. */
class CommandRacesTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private RuntimeFixture runtime;

    @BeforeEach
    void open() {
        runtime = new RuntimeFixture(dataDir);
    }

    /** Whichever of the two comes first, it is one command with one answer, and whole. */
    @RepeatedTest(100)
    void anExitAtTheCloseOfTheWindowIsReportedOnce() throws Exception {
        var answer = runtime.start(sh("a", Duration.ofMillis(2)));
        FakeCommand command = runtime.host.next();
        runtime.outputs.write(command.id(), StreamName.STDOUT, "whole");
        // Neither earlier nor later than the window, as near as a thread can be started to it.
        CompletableFuture.delayedExecutor(2, java.util.concurrent.TimeUnit.MILLISECONDS)
                .execute(() -> command.exits(3));

        switch (answer.get(20, SECONDS)) {
            case Completed completed -> {
                assertThat(completed.ending().exitStatus()).isEqualTo(3);
                assertThat(completed.preview().stdout()).isEqualTo("whole");
                assertThat(rows()).isEmpty();
            }
            case PromotedToTask promoted -> {
                soon().until(() -> runtime.tasks.find(command.id()).status().ended());
                assertThat(rows()).singleElement().satisfies(row -> {
                    assertThat(row.id()).isEqualTo(promoted.task().id());
                    assertThat(row.status()).isEqualTo(TaskStatus.FAILED);
                });
            }
            case AlreadyRunning other -> throw new AssertionError(other);
            case AwaitingApproval other -> throw new AssertionError(other);
        }
        soon().untilAsserted(() -> assertThat(runtime.live.all()).isEmpty());
    }

    /** What it changes is what stands when it is its turn. */
    @Test
    void aResizeUndoesNoStop() throws Exception {
        StartRequest terminal = RuntimeFixture.inTerminal("a");
        runtime.start(terminal).get(20, SECONDS);
        FakeCommand command = runtime.host.next();
        command.immortal = true;
        Steps.Hold saves = runtime.steps.hold("save");
        var stop = inBackground(() -> runtime.control.stop(command.id(), Duration.ZERO, true));
        saves.awaitReached();
        CompletableFuture<Object> resized = new CompletableFuture<>();
        Thread resize = Thread.ofPlatform()
                .start(() -> resized.complete(runtime.control.resize(command.id(), new TerminalSize(99, 33))));
        soon().until(() -> resize.getState() == Thread.State.BLOCKED);
        saves.open();

        resized.get(20, SECONDS);
        stop.get(20, SECONDS);
        Task task = runtime.tasks.find(command.id());
        assertThat(task.status()).isEqualTo(TaskStatus.CANCELLING);
        assertThat(task.command().terminal()).isEqualTo(new TerminalSize(99, 33));
    }

    /** It may have ended before anybody looks after it. */
    @RepeatedTest(100)
    void nobodyLooksAfterTheOutputOfWhatHasEnded() throws Exception {
        var answer = runtime.start(sh("a", LONG));
        runtime.host.next().exits(0);

        assertThat(answer.get(20, SECONDS)).isInstanceOf(Completed.class);
        assertThat(runtime.outputs.governed).isEmpty();
    }

    /** It runs since it was spawned, however late a busy server comes to write that down. */
    @Test
    void whatIsLookedAtLateHasRunSinceItWasSpawned() throws Exception {
        Steps.Hold spawned = runtime.steps.hold("hostWatch");
        var answer = runtime.start(sh("a", LONG));
        spawned.awaitReached();
        runtime.later = Duration.ofMinutes(1);
        spawned.open();
        runtime.host.next().exits(0);

        Completed completed = (Completed) answer.get(20, SECONDS);
        assertThat(completed.duration()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
    }

    /** The insert is under way when the command ends: the end waits for it, and the row has it. */
    @Test
    void anExitDuringThePromotionIsInTheRow() throws Exception {
        Steps.Hold inserting = runtime.steps.hold("insert");
        var answer = runtime.start(sh("a", Duration.ofMillis(1)));
        FakeCommand command = runtime.host.next();
        inserting.awaitReached();
        command.exits(3);
        inserting.open();

        assertThat(answer.get(20, SECONDS)).isInstanceOf(PromotedToTask.class);
        soon().untilAsserted(() -> assertThat(rows()).extracting(Task::status).containsExactly(TaskStatus.FAILED));
    }

    /** The end is being recorded when the window closes: it is an end, and no row is written. */
    @Test
    void aWindowThatClosesOnAnEndReportsTheEnd() throws Exception {
        Steps.Hold ending = runtime.steps.hold("endingDetails");
        var answer = runtime.start(sh("a", LONG));
        runtime.host.next().exits(3);
        ending.awaitReached();
        assertThat(answer).isNotDone();
        ending.open();

        assertThat(answer.get(20, SECONDS)).isInstanceOf(Completed.class);
        assertThat(rows()).isEmpty();
    }

    @RepeatedTest(20)
    void ofManyIdenticalRequestsExactlyOneStarts() throws Exception {
        List<CompletableFuture<CommandAnswer>> answers = startMany(64, LONG);
        FakeCommand command = runtime.host.next();
        soon().until(() -> answers.stream().filter(CompletableFuture::isDone).count() == 63);
        command.exits(0);

        List<CommandAnswer> all = new ArrayList<>();
        for (CompletableFuture<CommandAnswer> answer : answers) {
            all.add(answer.get(20, SECONDS));
        }
        assertThat(all)
                .filteredOn(AlreadyRunning.class::isInstance)
                .hasSize(63)
                .allSatisfy(answer ->
                        assertThat(((AlreadyRunning) answer).task().id()).isEqualTo(command.id()));
        assertThat(runtime.host.waiting()).isZero();
    }

    /** Whoever found the claim taken by a start that fails tries himself; one of them gets it. */
    @Test
    void aStartThatFailsLeavesTheClaimToOneOfThoseThatWait() throws Exception {
        Steps.Hold spawning = runtime.steps.hold("spawn");
        List<CompletableFuture<CommandAnswer>> answers = startMany(1, Duration.ZERO);
        spawning.awaitReached();
        answers.addAll(startMany(8, Duration.ZERO));
        spawning.fail();

        TaskId started = runtime.host.next().id();
        int told = 0;
        for (CompletableFuture<CommandAnswer> answer : answers.subList(1, 9)) {
            told += answer.get(20, SECONDS) instanceof AlreadyRunning running
                            && running.task().id().equals(started)
                    ? 1
                    : 0;
        }
        assertThat(told).isEqualTo(7);
        assertThat(answers.getFirst()).failsWithin(20, SECONDS).withThrowableOfType(ExecutionException.class);
        assertThat(runtime.host.waiting()).isZero();
    }

    /** A full house: exactly as many run as may, and a place is free as soon as one has ended. */
    @RepeatedTest(20)
    void noMoreRunThanMay() throws Exception {
        List<CompletableFuture<CommandAnswer>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            answers.add(runtime.start(sh("different " + i, Duration.ZERO)));
        }
        int refused = 0;
        for (CompletableFuture<CommandAnswer> answer : answers) {
            refused += answer.handle((_, failure) -> failure == null ? 0 : 1).get(20, SECONDS);
        }
        assertThat(refused).isEqualTo(12);
        runtime.host.next().exits(0);
        soon().untilAsserted(() -> assertThat(runtime.live.all()).hasSize(3));
        assertThat(runtime.start(sh("another", Duration.ZERO)).get(20, SECONDS)).isInstanceOf(PromotedToTask.class);
    }

    /** Values of an environment are in memory until the spawn, which gets them, and no longer. */
    @Test
    void anEnvironmentGoesWithTheSpawn() throws Exception {
        runtime.start(sh("a", Duration.ZERO)).get(20, SECONDS);
        FakeCommand command = runtime.host.next();

        assertThat(command.launch().environment()).containsEntry("TERM", "dumb");
        LiveCommand live = runtime.live.find(command.id()).orElseThrow();
        assertThat(live.launch().environment()).isEmpty();
        assertThat(live.launch().duplicateKey()).isEqualTo(command.launch().duplicateKey());
    }

    private List<CompletableFuture<CommandAnswer>> startMany(int count, Duration yieldTime) {
        List<CompletableFuture<CommandAnswer>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(runtime.start(sh("a", yieldTime)));
        }
        return answers;
    }

    private List<Task> rows() {
        return runtime.store
                .list(TaskStore.Query.newest(TaskStore.StatusFilter.ALL, 100, null))
                .tasks();
    }
}
