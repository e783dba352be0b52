package dev.holdfast.keeper;

import dev.holdfast.keeper.message.LineBuffer;
import dev.holdfast.keeper.message.Message;
import dev.holdfast.keeper.message.Outbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server that is connected. Sending never blocks: what the socket does not take waits here, bounded. Sending is for
 * any thread, everything else for the loop's.
 */
final class Connection {
    /** How much may wait before output is refused, in bytes: whoever is behind looks into the files instead. */
    static final int OUTPUT_WAITING = 256 * 1024;
    /** How much may wait at all; a connection that does not even read answers is closed. */
    static final int WAITING = 4 * 1024 * 1024;
    /** The same for all connections together. */
    static final int ALL_OUTPUT_WAITING = 2 * 1024 * 1024;

    static final int ALL_WAITING = 8 * 1024 * 1024;
    /** How much of unfinished requests all connections together may hold. */
    private static final int ALL_REQUESTS = 6 * 1024 * 1024;

    private static final AtomicLong ROOM = new AtomicLong(ALL_REQUESTS);
    private static final AtomicLong ALL = new AtomicLong();

    private final SocketChannel channel;
    private final Outbox outbox;
    private final LineBuffer lines = new LineBuffer(LineBuffer.MOST_TO_KEEPER, ROOM);
    private final Map<String, Terminal> watched = new HashMap<>();
    private boolean refused;
    private boolean hungUp;

    Connection(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.outbox = new Outbox(channel, key, ALL);
    }

    /** The terminals whose output it gets, by id. */
    Map<String, Terminal> watched() {
        return watched;
    }

    LineBuffer lines() {
        return lines;
    }

    /** @return what {@link SocketChannel#read} returns */
    int read(ByteBuffer into) {
        try {
            int count = channel.read(into);
            hungUp = count < 0;
            return count;
        } catch (IOException reset) { // it left something of ours unread
            hungUp = true;
            return -1;
        }
    }

    /** Whether nobody is there any more: what was still to be read has been. */
    boolean hungUp() {
        return hungUp;
    }

    /** Sends output, or refuses it when too much waits; the loop calls for {@link #catchUp} when nothing does. */
    void offer(byte[] line) {
        synchronized (outbox) { // or the last could be sent between the look and the note
            if (outbox.waiting() > OUTPUT_WAITING || (outbox.waiting() > 0 && ALL.get() > ALL_OUTPUT_WAITING)) {
                refused = true;
                return;
            }
        }
        outbox.send(line);
    }

    /** It is called for {@link #catchUp} later. */
    void refuse() {
        synchronized (outbox) {
            refused = true;
        }
    }

    /** Sends what must arrive. */
    void send(Message message) {
        send(message.line());
    }

    /** The same, for a line that is made already. */
    void send(byte[] line) {
        outbox.send(line);
        if (outbox.waiting() > WAITING || ALL.get() > ALL_WAITING) {
            outbox.breakOff();
        }
    }

    /** Goes on writing. True when nothing waits any more and output was refused meanwhile. */
    boolean resume() {
        synchronized (outbox) {
            boolean wasRefused = outbox.resume() && refused;
            refused &= !wasRefused;
            return wasRefused;
        }
    }

    /** Brings all terminals of this connection that fell behind up to now. */
    void catchUp() {
        watched.values().forEach(terminal -> terminal.catchUp(this));
    }

    boolean broken() {
        return outbox.broken();
    }

    void close() {
        outbox.breakOff();
        lines.close();
        watched.values().forEach(terminal -> terminal.detach(this));
        watched.clear();
        try {
            channel.close();
        } catch (IOException unclosable) {
            Log.line("a connection could not be closed: " + unclosable);
        }
    }
}
