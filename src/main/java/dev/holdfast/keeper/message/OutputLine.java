package dev.holdfast.keeper.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Makes the one line that is made often, without going over each of its characters twice. */
public final class OutputLine {
    private static final byte[] END = {'"', '}', '\n'};

    private final String head;

    /** @param id of the terminal; task ids need no escaping, and any other is escaped here once */
    public OutputLine(String id) {
        String escaped = new String(
                Message.empty()
                        .with(Protocol.EVENT, Protocol.OUTPUT)
                        .with(Protocol.ID, id)
                        .line(),
                StandardCharsets.UTF_8);
        this.head = escaped.substring(0, escaped.lastIndexOf('}')) + ",\"" + Protocol.AT + "\":";
    }

    /** Leaves the buffer's position where it is. */
    public byte[] of(long at, ByteBuffer bytes) {
        byte[] raw = new byte[bytes.remaining()];
        bytes.get(bytes.position(), raw);
        byte[] data = Base64.getEncoder().encode(raw);
        byte[] start = (head + at + ",\"" + Protocol.DATA + "\":\"").getBytes(StandardCharsets.UTF_8);
        int length = start.length + data.length + END.length;
        return ByteBuffer.allocate(length).put(start).put(data).put(END).array();
    }
}
