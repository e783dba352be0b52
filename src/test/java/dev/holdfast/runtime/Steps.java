package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a fake, by name: each can be made to fail the next time, or to wait there until a test lets it go on.
 */
public final class Steps {
    private static final long PATIENCE_SECONDS = 20;

    private final Map<String, Queue<Runnable>> planned = new ConcurrentHashMap<>();

    /** One more time that the step is come to, it fails so. */
    public void fail(String step, RuntimeException failure) {
        plan(step, () -> {
            throw failure;
        });
    }

    /** @param badly by an error, which is no exception */
    void fail(String step, boolean badly) {
        plan(step, failing(step, badly));
    }

    private static Runnable failing(String step, boolean badly) {
        String text = step + " fails, for the test";
        return () -> {
            if (badly) {
                throw new OutOfMemoryError(text + ": unable to create native thread");
            }
            throw new IllegalStateException(text);
        };
    }

    /** An error that says which step it was, for a step whose kind of failure does not matter. */
    public void fail(String step) {
        fail(step, false);
    }

    Hold hold(String step) {
        Hold hold = new Hold();
        plan(step, hold);
        return hold;
    }

    /** Who comes there so many times from now goes no further, as in a server that is killed there. */
    Hold kill(String step, int time) {
        for (int before = 1; before < time; before++) {
            plan(step, () -> {});
        }
        Hold killed = hold(step);
        killed.forEver = true;
        return killed;
    }

    private void plan(String step, Runnable what) {
        planned.computeIfAbsent(step, _ -> new ConcurrentLinkedQueue<>()).add(what);
    }

    void pass(String step) {
        Queue<Runnable> queue = planned.get(step);
        Runnable what = queue == null ? null : queue.poll();
        if (what != null) {
            what.run();
        }
    }

    /** A step that waits. */
    static final class Hold implements Runnable {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch open = new CountDownLatch(1);
        private volatile @Nullable Runnable failure;
        private volatile boolean forEver;

        void awaitReached() {
            await(reached);
        }

        void open() {
            open.countDown();
        }

        /** Lets it go on to fail. */
        void fail() {
            fail(false);
        }

        void fail(boolean badly) {
            failure = failing("a held step", badly);
            open.countDown();
        }

        @Override
        public void run() {
            reached.countDown();
            while (forEver) {
                LockSupport.park();
            }
            await(open);
            if (failure != null) {
                failure.run();
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
