package dev.holdfast.api.terminal;

import dev.holdfast.message.body.TaskBodies;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.call.Threads;
import dev.holdfast.runtime.control.TaskControl;
import dev.holdfast.runtime.port.HostedCommand.TerminalLink;
import dev.holdfast.runtime.port.HostedCommand.TerminalListener;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TerminalSize;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One watcher of one terminal. Output goes from the host's thread straight to the socket; a client that reads too
 * slowly is let go, since nobody may wait for it. Input goes on at once, on the event loop; what would have to wait
 * there is done by the session's own virtual thread, and what comes after it too, so that all of it stays in order.
 * What a program does not read yet holds its client back: only so much of it is taken from the connection.
 */
final class TerminalSession implements TerminalListener {
    private static final Logger LOG = Logger.getLogger(TerminalSession.class);
    private static final long MAX_BEHIND = 8 << 20;
    /** Of all sessions together: beyond it who has anything to catch up with is let go. */
    private static final long MAX_ALL_BEHIND = 64 << 20;

    private static final AtomicLong ALL_BEHIND = new AtomicLong();
    private static final int FRAME = 32 * 1024;
    /** Of input, in bytes, before nothing more is taken from the connection; a message has at most a MiB. */
    private static final int MAX_WAITING = 1 << 20;
    /** What a message costs besides its bytes. */
    private static final int MESSAGE = 128;

    /** For a client to read what was sent before it was told to go: else that would be held as long as it stays. */
    private static final Duration LAST_READS = Duration.ofSeconds(5);

    /** A close frame has room for 123 bytes. */
    private static final int MAX_REASON = 120;

    private static final short NORMAL = 1000;
    private static final short GOING_AWAY = 1001;
    private static final short BAD_MESSAGE = 1007;
    private static final short DENIED = 1008;
    private static final short TOO_BIG = 1009;
    private static final short SERVER_FAILED = 1011;
    private static final short TRY_AGAIN = 1013;

    private final TaskId id;
    private final TaskControl control;
    private final boolean resizes;
    private final Connection connection;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    /** Bytes of the work that is not done yet. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicLong behind = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<byte[]> early = new ArrayDeque<>();
    private volatile @Nullable ServerWebSocket socket;
    private volatile @Nullable TerminalLink link;
    /** How it was closed first, with the lock held; what comes later says nothing. */
    private @Nullable Farewell farewell;

    /** Only on the session's own thread. */
    private boolean ended;

    private record Farewell(short code, String reason) {}

    /** What carries the messages. */
    interface Connection {
        /** Whatever the client has not read. Any thread. */
        void hangUp();

        /** Whether more is taken from it. On its event loop. */
        void reads(boolean more);

        /** On its event loop. */
        void later(Runnable task);
    }

    /** @param resizes whether its client may: else it watches, and its own size is its own affair */
    TerminalSession(TaskId id, TaskControl control, boolean resizes, Connection connection) {
        this.id = id;
        this.control = control;
        this.resizes = resizes;
        this.connection = connection;
    }

    /** Before {@link #run}. */
    void attach(TerminalLink opened) {
        link = opened;
    }

    /** Writes what the client sends until the session ends. Blocks: on a virtual thread. */
    void run() {
        try (TerminalLink _ = Objects.requireNonNull(link)) {
            while (!ended) {
                work.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Refusal e) {
            close(code(e.kind()), e.getMessage());
        } catch (RuntimeException e) {
            LOG.warnf(e, "the terminal of %s took no input", id);
            close(SERVER_FAILED, "the terminal took no input");
        }
    }

    private static short code(ErrorKind kind) {
        return kind == ErrorKind.COMMAND_DENIED ? DENIED : kind.retryable() ? TRY_AGAIN : BAD_MESSAGE;
    }

    /** Lets {@link #run} return, soon also when the program reads nothing. */
    void end() {
        work.add(() -> ended = true);
        Objects.requireNonNull(link).leave();
    }

    /** The server stops; the terminal goes on. {@link #run} returns when the client was told. Any thread. */
    void leave() {
        close(GOING_AWAY, "the server stops: connect again when it is back");
    }

    /** Its client may no longer; the terminal goes on. Any thread. */
    void forbid() {
        close(DENIED, "no longer signed in, or the token was removed or changed");
    }

    /** The client is there, or was: what came meanwhile goes first. On the event loop. */
    void connected(ServerWebSocket client) {
        if (client.isClosed()) {
            return; // the end of its connection ends the session
        }
        client.binaryMessageHandler(message -> type(message.getBytes()));
        client.textMessageHandler(message -> later(message.length(), () -> resize(message)));
        client.exceptionHandler(failure -> refuse(failure, client));
        lock.lock();
        try {
            behind.set(0);
            for (byte[] bytes = early.poll(); bytes != null; bytes = early.poll()) {
                send(client, bytes);
            }
            socket = client;
            if (farewell != null) {
                say(farewell, client);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Of a message in pieces that Vert.x does not take it keeps the connection, and passes the next one on. */
    private void refuse(Throwable failure, ServerWebSocket client) {
        if (failure instanceof IllegalStateException && !client.isClosed()) {
            client.binaryMessageHandler(null);
            client.textMessageHandler(null);
            tooBig();
        } else {
            end();
        }
    }

    /** Nothing of it came to {@link #type}, nor does what follows. */
    void tooBig() {
        close(TOO_BIG, "a message may have a MiB at most: nothing of it was typed");
    }

    private void type(byte[] bytes) {
        TerminalLink terminal = Objects.requireNonNull(link);
        if (waiting.get() > 0 || !terminal.offer(bytes)) {
            later(bytes.length, () -> terminal.write(bytes));
        }
    }

    /** On the event loop, where reading is stopped and goes on: what is done last comes there after the stop. */
    private void later(int bytes, Runnable next) {
        int size = bytes + MESSAGE;
        if (waiting.addAndGet(size) > MAX_WAITING) {
            connection.reads(false);
        }
        work.add(() -> {
            next.run();
            if (waiting.addAndGet(-size) <= MAX_WAITING) {
                connection.later(() -> connection.reads(waiting.get() <= MAX_WAITING));
            }
        });
    }

    private void resize(String message) {
        TerminalSize size = TaskBodies.terminalSize(message.getBytes(StandardCharsets.UTF_8));
        if (resizes) {
            control.resize(id, size);
        }
    }

    @Override
    public void onOutput(long from, byte[] bytes) {
        ServerWebSocket client = socket;
        if (client != null) {
            send(client, bytes);
            return;
        }
        lock.lock();
        try {
            ServerWebSocket arrived = socket;
            if (arrived == null) {
                hold(bytes);
            } else {
                send(arrived, bytes);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Until its client is there, or has kept us waiting for too long. */
    private void hold(byte[] bytes) {
        early.add(bytes);
        if (behind.addAndGet(bytes.length) > MAX_BEHIND) {
            early.clear();
            connection.hangUp();
        }
    }

    private void send(ServerWebSocket client, byte[] bytes) {
        long before = behind.getAndAdd(bytes.length);
        if (before + bytes.length > MAX_BEHIND || (before > 0 && ALL_BEHIND.get() > MAX_ALL_BEHIND)) {
            behind.addAndGet(MAX_BEHIND); // nothing more is sent
            close(TRY_AGAIN, "too slow: connect again to catch up");
            return;
        }
        for (int at = 0; at < bytes.length; at += FRAME) {
            int end = Math.min(bytes.length, at + FRAME);
            int length = end - at;
            ALL_BEHIND.addAndGet(length);
            client.writeFinalBinaryFrame(Buffer.buffer(length).appendBytes(bytes, at, length))
                    .onComplete(written -> {
                        behind.addAndGet(-length);
                        ALL_BEHIND.addAndGet(-length);
                    });
        }
    }

    @Override
    public void onClose() {
        close(NORMAL, "the terminal is closed");
    }

    private void close(short code, String reason) {
        lock.lock();
        try {
            if (farewell != null) {
                return;
            }
            farewell = new Farewell(code, reason);
            ServerWebSocket client = socket;
            if (client != null) {
                say(farewell, client);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Also when the client was gone first: then there is nothing left to close. */
    private void say(Farewell last, ServerWebSocket client) {
        byte[] bytes = last.reason().getBytes(StandardCharsets.UTF_8);
        String fits = new String(bytes, 0, Math.min(bytes.length, MAX_REASON), StandardCharsets.UTF_8);
        client.close(last.code(), fits).onComplete(told -> end());
        var _ = Threads.after(LAST_READS, connection::hangUp);
    }
}
