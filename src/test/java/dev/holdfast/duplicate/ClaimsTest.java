package dev.holdfast.duplicate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskIds;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private static final int CLAIMANTS = 64;

    private final TaskIds ids = new TaskIds(InstantSource.system(), new Random());
    private final Claims claims = new Claims();

    @Test
    void isTheFirstOnesUntilItIsReleased() {
        TaskId first = ids.next();
        TaskId second = ids.next();

        assertThat(claims.claim("key", first)).isEmpty();
        assertThat(claims.claim("key", first)).isEmpty();
        assertThat(claims.claim("key", second)).contains(first);
        assertThat(claims.holder("key")).contains(first);
        assertThat(claims.claim("other", second)).isEmpty();

        assertThat(claims.release("key", first)).isTrue();
        assertThat(claims.holder("key")).isEmpty();
        assertThat(claims.claim("key", second)).isEmpty();
    }

    @Test
    void isReleasedByItsHolderAlone() {
        TaskId holder = ids.next();
        claims.claim("key", holder);

        assertThat(claims.release("key", ids.next())).isFalse();
        assertThat(claims.release("unknown", holder)).isFalse();
        assertThat(claims.claim("key", ids.next())).contains(holder);
    }

    @Test
    void isGrantedToExactlyOneOfManyAtTheSameMoment() throws Exception {
        CyclicBarrier moment = new CyclicBarrier(CLAIMANTS);
        int rounds = 1000;
        List<Queue<TaskId>> winners = Stream.generate(() -> (Queue<TaskId>) new ConcurrentLinkedQueue<TaskId>())
                .limit(rounds)
                .toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> claimants = IntStream.range(0, CLAIMANTS)
                    .<Future<?>>mapToObj(_ -> threads.submit(() -> claimEach(winners, moment)))
                    .toList();
            for (Future<?> claimant : claimants) {
                claimant.get();
            }
        }

        assertThat(winners).allMatch(winner -> winner.size() == 1);
        for (int round = 0; round < rounds; round++) {
            assertThat(claims.holder("key " + round))
                    .contains(winners.get(round).element());
        }
    }

    private Void claimEach(List<Queue<TaskId>> winners, CyclicBarrier moment) throws Exception {
        for (int round = 0; round < winners.size(); round++) {
            TaskId id = ids.next();
            moment.await();
            Optional<TaskId> holder = claims.claim("key " + round, id);
            if (holder.isEmpty()) {
                winners.get(round).add(id);
            }
        }
        return null;
    }
}
