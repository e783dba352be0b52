package dev.holdfast.keeper.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lines on their way into a non-blocking socket. Whoever sends writes at once, without a change of threads, and never
 * blocks; what the socket does not take waits for the selector's thread. Thread-safe. (A channel that does not block is
 * also not closed by an interrupt of a thread that writes.)
 */
public final class Outbox {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final AtomicLong all;
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>();
    private long waiting;
    private boolean broken;

    /**
     * @param key of the channel, for reading
     * @param all counts the bytes that wait in all that share it
     */
    public Outbox(SocketChannel channel, SelectionKey key, AtomicLong all) {
        this.all = all;
        this.channel = channel;
        this.key = key;
    }

    /** A broken one takes everything and does nothing. */
    public synchronized void send(byte[] line) {
        if (broken) {
            return;
        }
        queue.add(ByteBuffer.wrap(line));
        count(line.length);
        if (queue.size() == 1 && !flush()) {
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            key.selector().wakeup();
        }
    }

    /** Bytes that the socket has not taken. */
    public synchronized long waiting() {
        return waiting;
    }

    /** Goes on, when the socket takes more. True when nothing waits any more. */
    public synchronized boolean resume() {
        if (broken || !flush() || broken) {
            return false;
        }
        key.interestOps(SelectionKey.OP_READ);
        return true;
    }

    private void count(long change) {
        waiting += change;
        all.addAndGet(change);
    }

    private boolean flush() {
        try {
            while (!queue.isEmpty()) {
                ByteBuffer first = queue.getFirst();
                count(-channel.write(first));
                if (first.hasRemaining()) {
                    return false;
                }
                queue.removeFirst();
            }
            return true;
        } catch (IOException gone) { // the selector's thread finds it broken and closes the channel
            breakOff();
            return true;
        }
    }

    /** Drops what waits and takes nothing more; the selector's thread is woken. */
    public synchronized void breakOff() {
        broken = true;
        queue.clear();
        count(-waiting);
        key.selector().wakeup();
    }

    public synchronized boolean broken() {
        return broken;
    }
}
