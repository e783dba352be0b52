package dev.holdfast.host.terminal;

import dev.holdfast.keeper.message.MalformedMessageException;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in touch with one of the data folder's keepers: connects, starts it when it is of this version and does not
 * run, connects again when the connection broke although the keeper lives, and knows the terminals it holds. When
 * nothing has been held for the idle time it hangs up, so that the keeper can leave. Thread-safe.
 */
final class KeeperLink implements AutoCloseable {
    private static final Logger LOG = System.getLogger(KeeperLink.class.getName());
    private static final Duration APPEARANCE_LIMIT = Duration.ofSeconds(15);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** A keeper that was about to leave holds the lock a little longer than its socket; then the next try counts. */
    private static final long START_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final MissedOutput missed;
    private final Path socket;
    private final Duration idle;
    private final KeeperProcess process;
    private final Map<TaskId, HeldTerminal> held = new ConcurrentHashMap<>();
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile @Nullable KeeperConnection connection;
    private volatile long neededAt = System.nanoTime();
    private volatile boolean closed;

    KeeperLink(Path socket, Duration idle, KeeperProcess process, MissedOutput missed) {
        this.missed = missed;
        this.socket = socket;
        this.idle = idle;
        this.process = process;
    }

    /** The connection as it is, null when there is none or it broke. */
    @Nullable
    KeeperConnection current() {
        KeeperConnection current = connection;
        return current != null && current.open() ? current : null;
    }

    /** The living connection, also to a keeper of a former server; null when no keeper lives. */
    @Nullable
    KeeperConnection connected() {
        KeeperConnection current = current();
        if (current != null) {
            return current;
        }
        if (closed || !Files.exists(socket)) {
            return null;
        }
        connecting.lock();
        try {
            return connect();
        } catch (IOException nobody) {
            return null;
        } finally {
            connecting.unlock();
        }
    }

    /** @param installation what a keeper with this link's socket runs from */
    KeeperConnection connectOrStart(Path installation) throws IOException {
        neededAt = System.nanoTime();
        KeeperConnection current = connected();
        if (current != null) {
            return current;
        }
        connecting.lock();
        try {
            return startAndConnect(installation);
        } finally {
            connecting.unlock();
        }
    }

    private KeeperConnection startAndConnect(Path installation) throws IOException {
        long start = System.nanoTime();
        long startedAt = 0;
        IOException reason = new KeeperGoneException("no keeper");
        while (System.nanoTime() - start < APPEARANCE_LIMIT.toNanos()) {
            try {
                return connect();
            } catch (IOException notYet) {
                reason = notYet;
            }
            if (startedAt == 0 || System.nanoTime() - startedAt > START_AGAIN_NANOS) {
                process.start(installation);
                startedAt = System.nanoTime();
            }
            LockSupport.parkNanos(RETRY_NANOS);
        }
        throw new IOException("the keeper did not appear within " + APPEARANCE_LIMIT.toSeconds() + " s", reason);
    }

    /** Under the lock. Learns what the keeper holds before anybody can ask. */
    private KeeperConnection connect() throws IOException {
        KeeperConnection current = connection;
        if (current != null && current.open()) {
            return current;
        }
        Conversation conversation = new Conversation();
        KeeperConnection fresh = KeeperConnection.open(socket, conversation);
        conversation.connection = fresh;
        fresh.await(
                fresh.ask(Message.empty().with(Protocol.OP, Protocol.LIST), answer -> learn(fresh, answer)),
                ANSWER_LIMIT);
        connection = fresh;
        neededAt = System.nanoTime();
        hangUpLater();
        return fresh;
    }

    /** On the reader's thread. */
    private Message learn(KeeperConnection fresh, Message list) {
        Set<TaskId> there = new HashSet<>();
        for (Message terminal : list.messages(Protocol.TERMINALS)) {
            TaskId.parse(terminal.text(Protocol.ID)).ifPresent(id -> {
                there.add(id);
                expect(id);
            });
        }
        held.forEach((id, terminal) -> {
            if (!there.contains(id)) {
                close(id);
            } else if (terminal.wanted()) {
                var _ = fresh.ask(KeeperTerminalHost.about(Protocol.ATTACH, id), answer -> {
                    terminal.reattached(answer.number(Protocol.AT));
                    return answer;
                });
            }
        });
        return list;
    }

    /** From now on events of this terminal are for somebody. */
    void expect(TaskId id) {
        held.computeIfAbsent(id, _ -> new HeldTerminal(id, missed));
    }

    void forget(TaskId id) {
        held.remove(id);
    }

    @Nullable
    HeldTerminal find(TaskId id) {
        return connected() == null ? null : held.get(id);
    }

    /** Blocks until the keeper answered. */
    void attach(TaskId id, HeldTerminal terminal, TerminalListener listener) {
        terminal.joining.lock();
        try {
            KeeperConnection current = connected();
            if (current == null) {
                listener.onClose();
            } else if (!terminal.join(listener)) {
                CompletableFuture<Message> answer =
                        current.ask(KeeperTerminalHost.about(Protocol.ATTACH, id), found -> {
                            terminal.attached(listener, found.number(Protocol.AT));
                            return found;
                        });
                current.await(answer, ANSWER_LIMIT);
            }
        } catch (IOException gone) {
            listener.onClose();
        } finally {
            terminal.joining.unlock();
        }
    }

    void detach(TaskId id, HeldTerminal terminal, TerminalListener listener) {
        terminal.leave(listener, () -> {
            KeeperConnection current = connection;
            if (current != null) {
                current.tell(KeeperTerminalHost.about(Protocol.DETACH, id));
            }
        });
    }

    private void close(TaskId id) {
        HeldTerminal terminal = held.remove(id);
        if (terminal != null) {
            terminal.closed();
            neededAt = System.nanoTime();
            hangUpLater();
        }
    }

    private void hangUpLater() {
        if (held.isEmpty()) {
            CompletableFuture.delayedExecutor(idle.toMillis() + 1, TimeUnit.MILLISECONDS, Thread::startVirtualThread)
                    .execute(this::hangUpIfIdle);
        }
    }

    private void hangUpIfIdle() {
        connecting.lock();
        try {
            KeeperConnection current = connection;
            if (current != null && held.isEmpty() && System.nanoTime() - neededAt >= idle.toNanos()) {
                connection = null;
                current.close();
            }
        } finally {
            connecting.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        KeeperConnection current = connection;
        if (current != null) {
            current.close();
        }
    }

    /** The events of one connection, on its reader's thread. */
    private final class Conversation implements KeeperConnection.Events {
        volatile @Nullable KeeperConnection connection;

        @Override
        public void onEvent(Message event) {
            try {
                TaskId.parse(event.text(Protocol.ID)).ifPresent(id -> onEvent(id, event));
            } catch (MalformedMessageException strange) {
                LOG.log(Level.WARNING, "the keeper sent an event that makes no sense", strange);
            }
        }

        private void onEvent(TaskId id, Message event) {
            switch (event.text(Protocol.EVENT)) {
                case Protocol.OUTPUT -> {
                    HeldTerminal terminal = held.get(id);
                    if (terminal != null) {
                        terminal.output(event.number(Protocol.AT), event.bytes(Protocol.DATA));
                    }
                }
                case Protocol.CLOSED -> close(id);
                default -> {} // of a newer keeper, or nothing that is asked here
            }
        }

        /** The connection may have broken alone; without a keeper, its terminals are gone. */
        @Override
        public void onDisconnect() {
            KeeperConnection mine = connection;
            if (mine == null || mine != KeeperLink.this.connection || closed) {
                return;
            }
            if (connected() == null) {
                held.keySet().forEach(KeeperLink.this::close);
            }
        }
    }
}
