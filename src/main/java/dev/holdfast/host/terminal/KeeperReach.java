package dev.holdfast.host.terminal;

import dev.holdfast.keeper.Keeper;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.kernel.WaitStatus;
import dev.holdfast.runtime.call.Threads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to one keeper: connects, starts it when it is of this version and does not run, and connects again when the
 * connection broke although the keeper lives. One that hangs is waited for once, by a connection that is kept until it
 * goes on. Thread-safe.
 */
final class KeeperReach implements KeeperConnection.Events, AutoCloseable {
    /** On the reader's thread, in the order in which the keeper spoke. */
    interface Told {
        /** First, on each connection: what the keeper holds. */
        void onList(KeeperConnection fresh, Message list);

        void onEvent(Message event);

        /** There is no keeper any more. */
        void onGone();
    }

    private static final Logger LOG = System.getLogger(KeeperReach.class.getName());
    private static final Duration APPEARANCE_LIMIT = Duration.ofSeconds(15);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** A keeper that was about to leave holds the lock a little longer than its socket; then the next try counts. */
    private static final long START_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Until a connection is tried again that this server had no descriptor or no thread for. */
    private static final Duration LATER = Duration.ofMillis(100);

    private static final WaitStatus CANNOT_BEGIN = new WaitStatus(Keeper.FAILED << 8);

    private final Path socket;
    private final KeeperProcess process;
    private final Told told;
    private final ReentrantLock starting = new ReentrantLock();
    private final ReentrantLock connecting = new ReentrantLock();
    /** The last one; replaced under the lock of connecting. */
    private volatile @Nullable Attempt attempt;

    private volatile boolean closed;

    /** @param outcome comes when the keeper has told what it holds, which one that hangs does when it goes on */
    private record Attempt(KeeperConnection connection, CompletableFuture<KeeperConnection> outcome, long begun) {
        boolean succeeded() {
            return outcome.state() == Future.State.SUCCESS;
        }
    }

    KeeperReach(Path socket, KeeperProcess process, Told told) {
        this.socket = socket;
        this.process = process;
        this.told = told;
    }

    /** Null when there is none or it broke. */
    @Nullable
    KeeperConnection current() {
        Attempt last = attempt;
        return last != null && last.connection().open() && last.succeeded() ? last.connection() : null;
    }

    /** Whether there is one that has not told yet what it holds. */
    boolean silent() {
        Attempt last = attempt;
        return last != null && last.connection().open() && !last.outcome().isDone();
    }

    /** @throws KeeperSilentException one lives already, and hangs */
    KeeperConnection connectOrStart(Path installation) throws IOException {
        KeeperConnection current = current();
        if (current != null) {
            return current;
        }
        starting.lock();
        try {
            return startAndConnect(installation);
        } finally {
            starting.unlock();
        }
    }

    private KeeperConnection startAndConnect(Path installation) throws IOException {
        long start = System.nanoTime();
        long startedAt = 0;
        CompletableFuture<WaitStatus> end = new CompletableFuture<>();
        IOException reason = new KeeperGoneException("no keeper");
        while (System.nanoTime() - start < APPEARANCE_LIMIT.toNanos()) {
            try {
                return connect(APPEARANCE_LIMIT);
            } catch (IOException notYet) {
                if (silent()) {
                    throw notYet;
                }
                reason = notYet;
            }
            if (end.isDone() && end.join().equals(CANNOT_BEGIN)) {
                throw new IOException("the keeper ended as it began: " + process.lastWords(), reason);
            }
            if (startedAt == 0 || System.nanoTime() - startedAt > START_AGAIN_NANOS) {
                end = process.start(installation);
                startedAt = System.nanoTime();
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
        throw new IOException("the keeper did not appear within " + APPEARANCE_LIMIT.toSeconds() + " s", reason);
    }

    /**
     * @param patience how long the keeper may be silent from the begin of the connection on
     * @throws KeeperSilentException it was silent for longer
     */
    KeeperConnection connect(Duration patience) throws IOException {
        Attempt last = attempt();
        long rest = patience.toNanos() - (System.nanoTime() - last.begun());
        return KeeperConnection.take(last.outcome(), Math.max(0, rest));
    }

    /** Begun when there is none that is open. */
    private Attempt attempt() throws IOException {
        connecting.lock();
        try {
            Attempt last = attempt;
            if (last != null && last.connection().open()) {
                return last;
            }
            if (closed || !Files.exists(socket)) {
                throw new KeeperGoneException("no keeper");
            }
            KeeperConnection fresh = open();
            Attempt begun = new Attempt(fresh, learned(fresh), System.nanoTime());
            attempt = begun;
            return begun;
        } finally {
            connecting.unlock();
        }
    }

    /** @throws KeeperSilentException this server could not even try: nothing is known of the keeper then */
    private KeeperConnection open() throws IOException {
        try {
            return KeeperConnection.open(socket, this);
        } catch (ConnectException nobody) {
            throw nobody;
        } catch (IOException | OutOfMemoryError unable) { // no descriptor, or no thread
            throw new KeeperSilentException("no connection to the keeper can be made: " + unable.getMessage());
        }
    }

    /** What the keeper holds is known before anybody can ask. */
    private CompletableFuture<KeeperConnection> learned(KeeperConnection fresh) {
        Message list = Message.empty().with(Protocol.OP, Protocol.LIST);
        return fresh.hello()
                .thenCompose(_ -> fresh.ask(list, answer -> {
                    told.onList(fresh, answer);
                    return fresh;
                }))
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        fresh.close();
                    }
                });
    }

    @Override
    public void onEvent(Message event) {
        told.onEvent(event);
    }

    /** The connection may have broken alone. */
    @Override
    public void onDisconnect(KeeperConnection broken) {
        connecting.lock();
        try {
            Attempt last = attempt;
            if (closed || last == null || last.connection() != broken) {
                return;
            }
            if (last.succeeded()) {
                var _ = attempt();
                return;
            }
        } catch (KeeperSilentException unable) {
            LOG.log(Level.DEBUG, "the keeper may live", unable);
            var _ = Threads.after(LATER, () -> onDisconnect(broken));
            return;
        } catch (IOException nobody) {
            LOG.log(Level.DEBUG, "the keeper is gone", nobody);
        } finally {
            connecting.unlock();
        }
        told.onGone();
    }

    void hangUp(BooleanSupplier unneeded) {
        connecting.lock();
        try {
            KeeperConnection current = current();
            if (current != null && unneeded.getAsBoolean()) {
                attempt = null;
                current.close();
            }
        } finally {
            connecting.unlock();
        }
    }

    /** The keeper lives on. */
    @Override
    public void close() {
        closed = true;
        Attempt last = attempt;
        if (last != null) {
            last.connection().close();
        }
    }
}
