package dev.holdfast.host.terminal;

import dev.holdfast.keeper.message.LineBuffer;
import dev.holdfast.keeper.message.MalformedMessageException;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Outbox;
import dev.holdfast.keeper.message.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one connection to a keeper. Requests are for any thread and are written by the thread that makes them; one daemon
 * thread reads, and runs whatever waits for an answer or an event, in the order in which the keeper spoke. That thread
 * must not be held up.
 */
final class KeeperConnection implements AutoCloseable {
    /** What happens without being asked for; called on the reader's thread. */
    interface Events {
        void onEvent(Message event);

        /** Last. The requests that were not answered have failed already. */
        void onDisconnect(KeeperConnection broken);
    }

    private static final Logger LOG = System.getLogger(KeeperConnection.class.getName());
    /** More than this unread by the keeper, in bytes: it is stuck. */
    private static final long STUCK = 16 * 1024 * 1024;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Outbox outbox;
    private final Events events;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<Message>> unanswered = new ConcurrentHashMap<>();
    private final CompletableFuture<Message> hello = new CompletableFuture<>();

    private KeeperConnection(SocketChannel channel, Selector selector, Events events) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.events = events;
        channel.configureBlocking(false);
        this.key = channel.register(selector, SelectionKey.OP_READ);
        this.outbox = new Outbox(channel, key, new AtomicLong());
    }

    /**
     * @throws IOException nobody listens
     * @throws OutOfMemoryError there is no thread to be had
     */
    static KeeperConnection open(Path socket, Events events) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return begin(channel, Selector.open(), events);
        } catch (IOException | RuntimeException | Error refused) {
            channel.close();
            throw refused;
        }
    }

    private static KeeperConnection begin(SocketChannel channel, Selector selector, Events events) throws IOException {
        try {
            KeeperConnection connection = new KeeperConnection(channel, selector, events);
            Thread.ofPlatform().daemon().name("keeper-reader").start(connection::run);
            return connection;
        } catch (IOException | RuntimeException | Error refused) {
            selector.close(); // lets the channel's descriptor go too
            throw refused;
        }
    }

    /** Completes when the keeper has spoken; exceptionally, with a {@link KeeperGoneException}, when it is none. */
    CompletableFuture<Message> hello() {
        return hello;
    }

    /**
     * Sends a request.
     *
     * @param read runs on the reader's thread, before anything the keeper said later is looked at
     * @return completes exceptionally with a {@link KeeperGoneException}, or a {@link KeeperRefusal}
     */
    <T> CompletableFuture<T> ask(Message request, Function<Message, T> read) {
        long number = numbers.incrementAndGet();
        byte[] line = request.with(Protocol.NUMBER, number).line();
        if (line.length > LineBuffer.MOST_TO_KEEPER) {
            return CompletableFuture.failedFuture(new KeeperRefusal("it takes " + line.length
                    + " bytes to tell the keeper, and may take " + LineBuffer.MOST_TO_KEEPER));
        }
        CompletableFuture<Message> answer = new CompletableFuture<>();
        CompletableFuture<T> outcome = answer.thenApply(read);
        unanswered.put(number, answer);
        send(line);
        if (outbox.broken()) {
            fail(unanswered.remove(number));
        }
        return outcome;
    }

    /** Sends a request that is not answered. */
    void tell(Message request) {
        send(request.line());
    }

    private void send(byte[] line) {
        outbox.send(line);
        if (outbox.waiting() > STUCK) {
            close();
        }
    }

    /**
     * Blocks until the answer is there. One that does not come in time means a keeper that is stuck: what it was asked
     * is given up with the connection.
     */
    <T> T await(CompletableFuture<T> answer, Duration limit) throws IOException {
        try {
            return take(answer, limit.toNanos());
        } catch (KeeperSilentException stuck) {
            close();
            throw stuck;
        }
    }

    /** The same, and nothing is given up. */
    static <T> T take(CompletableFuture<T> answer, long nanos) throws IOException {
        try {
            return answer.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw switch (failed.getCause()) {
                case KeeperGoneException gone -> gone;
                case KeeperRefusal refusal -> refusal;
                case null, default -> new IOException("the keeper's answer makes no sense", failed);
            };
        } catch (TimeoutException stuck) {
            throw new KeeperSilentException();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KeeperGoneException("interrupted while waiting for the keeper");
        }
    }

    boolean open() {
        return !outbox.broken();
    }

    private void run() {
        try (selector;
                channel) {
            LineBuffer lines = new LineBuffer(LineBuffer.MOST_FROM_KEEPER, new AtomicLong(LineBuffer.MOST_FROM_KEEPER));
            ByteBuffer received = ByteBuffer.allocateDirect(64 * 1024);
            while (open()) {
                selector.select();
                if (key.isWritable()) {
                    outbox.resume();
                }
                received.clear();
                if (channel.read(received) < 0) {
                    break;
                }
                lines.append(received.flip());
                for (byte[] line = lines.next(); line != null; line = lines.next()) {
                    received(line);
                }
            }
        } catch (IOException | MalformedMessageException | UncheckedIOException broken) {
            LOG.log(Level.DEBUG, "the connection to the keeper broke", broken);
        } finally {
            outbox.breakOff();
            fail(hello);
            unanswered.keySet().forEach(number -> fail(unanswered.remove(number)));
            events.onDisconnect(this);
        }
    }

    private void received(byte[] line) {
        Message message = Message.parse(line);
        if (message.has(Protocol.HELLO)) {
            greeted(message);
        } else if (message.has(Protocol.NUMBER)) {
            answered(message);
        } else if (message.has(Protocol.EVENT)) {
            events.onEvent(message);
        } else {
            LOG.log(Level.WARNING, "the keeper says: {0}", message.fields().get(Protocol.ERROR));
        }
    }

    private void greeted(Message message) {
        if (Protocol.NAME.equals(message.fields().get(Protocol.HELLO))) {
            hello.complete(message);
        } else {
            hello.completeExceptionally(new KeeperGoneException("what listens is no keeper"));
            close();
        }
    }

    private void answered(Message message) {
        CompletableFuture<Message> waiting = unanswered.remove(message.number(Protocol.NUMBER));
        if (waiting == null) {
            return; // whoever asked has given up
        }
        if (message.has(Protocol.ERROR)) {
            waiting.completeExceptionally(new KeeperRefusal(message.text(Protocol.ERROR)));
        } else {
            waiting.complete(message);
        }
    }

    private static void fail(@Nullable CompletableFuture<Message> waiting) {
        if (waiting != null) {
            waiting.completeExceptionally(new KeeperGoneException("the keeper went away before it answered"));
        }
    }

    /** The reader ends; the keeper, which hears of it at once, and its terminals live on. */
    @Override
    public void close() {
        outbox.breakOff();
        try {
            channel.shutdownOutput();
        } catch (IOException gone) {
            LOG.log(Level.DEBUG, "the keeper has hung up before", gone);
        }
    }
}
