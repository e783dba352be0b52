package dev.holdfast.output.search;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs searches, which compute for as long as a file is large, on threads that the kernel shares out: on the virtual
 * ones of callers they would hold up all other calls. Few at once, so that they hold little memory; others wait.
 * Thread-safe.
 */
public final class Searches implements AutoCloseable {
    private static final int AT_ONCE = 3;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            AT_ONCE,
            AT_ONCE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("search-", 0).daemon().factory());

    public Searches() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** Waits for it. */
    public <T> T run(Supplier<T> search) {
        return CompletableFuture.supplyAsync(search, threads).join();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
