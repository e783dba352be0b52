package dev.holdfast.duplicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private final TaskIds ids = new TaskIds(InstantSource.system(), new Random());
    private final Claims claims = new Claims();
    private final TaskId one = ids.next();
    private final TaskId two = ids.next();

    @Test
    void theFirstGetsItAndTheSecondIsToldWhoHasIt() {
        assertThat(claims.claim("key", one)).isEmpty();
        assertThat(claims.claim("key", two)).contains(one);
        assertThat(claims.claim("other", two)).isEmpty();
    }

    @Test
    void onlyItsHolderReleasesIt() {
        claims.claim("key", one);
        claims.release("key", two);
        assertThat(claims.claim("key", two)).contains(one);
        claims.release("key", one);
        assertThat(claims.claim("key", two)).isEmpty();
    }

    @Test
    void aSecondInstanceStillHoldsItWhenTheFirstHasEnded() {
        claims.claim("key", one);
        claims.add("key", two);
        claims.release("key", one);
        assertThat(claims.claim("key", ids.next())).contains(two);
        claims.release("key", two);
        assertThat(claims.claim("key", ids.next())).isEmpty();
    }

    @RepeatedTest(200)
    void ofSixtyFourAtOnceExactlyOneGetsIt() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> won = IntStream.range(0, 64)
                    .mapToObj(_ -> threads.submit(() -> {
                        TaskId id = ids.next();
                        start.await();
                        return claims.claim("key", id).isEmpty();
                    }))
                    .toList();
            start.countDown();
            int winners = 0;
            for (Future<Boolean> each : won) {
                winners += each.get() ? 1 : 0;
            }
            assertThat(winners).isOne();
        }
    }
}
