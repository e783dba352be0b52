package dev.holdfast.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What ends the waits of a caller who has gone, and nothing else. */
class PatienceTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private final Patience patience = new Patience();

    @Test
    void itsEndEndsAWaitWithoutAnInterrupt() {
        var waits = new CompletableFuture<Thread>();
        var woken = CompletableFuture.supplyAsync(
                () -> patience.during(() -> {
                    waits.complete(Thread.currentThread());
                    try {
                        new Wakeup().await(LONG);
                        boolean done = Patience.await(new CompletableFuture<>(), LONG);
                        return !done
                                && !Thread.interrupted()
                                && Patience.left(System.nanoTime() + LONG.toNanos())
                                        .isZero();
                    } catch (InterruptedException e) {
                        return false;
                    }
                }),
                Thread::startVirtualThread);
        Thread waiting = waits.join();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        patience.end();

        assertThat(woken).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
    }

    @Test
    void anInterruptEndsAWaitAndStaysToBeSeen() {
        Thread.currentThread().interrupt();
        assertThat(Patience.await(new CompletableFuture<>(), LONG)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatIsWaitedForComesFirst() {
        assertThat(Patience.await(CompletableFuture.completedFuture(1), LONG)).isTrue();
        assertThat(Patience.await(new CompletableFuture<>(), Duration.ofMillis(1)))
                .isFalse();
        assertThat(Patience.left(System.nanoTime() + LONG.toNanos())).isPositive();
    }

    /** Else one who waits often leaves more and more on what outlives each of the waits. */
    @Test
    void aWaitThatIsOverLeavesNothing() {
        var hungUp = new CompletableFuture<Void>();
        var done = new CompletableFuture<Void>();
        Duration noTime = Duration.ofNanos(1);
        boolean came = new Patience(hungUp).during(() -> {
            boolean any = false;
            for (int i = 0; i < 1000; i++) {
                any |= Patience.await(done, noTime) || Patience.awaitForCaller(done, noTime);
            }
            assertThat(done.getNumberOfDependents() + hungUp.getNumberOfDependents())
                    .isZero();
            return any;
        });

        assertThat(came).isFalse();
    }

    @Test
    void whatFailsIsTold() {
        var failed = CompletableFuture.failedFuture(new IllegalArgumentException("broken"));
        assertThatThrownBy(() -> Patience.await(failed, LONG)).hasRootCauseMessage("broken");
    }

    @Test
    void onlyWhatRunsWithinItIsConcerned() {
        patience.end();
        assertThat(Patience.left(System.nanoTime() + LONG.toNanos())).isPositive();
        assertThat(patience.<Duration>during(() -> Patience.left(System.nanoTime() + LONG.toNanos())))
                .isZero();
        assertThat(patience.<Duration>during(
                        () -> new Patience().during(() -> Patience.left(System.nanoTime() + LONG.toNanos()))))
                .as("of one within that has more patience")
                .isPositive();
    }
}
