package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.inBackground;
import static dev.holdfast.runtime.RuntimeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.wait.WaitAnswer;
import dev.holdfast.runtime.wait.WaitRequest;
import dev.holdfast.runtime.wait.WaitRequest.Condition;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits: what comes true when, what can't any more, and what is left of a wait. */
class WaitsTest extends WaitsFixture {
    @Test
    void theFirstOfTwoEnds() throws Exception {
        var answer = any(of(one, END), of(other, END));
        awaitWaiting(2);
        other.exits(3);

        WaitAnswer told = told(answer);
        assertThat(told.satisfied()).containsExactly(1);
        assertThat(told.impossible()).isEmpty();
        assertThat(told.timedOut()).isFalse();
        assertThat(told.tasks())
                .extracting(view -> view.task().status())
                .containsExactly(TaskStatus.RUNNING, TaskStatus.FAILED);
    }

    @Test
    void bothEnds() throws Exception {
        var answer = all(of(one, END), of(other, END), of(one, END));
        awaitWaiting(2);
        ended(other);
        assertThat(answer).isNotDone();
        one.exits(0);

        assertThat(told(answer).satisfied()).containsExactly(0, 1, 2);
        assertThat(told(answer).tasks()).hasSize(2);
    }

    /** Whichever comes first, nobody sleeps on. */
    @RepeatedTest(30)
    void anEndAtTheMomentTheWaitBegins() throws Exception {
        var answer = any(of(one, END));
        var port = any(of(one, new Until.PortOpen(80)));
        one.exits(0);

        assertThat(told(answer).satisfied()).containsExactly(0);
        assertThat(told(port).impossible()).containsExactly(0);
    }

    /** It was found running, and has ended before anybody listened for its end. */
    @Test
    void anEndBetweenTheFirstLookAndTheWait() throws Exception {
        Steps.Hold looking = runtime.steps.hold("facts");
        var answer = all(of(one, END), of(one, matches("ready", "0.0")));
        looking.awaitReached();
        ended(one);
        looking.open();

        assertThat(told(answer).satisfied()).contains(0);
        assertThat(told(answer).impossible()).containsExactly(1);
    }

    @Test
    void ofATaskThatHasEndedEverythingIsKnownAtOnce() throws Exception {
        print(one, StreamName.STDOUT, "ready on 80\n");
        ended(one);

        WaitAnswer told = told(any(
                of(one, matches("never", null)),
                of(one, new Until.PortOpen(80)),
                of(one, new Until.Idle(Duration.ofMillis(1))),
                of(one, new Until.NeedsInput())));
        assertThat(told.impossible()).containsExactly(0, 1, 2, 3);
        assertThat(told.satisfied()).isEmpty();
        assertThat(told.timedOut()).isFalse();

        told = told(all(of(one, END), of(one, matches("^ready", null))));
        assertThat(told.satisfied()).containsExactly(0, 1);
        assertThat(told.matches()).containsExactly(new WaitAnswer.Match(1, "ready on 80", "12.0"));
    }

    @Test
    void anyGoesOnWhileOneOfThemCanComeTrue() throws Exception {
        var answer = any(of(one, matches("never", null)), of(other, END));
        awaitWaiting(2);
        ended(one);
        soon().until(() -> runtime.outputs.watchers(one.id()) == 0); // it was looked through to its end
        assertThat(answer).isNotDone();
        other.exits(0);

        assertThat(told(answer).satisfied()).containsExactly(1);
        assertThat(told(answer).impossible()).containsExactly(0);
    }

    @Test
    void allIsOverWhenOneOfThemCantComeTrue() throws Exception {
        var answer = all(of(one, matches("never", null)), of(other, END));
        awaitWaiting(2);
        one.exits(0);

        assertThat(told(answer).impossible()).containsExactly(0);
        assertThat(told(answer).satisfied()).isEmpty();
        assertThat(told(answer).timedOut()).isFalse();
    }

    @Test
    void timeRunsOut() throws Exception {
        WaitAnswer told = told(await(true, Duration.ofMillis(50), of(one, END), of(other, END)));

        assertThat(told.timedOut()).isTrue();
        assertThat(told.satisfied()).isEmpty();
        assertThat(told.impossible()).isEmpty();
        assertThat(told.tasks()).hasSize(2);
    }

    @Test
    void withoutTimeEachIsLookedAtOnce() throws Exception {
        print(one, StreamName.STDOUT, "x\n".repeat(100_000) + "ready\n");
        one.ports.add(80);
        one.waiting = Waiting.INPUT;
        soon().until(() -> told(await(false, Duration.ZERO, of(one, new Until.Idle(Duration.ofMillis(5)))))
                .satisfied()
                .equals(List.of(0)));

        WaitAnswer told = told(await(
                true,
                Duration.ZERO,
                of(one, matches("^ready", null)),
                of(one, new Until.PortOpen(80)),
                of(one, new Until.NeedsInput()),
                of(one, new Until.PortOpen(81)),
                of(one, END)));
        assertThat(told.satisfied()).containsExactly(0, 1, 2);
        assertThat(told.timedOut()).isTrue();
    }

    /** One that can't come true from the start is looked at already. */
    @Test
    @Timeout(20)
    void withoutTimeWhatIsImpossibleIsNotWaitedFor() throws Exception {
        ended(other);
        long began = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            WaitAnswer told = told(await(false, Duration.ZERO, of(one, END), of(other, new Until.NeedsInput())));
            assertThat(told.impossible()).containsExactly(1);
            assertThat(told.timedOut()).isTrue();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aCursorThatIsNoneWaitsForNothing() {
        print(one, StreamName.STDOUT, "short");

        assertThat(refusal(of(one, END), of(one, matches("x", "99.0"))).kind()).isEqualTo(ErrorKind.CURSOR_EXPIRED);
        assertThat(refusal(of(one, END), of(one, matches("x", "5"))).kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT);
    }

    @Test
    void aTaskThatIsNotThereWaitsForNothing() {
        Condition missing = new Condition(new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ"), END);

        assertThat(refusal(of(one, END), missing).kind()).isEqualTo(ErrorKind.TASK_NOT_FOUND);
    }

    private Refusal refusal(Condition... conditions) {
        WaitRequest request = new WaitRequest(false, List.of(conditions), LONG);
        return catchThrowableOfType(Refusal.class, () -> runtime.conditions.await(request, new CompletableFuture<>()));
    }

    @Test
    void manyWhoWaitForTheSameCostOneWatchAndOneLook() throws Exception {
        List<CompletableFuture<WaitAnswer>> answers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            answers.add(all(of(one, matches("ready", null)), of(one, END)));
        }
        soon().until(() -> runtime.outputs.watchers(one.id()) == 1);
        awaitWaiting(2);
        print(one, StreamName.STDOUT, "ready\n");
        one.exits(0);

        for (CompletableFuture<WaitAnswer> answer : answers) {
            assertThat(told(answer).satisfied()).containsExactly(0, 1);
        }
    }

    @Test
    void aCallerWhoGoesEndsHisWaitAndNoOthers() throws Exception {
        CompletableFuture<Void> over = new CompletableFuture<>();
        WaitRequest request = new WaitRequest(false, List.of(of(one, matches("ready", null)), of(other, END)), LONG);
        var gone = inBackground(() -> runtime.conditions.await(request, over));
        var stays = any(of(one, matches("ready", null)));
        awaitWaiting(2);
        over.cancel(false);

        assertThat(told(gone).satisfied()).isEmpty();
        assertThat(told(gone).timedOut()).isFalse();
        awaitWaiting(1);
        print(one, StreamName.STDOUT, "ready\n");
        assertThat(told(stays).satisfied()).containsExactly(0);
    }

    /** Much output is looked through while others are told of the end. */
    @Test
    void aSearchThatTakesLongHoldsUpNobodyElse() throws Exception {
        print(one, StreamName.STDOUT, "ready\n");
        Steps.Hold reading = runtime.steps.hold("read");
        var search = any(of(one, matches("ready", null)));
        reading.awaitReached();
        var end = any(of(one, END));
        one.exits(0);

        assertThat(told(end).satisfied()).containsExactly(0);
        assertThat(search).isNotDone();
        reading.open();
        assertThat(told(search).satisfied()).containsExactly(0);
    }

    @Test
    void whatCannotBeLookedAtFailsTheWait() {
        runtime.steps.fail("read");
        var answer = any(of(one, matches("ready", null)));

        assertThat(catchThrowableOfType(ExecutionException.class, () -> told(answer)))
                .hasRootCauseMessage("read fails, for the test");
    }
}
