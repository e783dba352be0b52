package dev.holdfast.host;

import dev.holdfast.kernel.ProcessExits;
import dev.holdfast.kernel.WaitStatus;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last ends of processes that the kernel told of, for the two signals that no shell names. Costs no thread: what came
 * is fetched when a command starts, when an end is asked for, and at each look of {@link LineageWatch}. Knows nothing
 * where the kernel tells nothing. Thread-safe.
 */
final class WitnessedExits implements AutoCloseable {
    private final @Nullable ProcessExits source = ProcessExits.open().orElse(null);
    private final ToldExits told;

    WitnessedExits(ToldExits.Births births) {
        this.told = new ToldExits(births);
    }

    /** Whether an end that is not there yet is worth waiting for. */
    boolean tells() {
        return source != null;
    }

    /** A moment: an end with a larger number came after it. Take it before a launcher is started. */
    synchronized long now() {
        fetch();
        return told.count();
    }

    /** As {@link ToldExits#childOf}. */
    synchronized Optional<WaitStatus> childOf(long launcher, int code, long since) {
        fetch();
        return told.childOf(launcher, code, since);
    }

    /** As {@link ToldExits#killedBelow}. */
    synchronized Set<Long> killedBelow(long launcher, long since) {
        fetch();
        return told.killedBelow(launcher, since);
    }

    /** Makes room in the kernel's buffer. */
    synchronized void fetch() {
        if (source != null) {
            source.drain(told::add);
        }
    }

    @Override
    public synchronized void close() {
        if (source != null) {
            source.close();
        }
    }
}
