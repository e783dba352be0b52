package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.port.OutputStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is looked at on a virtual thread of its own, which sleeps until there is something to look at. */
abstract class AwaitedOnThread extends Awaited {
    private final Wakeup news = new Wakeup();

    /**
     * Looks once, and settles it if it can.
     *
     * @param last whether its task has ended: then it must settle it
     * @return how long there is nothing to look at, unless something is new
     */
    abstract Duration look(boolean last);

    /** What says that there is something new; null for nothing. */
    OutputStore.@Nullable Watch watch(Runnable somethingNew) {
        return null;
    }

    @Override
    void begin() {
        Threads.start(this::lookAgainAndAgain);
    }

    private void lookAgainAndAgain() {
        try (OutputStore.Watch _ = endedTask() == null ? watch(news::wake) : null) {
            while (!isOver()) {
                boolean last = endedTask() != null; // before the look, so that what it printed before its end is seen
                Duration pause = look(last);
                if (!last && !isOver()) {
                    looked();
                    news.await(pause);
                }
            }
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            failed(failure);
        } catch (Error failure) { // no thread, say: who waits is told
            failed(new IllegalStateException(failure));
        }
    }

    @Override
    void lastLook() {
        news.wake();
    }

    @Override
    void close() {
        super.close();
        news.wake();
    }
}
