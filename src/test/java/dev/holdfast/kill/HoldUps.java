package dev.holdfast.kill;

import dev.holdfast.acceptance.PackagedServer;
import dev.holdfast.acceptance.Processes;
import dev.holdfast.kernel.Freezer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds up one by chance of a server, its keepers and its launchers, again and again, as a busy machine does: all that
 * they promise is promised then too. For how long each: the system property {@code holdfast.kill.hold-up-ms}; nobody
 * without it, or where the machine has no {@link Freezer}.
 */
final class HoldUps implements AutoCloseable {
    private static final Duration EACH = Duration.ofMillis(Integer.getInteger("holdfast.kill.hold-up-ms", 0));
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    private final PackagedServer server;
    private final Random random = new Random();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<Integer> count;

    HoldUps(PackagedServer server) {
        this.server = server;
        this.count = EACH.isZero() || !Freezer.isHere()
                ? CompletableFuture.completedFuture(0)
                : CompletableFuture.supplyAsync(this::holdUp, Thread::startVirtualThread);
    }

    private int holdUp() {
        int held = 0;
        while (!isClosing(BETWEEN)) {
            List<List<Long>> kinds = List.of(
                    List.of(server.pid()),
                    Processes.running("dev.holdfast.keeper.Keeper " + server.data()),
                    launchers());
            List<Long> one = kinds.get(random.nextInt(kinds.size()));
            if (!one.isEmpty()) {
                try (Freezer _ = new Freezer(one.get(random.nextInt(one.size())))) {
                    held++;
                    isClosing(EACH);
                } catch (IOException ended) {
                    // Then another.
                }
            }
        }
        return held;
    }

    private boolean isClosing(Duration within) {
        try {
            return closing.await(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private List<Long> launchers() {
        return server.taskFolders().stream()
                .map(KillMatrixIT::launcher)
                .filter(Processes::alive)
                .toList();
    }

    /** Lets go of who is held up. */
    @Override
    public void close() {
        closing.countDown();
        int held = count.join();
        if (held > 0) {
            System.out.printf("Held up: %d times, for %d ms%n", held, EACH.toMillis());
        }
    }
}
