package dev.holdfast.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * A server that is connected. Sending never blocks: what the socket does not take waits here, bounded. Sending is for
 * any thread, everything else for the loop's.
 */
final class Connection {
    /** How much output may wait before the connection is told to look into the files instead. */
    static final int OUTPUT_WAITING = 256 * 1024;
    /** How much may wait at all; a connection that does not even read answers is closed. */
    static final int WAITING = 4 * 1024 * 1024;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final LineBuffer lines = new LineBuffer();
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>();
    private final Map<String, Terminal> watched = new HashMap<>();
    private int queued;
    private boolean refused;
    private volatile boolean broken;

    Connection(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /** The terminals whose output it gets, by id. */
    Map<String, Terminal> watched() {
        return watched;
    }

    LineBuffer lines() {
        return lines;
    }

    /** @return what {@link SocketChannel#read} returns */
    int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    /** Sends output, or refuses it when too much waits; the loop then calls for {@link #catchUp} when nothing does. */
    synchronized boolean offer(byte[] line) {
        if (queued > OUTPUT_WAITING) {
            refused = true;
            return false;
        }
        enqueue(line);
        return true;
    }

    /** Sends what must arrive. */
    synchronized void send(Message message) {
        enqueue(message.line());
        if (queued > WAITING) {
            breakOff();
        }
    }

    private void enqueue(byte[] line) {
        if (broken) {
            return;
        }
        queue.add(ByteBuffer.wrap(line));
        queued += line.length;
        if (queue.size() == 1 && !flush()) {
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            key.selector().wakeup();
        }
    }

    /** Writes what the socket takes; true when nothing is left. */
    private boolean flush() {
        try {
            while (!queue.isEmpty()) {
                ByteBuffer first = queue.getFirst();
                queued -= channel.write(first);
                if (first.hasRemaining()) {
                    return false;
                }
                queue.removeFirst();
            }
            return true;
        } catch (IOException gone) { // the loop finds it broken and lets it go
            breakOff();
            return true;
        }
    }

    /** Goes on writing. True when nothing waits any more and output was refused meanwhile. */
    synchronized boolean drained() {
        if (broken || !flush() || broken) {
            return false;
        }
        key.interestOps(SelectionKey.OP_READ);
        boolean wasRefused = refused;
        refused = false;
        return wasRefused;
    }

    /** Brings all terminals of this connection that fell behind up to now. */
    void catchUp() {
        watched.values().forEach(terminal -> terminal.catchUp(this));
    }

    private void breakOff() {
        broken = true;
        queue.clear();
        queued = 0;
        key.selector().wakeup();
    }

    boolean broken() {
        return broken;
    }

    void close() {
        synchronized (this) {
            breakOff();
        }
        watched.values().forEach(terminal -> terminal.detach(this));
        watched.clear();
        try {
            channel.close();
        } catch (IOException unclosable) {
            Log.line("a connection could not be closed: " + unclosable);
        }
    }
}
