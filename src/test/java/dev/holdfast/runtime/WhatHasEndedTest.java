package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.LONG;
import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.sh;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.recovery.Recovery.Report;
import dev.holdfast.task.CommandAnswer;
import dev.holdfast.task.CommandAnswer.Completed;
import dev.holdfast.task.CommandAnswer.PromotedToTask;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start reads nothing of what has ended on record, and still owes it what was promised. */
class WhatHasEndedTest {
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
    void isNotLookedIntoByTheNextStart() throws Exception {
        TaskId task = endedTask("task");
        TaskId kept = keptAnswer("kept");
        TaskId running = promoted(runtime.startOnce("running", sh("serve", Duration.ZERO)));

        Report report = restart();

        assertThat(report).isEqualTo(new Report(1, 0, 0, 1, 0));
        assertThat(runtime.host.read).contains(running).doesNotContain(task, kept);
        assertThat(runtime.startOnce("task", sh("task", Duration.ZERO))).isInstanceOf(Completed.class);
        assertThat(runtime.startOnce("kept", sh("kept", LONG))).isInstanceOf(Completed.class);
        assertThat(promoted(runtime.startOnce("running", sh("serve", Duration.ZERO))))
                .isEqualTo(running);
    }

    @Test
    void isGovernedAgainWhereItsOutputIsHeld() throws Exception {
        runtime.outputs.held.add(promoted(runtime.startOnce("holding", sh("holding", Duration.ZERO))));
        TaskId holding = ended(runtime.host.next());
        TaskId quiet = endedTask("quiet");

        restart();

        assertThat(runtime.outputs.governed).containsKey(holding).doesNotContainKey(quiet);
        assertThat(runtime.host.read).doesNotContain(holding, quiet);
        runtime.outputs.held.clear();
        restart();
        restart();
        assertThat(runtime.outputs.governed).doesNotContainKey(holding);
    }

    /** Servers of before wrote neither keys nor marks beside the folders. */
    @Test
    void isLookedIntoOnceAfterAServerOfBefore() throws Exception {
        TaskId task = endedTask("task");
        TaskId kept = keptAnswer("kept");
        runtime.outputs.held.add(task);
        delete("keys");
        delete("leftovers");

        restart();

        assertThat(runtime.host.read).contains(task, kept);
        assertThat(runtime.outputs.governed).containsKey(task);
        assertThat(runtime.startOnce("task", sh("task", Duration.ZERO))).isInstanceOf(Completed.class);
        assertThat(runtime.startOnce("kept", sh("kept", LONG))).isInstanceOf(Completed.class);
        restart();
        assertThat(runtime.host.read).isEmpty();
        assertThat(runtime.outputs.governed).containsKey(task);
    }

    @Test
    void isForgottenLaterThoughOneOfManyCannotBe() throws Exception {
        TaskId first = endedTask("first");
        TaskId second = endedTask("second");
        TaskId kept = keptAnswer("kept");
        runtime.later = Duration.ofDays(8);
        runtime.steps.fail("facts");
        runtime.steps.fail("forget");

        runtime.retention.sweep();
        assertThat(runtime.host.ids()).containsAnyOf(first, second).hasSize(1);
        assertThat(runtime.host.ids()).doesNotContain(kept);

        runtime.retention.sweep();
        assertThat(runtime.host.ids()).isEmpty();
    }

    /** As by what left its group and was not found: it would write on where nobody holds it within its budget. */
    @Test
    void isNotForgottenWhileItsOutputIsHeld() throws Exception {
        var answer = inBackground(() -> runtime.startOnce("kept", sh("kept", LONG)));
        FakeCommand command = runtime.host.next();
        runtime.outputs.held.add(command.id());
        command.exits(0);
        assertThat(answer.get(20, SECONDS)).isInstanceOf(Completed.class);
        runtime.later = Duration.ofDays(8);

        runtime.retention.sweep();

        assertThat(runtime.host.ids()).containsExactly(command.id());
        assertThat(TaskFolder.of(dataDir, command.id()).forgotten()).exists();
    }

    /** A later server, or a look, would delete what was said to stand. */
    @Test
    void isNotMarkedWhereItCouldNotBeForgotten() throws Exception {
        TaskId holding = promoted(runtime.startOnce("holding", sh("holding", Duration.ZERO)));
        runtime.outputs.held.add(holding);
        ended(runtime.host.next());
        runtime.steps.fail("forget");

        assertThatThrownBy(() -> runtime.tasks.delete(holding)).hasMessageContaining("forget fails");

        assertThat(runtime.tasks.find(holding).id()).isEqualTo(holding);
        assertThat(TaskFolder.of(dataDir, holding).forgotten()).doesNotExist();
    }

    /** Else it would be shown as one that printed nothing. */
    @Test
    void isGoneWhereItsServerWasKilledInTheMidstOfForgettingIt() throws Exception {
        TaskId task = endedTask("task");
        TaskId other = endedTask("other");
        killedBeforeItsRowIsForgotten(task);
        assertThat(runtime.store.find(task)).isPresent();

        restart();

        assertThat(runtime.host.ids()).containsExactly(other);
        assertThat(runtime.store.ended()).containsExactly(other);
        assertThat(runtime.store.forgotten(task)).isPresent();
        restart();
        assertThat(runtime.store.ended()).containsExactly(other);
    }

    /** The disk may be full. */
    @Test
    void doesNotHoldUpAStartThatCannotForgetIt() throws Exception {
        TaskId task = endedTask("task");
        killedBeforeItsRowIsForgotten(task);
        runtime.steps.fail("forget");

        restart();
        assertThat(runtime.store.ended()).containsExactly(task);

        runtime.tasks.delete(task);
        assertThat(runtime.store.ended()).isEmpty();
    }

    private void killedBeforeItsRowIsForgotten(TaskId task) {
        Steps.Hold killed = runtime.steps.kill("forget", 2); // its folder's step is the first
        Thread.startVirtualThread(() -> runtime.tasks.delete(task));
        killed.awaitReached();
    }

    private Report restart() {
        runtime.outputs.governed.clear();
        runtime = runtime.restarted();
        runtime.host.read.clear();
        return runtime.recover();
    }

    private void delete(String folder) throws IOException {
        Path whole = dataDir.resolve(folder);
        try (var files = Files.list(whole)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(whole);
    }

    private TaskId endedTask(String key) throws Exception {
        promoted(runtime.startOnce(key, sh(key, Duration.ZERO)));
        return ended(runtime.host.next());
    }

    private TaskId ended(FakeCommand command) {
        command.exits(0);
        soon().until(() -> runtime.tasks.find(command.id()).status().ended());
        return command.id();
    }

    private TaskId keptAnswer(String key) throws Exception {
        var answer = inBackground(() -> runtime.startOnce(key, sh(key, LONG)));
        FakeCommand command = runtime.host.next();
        command.exits(0);
        assertThat(answer.get(20, SECONDS)).isInstanceOf(Completed.class);
        return command.id();
    }

    private static TaskId promoted(CommandAnswer answer) {
        return ((PromotedToTask) answer).task().id();
    }
}
