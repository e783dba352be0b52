package dev.holdfast.keeper;

import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Protocol;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The keeper's one thread for connections: accepts, reads requests, goes on writing, and knows when to leave. */
final class KeeperLoop {
    /** More than all servers and tools that ever talk to one keeper at once. */
    private static final int MOST_CONNECTIONS = 64;
    /** In buffers of the size of {@link #received}; more than the kernel keeps of one socket by default. */
    private static final int SOCKET_HOLDS = 5;

    private final ServerSocketChannel door;
    private final Selector selector;
    private final long idleNanos;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Terminals terminals;
    private final Requests requests;
    private final ByteBuffer received = ByteBuffer.allocateDirect(64 * 1024);
    private long neededAt;

    KeeperLoop(ServerSocketChannel door, Duration idle) throws IOException {
        this.door = door;
        this.idleNanos = idle.toNanos();
        this.selector = Selector.open();
        this.terminals = new Terminals(this::announce, selector::wakeup);
        this.requests = new Requests(terminals);
        door.configureBlocking(false);
        door.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Until nobody has needed it for long enough; then nobody can connect any more. */
    void run() throws IOException {
        try (selector; // closed last: a channel that is registered is open until its selector is closed
                door) {
            neededAt = System.nanoTime();
            while (serveUnlessFull()) {}
        }
    }

    /** What was to be done meanwhile is done next time. */
    private boolean serveUnlessFull() throws IOException {
        try {
            return serveOnce();
        } catch (OutOfMemoryError full) {
            return true;
        }
    }

    private boolean serveOnce() throws IOException {
        long rest = needed() ? 0 : idleNanos - (System.nanoTime() - neededAt);
        if (rest < 0) {
            return false;
        }
        selector.select(this::serve, rest == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(rest) + 1);
        connections.stream().filter(Connection::broken).toList().forEach(this::leave);
        return true;
    }

    private boolean needed() {
        boolean needed = !connections.isEmpty() || !terminals.isEmpty();
        if (needed) {
            neededAt = System.nanoTime();
        }
        return needed;
    }

    private void serve(SelectionKey key) {
        if (key.isValid() && key.isAcceptable()) {
            accept();
        } else if (key.attachment() instanceof Connection connection) {
            serve(connection, key);
        }
    }

    private void serve(Connection connection, SelectionKey key) {
        try {
            if (key.isValid() && key.isWritable() && connection.resume()) {
                connection.catchUp();
            }
            if (key.isValid() && key.isReadable()) {
                read(connection);
            }
        } catch (RuntimeException | OutOfMemoryError broken) { // the terminals live on
            leave(connection);
            Log.line("a connection is closed: " + broken);
        }
    }

    private void accept() {
        try {
            SocketChannel channel = door.accept();
            if (channel == null) {
                return;
            }
            if (connections.size() >= MOST_CONNECTIONS) {
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            Connection connection = new Connection(channel, key);
            key.attach(connection);
            connections.add(connection);
            connection.send(Message.empty()
                    .with(Protocol.HELLO, Protocol.NAME)
                    .with(Protocol.PROTOCOL, Protocol.VERSION)
                    .with(Protocol.PID, ProcessHandle.current().pid()));
        } catch (IOException | OutOfMemoryError unaccepted) {
            Log.line("nobody can connect: " + unaccepted);
        }
    }

    /** All that is there is read first, so that it is known whether whoever asked has hung up meanwhile. */
    private void read(Connection connection) {
        List<byte[]> lines = new ArrayList<>();
        int reads = 0;
        while (reads++ < SOCKET_HOLDS && connection.read(received.clear()) > 0) {
            connection.lines().append(received.flip());
            byte[] line;
            while ((line = connection.lines().next()) != null) {
                lines.add(line);
            }
        }
        lines.forEach(line -> requests.handle(connection, line));
        if (connection.hungUp()) {
            leave(connection);
        }
    }

    private void leave(Connection connection) {
        connections.remove(connection);
        connection.close();
    }

    /** On any thread. */
    private void announce(Message event) {
        connections.forEach(connection -> connection.send(event));
    }
}
