package dev.holdfast.runtime.call;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The calls that wait for something, and the streams that have no end. A server that stops ends them all early, so that
 * each caller is answered as when his time is over, and none of them delays the end. Thread-safe.
 */
@Singleton
public final class OpenCalls {
    /** Guarded by this, as is what follows. */
    private final Set<Open> open = new HashSet<>();

    private boolean ending;

    /** One of them, until it is closed: when it was answered. Closing it again does nothing. */
    public final class Open implements AutoCloseable {
        private final Runnable end;

        private Open(Runnable end) {
            this.end = end;
        }

        @Override
        public void close() {
            synchronized (OpenCalls.this) {
                open.remove(this);
                OpenCalls.this.notifyAll();
            }
        }
    }

    /**
     * @param end what makes it end soon, without blocking, on any thread; done at once when the server stops already
     */
    public Open begin(Runnable end) {
        Open call = new Open(end);
        boolean late;
        synchronized (this) {
            open.add(call);
            late = ending;
        }
        if (late) {
            end.run();
        }
        return call;
    }

    /** Runs {@code work} on this thread; its waits end when the server stops, or after {@code most}, no earlier. */
    public <T> T during(Duration most, Supplier<T> work) {
        Patience patience = new Patience();
        Future<?> limit = Threads.after(most, patience::end);
        try (Open _ = begin(patience::end)) {
            return patience.during(work);
        } finally {
            limit.cancel(false);
        }
    }

    /**
     * The server stops: ends all, also those to come, and blocks until they were answered, but no longer than
     * {@code limit}.
     *
     * @return how many were not
     */
    public int endAll(Duration limit) {
        List<Open> those;
        synchronized (this) {
            ending = true;
            those = List.copyOf(open);
        }
        those.forEach(call -> call.end.run());
        return awaitNone(System.nanoTime() + limit.toNanos());
    }

    private synchronized int awaitNone(long deadline) {
        try {
            for (long left = deadline - System.nanoTime();
                    !open.isEmpty() && left > 0;
                    left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
        }
        return open.size();
    }
}
