package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.call.Threads;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Looks at what no event tells, ports and reading, for all who wait: every 15 ms, on one thread, which is there only
 * while somebody waits for such a thing. Many commands are looked at less often, so that looking takes a third of one
 * core at most. Thread-safe.
 */
final class Looks {
    static final long PAUSE_MS = 15;
    /** So many times what a look took, it pauses. */
    private static final int SHARE = 2;

    private static final Logger LOG = Logger.getLogger(Looks.class);

    /** Guarded by this, as what follows. */
    private final Set<Runnable> looks = new LinkedHashSet<>();

    private boolean looking;

    synchronized void add(Runnable look) {
        looks.add(look);
        if (!looking) {
            looking = true;
            Threads.start(this::lookAgainAndAgain);
        }
    }

    synchronized void remove(Runnable look) {
        looks.remove(look);
    }

    private void lookAgainAndAgain() {
        try {
            for (List<Runnable> now = now(); !now.isEmpty(); now = now()) {
                long began = System.nanoTime();
                now.forEach(Looks::look);
                Thread.sleep(Math.max(PAUSE_MS, SHARE * (System.nanoTime() - began) / 1_000_000));
            }
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
        }
    }

    private static void look(Runnable look) {
        try {
            look.run();
        } catch (RuntimeException | Error failure) { // the others are looked at all the same
            LOG.error("A look at a command failed", failure);
        }
    }

    private synchronized List<Runnable> now() {
        looking = !looks.isEmpty();
        return List.copyOf(looks);
    }
}
