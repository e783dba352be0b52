package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.output.OutputReads;
import dev.holdfast.runtime.wait.Wait;
import dev.holdfast.task.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A command that runs for weeks is polled the whole time: what a wait leaves on it would be there until its end. */
class PollsLeaveNothingTest extends WaitsFixture {
    private static final int POLLS = 10_000;
    private static final Duration NO_TIME = Duration.ofNanos(1);

    private CompletableFuture<Task> end() {
        return runtime.live.find(one.id()).orElseThrow().ended();
    }

    private void assertNothingIsLeftBy(Runnable poll) {
        int before = end().getNumberOfDependents();
        for (int i = 0; i < POLLS; i++) {
            poll.run();
        }
        assertThat(end().getNumberOfDependents()).isEqualTo(before);
    }

    private void read() {
        OutputReads reads = new OutputReads(runtime.tasks, runtime.live, runtime.outputs);
        assertThat(reads.read(one.id(), null, null, 100, NO_TIME).hasNews()).isFalse();
    }

    @Test
    void noReadOfItsOutput() {
        assertNothingIsLeftBy(this::read);
    }

    @Test
    void noWaitForItsEnd() {
        assertNothingIsLeftBy(() -> runtime.tasks.awaitEnd(one.id(), NO_TIME));
        assertNothingIsLeftBy(() -> new Patience().during(() -> runtime.tasks.awaitEnd(one.id(), NO_TIME)));
    }

    @Test
    void noOtherWait() {
        assertNothingIsLeftBy(() -> {
            try (Wait wait = runtime.conditions.begin(false, List.of(of(one, END)))) {
                assertThat(wait.await(NO_TIME, end())).isTrue();
            }
        });
    }

    /** Of those who come at once one may be left by another's clearing, until the next goes. */
    @Test
    void nobodyOfMany() {
        int before = end().getNumberOfDependents();
        try (var many = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 64)
                    .forEach(_ ->
                            many.execute(() -> IntStream.range(0, POLLS / 64).forEach(_ -> read())));
        }
        read();
        assertThat(end().getNumberOfDependents()).isEqualTo(before);
    }
}
