package dev.holdfast.runtime.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void whatFindsNoThreadIsDoneOnceThereIsOne() {
        Executor threads = work -> {
            switch (asked.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("unable to create native thread, for the test");
                case 2 -> throw new RejectedExecutionException("for the test");
                default -> Thread.startVirtualThread(work);
            }
        };

        Threads.start(done::incrementAndGet, threads);

        await().until(() -> done.get() == 1);
        assertThat(asked).hasValue(3);
    }

    @Test
    void whatHasBegunAlthoughItsStartFailedIsNotDoneAgain() {
        Executor threads = work -> {
            work.run();
            if (asked.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread, for the test");
            }
        };

        Threads.start(done::incrementAndGet, threads);

        await().until(() -> asked.get() == 2);
        assertThat(done).hasValue(1);
    }

    @Test
    void whatIsToBeDoneLaterCanBeCalledOff() throws Exception {
        var _ = Threads.after(Duration.ofMillis(-1), done::incrementAndGet);
        await().until(() -> done.get() == 1);
        Future<?> off = Threads.after(Duration.ofDays(1), done::incrementAndGet);
        assertThat(off.cancel(false)).isTrue();
        Threads.after(Duration.ofMillis(1), done::incrementAndGet).get(1, TimeUnit.MINUTES);
        await().until(() -> done.get() == 2);
    }
}
