package dev.holdfast.host.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class SharedLookTest {
    private final Semaphore allowed = new Semaphore(0);
    private final AtomicInteger begun = new AtomicInteger();
    private final SharedLook<Integer> looks = new SharedLook<>(this::look);

    private int look() {
        int number = begun.incrementAndGet();
        allowed.acquireUninterruptibly();
        return number;
    }

    private final List<Thread> askers = new ArrayList<>();

    private CompletableFuture<Integer> ask() {
        CompletableFuture<Integer> seen = new CompletableFuture<>();
        askers.add(Thread.ofPlatform().daemon().start(() -> seen.complete(looks.now())));
        return seen;
    }

    @Test
    void whoAsksInTheMidstOfOneGetsTheNextWhichServesAllOfThem() {
        CompletableFuture<Integer> first = ask();
        await().until(() -> begun.get() == 1);
        List<CompletableFuture<Integer>> later = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            later.add(ask());
        }
        await().until(() -> askers.stream().skip(1).allMatch(asker -> asker.getState() == Thread.State.WAITING));
        allowed.release(100);
        assertThat(first.join()).isEqualTo(1);
        assertThat(later).allSatisfy(seen -> assertThat(seen.join()).isEqualTo(2));
        assertThat(begun).hasValue(2);
    }

    @Test
    void whoAsksAfterOneLooksAgain() {
        allowed.release(100);
        assertThat(looks.now()).isEqualTo(1);
        assertThat(looks.now()).isEqualTo(2);
    }

    @Test
    void aLookThatFailsFailsForWhoLookedAlone() {
        AtomicInteger tries = new AtomicInteger();
        SharedLook<Integer> failing = new SharedLook<>(() -> {
            if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("too many open files");
            }
            return tries.get();
        });
        assertThatThrownBy(failing::now).isInstanceOf(IllegalStateException.class);
        assertThat(failing.now()).isEqualTo(2);
    }
}
