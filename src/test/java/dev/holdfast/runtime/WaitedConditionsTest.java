package dev.holdfast.runtime;

import static dev.holdfast.runtime.RuntimeFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.port.HostedCommand.Waiting;
import dev.holdfast.runtime.wait.WaitAnswer;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import dev.holdfast.task.StreamName;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** What is waited for besides the end: lines, ports, questions and silence. */
class WaitedConditionsTest extends WaitsFixture {
    @RepeatedTest(30)
    void aLineAtTheMomentTheWaitBegins() throws Exception {
        var answer = any(of(one, matches("ready", null)));
        print(one, StreamName.STDOUT, "ready\n");

        assertThat(told(answer).satisfied()).containsExactly(0);
    }

    /** It has ended, and the database fails: the next one does not share what never began. */
    @Test
    void whatCannotBeFoundIsNotWaitedFor() throws Exception {
        runtime.live.remove(one.id());
        Steps.Hold found = runtime.steps.hold("find");
        runtime.steps.fail("find");
        found.open();

        assertThat(any(of(one, END))).failsWithin(Duration.ofSeconds(20));
        awaitWaiting(0);
        one.exits(0);
    }

    /** It prints its last line and ends: the line is found, and not said to be impossible. */
    @RepeatedTest(30)
    void theLastLineBeforeTheEnd() throws Exception {
        var answer = any(of(one, matches("ready", null)));
        print(one, StreamName.STDERR, "ready");
        one.exits(0);

        assertThat(told(answer).satisfied()).containsExactly(0);
    }

    /** Stdout was looked at before it prints its last line there, and stderr after its end. */
    @Test
    void theLastLineInTheMidstOfALook() throws Exception {
        Steps.Hold stdout = runtime.steps.hold("read");
        Steps.Hold stderr = runtime.steps.hold("read");
        var answer = any(of(one, matches("ready", null)));
        stdout.awaitReached();
        stdout.open();
        stderr.awaitReached();
        print(one, StreamName.STDOUT, "ready");
        ended(one);
        stderr.open();

        assertThat(told(answer).satisfied()).containsExactly(0);
    }

    @Test
    void theNextWaitGoesOnAfterTheLine() throws Exception {
        print(one, StreamName.STDERR, "warn: step 9\nhalf");
        print(one, StreamName.STDOUT, "step 1 step 1\nstep 2\n");
        WaitAnswer.Match first =
                told(any(of(one, matches("^step \\d", null)))).matches().getFirst();
        WaitAnswer.Match second = told(any(of(one, matches("^step \\d", first.cursor()))))
                .matches()
                .getFirst();
        var third = any(of(one, matches("^step \\d", second.cursor())), of(one, matches("^halfway", second.cursor())));
        awaitWaiting(2);
        print(one, StreamName.STDERR, "way\n");

        assertThat(first.text()).isEqualTo("step 1 step 1");
        assertThat(second.text()).isEqualTo("step 2");
        assertThat(told(third).satisfied()).containsExactly(1);
        assertThat(told(third).matches().getFirst().text()).isEqualTo("halfway");
    }

    @Test
    void aLineThatComesInPieces() throws Exception {
        var answer = any(of(one, matches("^ready$", null)));
        awaitWaiting(1);
        print(one, StreamName.STDOUT, "not ready\nrea");
        print(one, StreamName.STDOUT, "dy\nmore");

        assertThat(told(answer).matches()).containsExactly(new WaitAnswer.Match(0, "ready", "16.0"));
    }

    @Test
    void aCursorInTheMiddleOfALineIsNoBeginningOfOne() throws Exception {
        print(one, StreamName.STDOUT, "not ready\nready now\n");

        WaitAnswer told = told(await(false, Duration.ZERO, of(one, matches("^ready", "4.0"))));

        assertThat(told.matches()).containsExactly(new WaitAnswer.Match(0, "ready now", "20.0"));
        assertThat(told(await(false, Duration.ZERO, of(one, matches("^now", "-4"))))
                        .satisfied())
                .isEmpty();
        assertThat(told(await(false, Duration.ZERO, of(one, matches("now", "-4"))))
                        .satisfied())
                .containsExactly(0);
    }

    @Test
    void aPortThatOpensAndAQuestion() throws Exception {
        var answer = all(of(one, new Until.PortOpen(80)), of(other, new Until.NeedsInput()));
        awaitWaiting(2);
        one.ports.add(80);
        other.waiting = Waiting.INPUT;

        WaitAnswer told = told(answer);
        assertThat(told.satisfied()).containsExactly(0, 1);
        assertThat(told.tasks().getFirst().live().facts().ports()).containsExactly(80);
        assertThat(told.tasks().getLast().live().facts().waiting()).isEqualTo(Waiting.INPUT);
    }

    /** Its program reads already, and its keeper is held up. */
    @Test
    void aQuestionOnItsWayToTheOutputIsTold() throws Exception {
        one.lastWords = () -> {
            one.lastWords = () -> {};
            print(one, StreamName.STDOUT, "Go on? ");
        };
        one.waiting = Waiting.INPUT;

        WaitAnswer told = told(any(of(one, new Until.NeedsInput())));

        assertThat(told.matches()).extracting(WaitAnswer.Match::text).containsExactly("Go on?");
    }

    /** Whoever waits for something else too keeps what came true; whoever comes later is told what is true then. */
    @Test
    void whatCameTrueForOneIsLookedAtAnewForTheNext() throws Exception {
        var first = all(of(one, new Until.PortOpen(80)), of(other, END));
        awaitWaiting(2);
        one.ports.add(80);
        soon().until(() -> told(await(false, Duration.ZERO, of(one, new Until.PortOpen(80))))
                .satisfied()
                .equals(List.of(0)));
        one.ports.clear();

        assertThat(told(await(false, Duration.ofMillis(100), of(one, new Until.PortOpen(80))))
                        .satisfied())
                .isEmpty();
        other.exits(0);
        assertThat(told(first).satisfied()).containsExactly(0, 1);
    }

    @Test
    void whoseTerminalNobodyReadsIsNotIdle() throws Exception {
        one.drained = false;
        Until idle = new Until.Idle(Duration.ofMillis(20));

        assertThat(told(await(false, Duration.ofMillis(300), of(one, idle))).satisfied())
                .isEmpty();
        one.drained = true;
        assertThat(told(any(of(one, idle))).satisfied()).containsExactly(0);
    }

    @Test
    void silenceBeginsAnewWithEachOutput() throws Exception {
        Until idle = new Until.Idle(Duration.ofSeconds(2));
        long began = System.nanoTime();
        var answer = any(of(one, idle));
        awaitWaiting(1);
        soon().until(() -> System.nanoTime() - began > 200_000_000);
        long printed = System.nanoTime();
        print(one, StreamName.STDOUT, "x");

        assertThat(told(answer).satisfied()).containsExactly(0);
        assertThat(System.nanoTime() - printed).isGreaterThan(1_980_000_000);
        // What was silent before is silent.
        assertThat(told(await(false, Duration.ZERO, of(one, idle))).satisfied()).containsExactly(0);
    }
}
