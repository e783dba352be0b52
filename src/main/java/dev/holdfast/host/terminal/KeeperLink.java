package dev.holdfast.host.terminal;

import dev.holdfast.keeper.message.MalformedMessageException;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in touch with one of the data folder's keepers, and knows the terminals it holds. When nothing has been held
 * for the idle time it hangs up, so that the keeper can leave. Thread-safe.
 */
final class KeeperLink implements AutoCloseable {
    private static final Logger LOG = System.getLogger(KeeperLink.class.getName());
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private final MissedOutput missed;
    private final Duration idle;
    private final KeeperReach reach;
    private final Map<TaskId, HeldTerminal> held = new ConcurrentHashMap<>();
    private volatile long neededAt = System.nanoTime();

    KeeperLink(Path socket, Duration idle, KeeperProcess process, MissedOutput missed) {
        this.missed = missed;
        this.idle = idle;
        this.reach = new KeeperReach(socket, process, new Holdings());
    }

    /** The connection as it is, null when there is none or it broke. */
    @Nullable
    KeeperConnection current() {
        return reach.current();
    }

    /** The living connection, also to a keeper of a former server; null when no keeper lives, or it hangs. */
    @Nullable
    KeeperConnection connected() {
        try {
            return reached();
        } catch (IOException nobody) {
            return null;
        }
    }

    /**
     * The same.
     *
     * @throws KeeperSilentException it hangs; at once, where that was so before
     */
    KeeperConnection reached() throws IOException {
        return reach.connect(ANSWER_LIMIT);
    }

    /** Whether it has not told yet what it holds. */
    boolean silent() {
        return reach.silent();
    }

    /** Whether no keeper lives any more; blocks until one that does has spoken, or hangs. */
    boolean gone() {
        try {
            reached();
            return false;
        } catch (KeeperSilentException hangs) {
            return false;
        } catch (IOException nobody) {
            return true;
        }
    }

    /**
     * @param installation what a keeper with this link's socket runs from
     * @throws KeeperSilentException one lives already, and hangs
     */
    KeeperConnection connectOrStart(Path installation) throws IOException {
        neededAt = System.nanoTime();
        return reach.connectOrStart(installation);
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
        HeldTerminal known = held.get(id);
        return known != null || connected() == null ? known : held.get(id);
    }

    /**
     * Blocks until the keeper answered.
     *
     * @throws KeeperSilentException it hangs, and the listener hears nothing
     */
    void attach(TaskId id, HeldTerminal terminal, TerminalListener listener) throws KeeperSilentException {
        terminal.joining.lock();
        try {
            if (!terminal.join(listener)) {
                KeeperConnection current = reached();
                CompletableFuture<Message> answer =
                        current.ask(KeeperTerminalHost.about(Protocol.ATTACH, id), found -> {
                            terminal.attached(listener, found.number(Protocol.AT));
                            return found;
                        });
                current.await(answer, ANSWER_LIMIT);
            }
        } catch (KeeperSilentException hangs) {
            throw hangs;
        } catch (IOException broken) {
            if (!(broken instanceof KeeperRefusal) && !gone()) { // somebody else gave the connection up
                throw new KeeperSilentException();
            }
            listener.onClose();
        } finally {
            terminal.joining.unlock();
        }
    }

    void detach(TaskId id, HeldTerminal terminal, TerminalListener listener) {
        terminal.leave(listener, () -> {
            KeeperConnection current = current();
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
            var _ = Threads.after(idle.plusMillis(1), this::hangUpIfIdle);
        }
    }

    private void hangUpIfIdle() {
        reach.hangUp(() -> held.isEmpty() && System.nanoTime() - neededAt >= idle.toNanos());
    }

    @Override
    public void close() {
        reach.close();
    }

    /** What the keeper tells, on the reader's thread. */
    private final class Holdings implements KeeperReach.Told {
        @Override
        public void onList(KeeperConnection fresh, Message list) {
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
            neededAt = System.nanoTime();
            hangUpLater();
        }

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

        @Override
        public void onGone() {
            held.keySet().forEach(KeeperLink.this::close);
        }
    }
}
