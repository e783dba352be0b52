package dev.holdfast.keeper.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineBufferTest {
    private static final int MOST = LineBuffer.MOST_TO_KEEPER;

    private final AtomicLong room = new AtomicLong(3L * MOST);
    private final LineBuffer lines = new LineBuffer(MOST, room);

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 1000, 65536})
    void linesComeWholeHoweverTheStreamIsCut(int piece) {
        List<String> sent = List.of("", "short", "x".repeat(200_000), "ü".repeat(40_000), "end");
        byte[] stream = (String.join("\n", sent) + "\n").getBytes(StandardCharsets.UTF_8);
        List<String> received = new ArrayList<>();
        for (int from = 0; from < stream.length; from += piece) {
            lines.append(ByteBuffer.wrap(stream, from, Math.min(piece, stream.length - from)));
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                received.add(new String(line, StandardCharsets.UTF_8));
            }
        }
        assertThat(received).isEqualTo(sent);
    }

    @Test
    void aLineWithoutEndIsRefused() {
        fill(lines);
        assertThatThrownBy(() -> lines.append(ByteBuffer.wrap(new byte[1])))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void allTogetherHoldNoMoreThanTheyMay() {
        List<LineBuffer> all = List.of(lines, new LineBuffer(MOST, room), new LineBuffer(MOST, room));
        all.forEach(LineBufferTest::fill);
        LineBuffer another = new LineBuffer(MOST, room);
        assertThatThrownBy(() -> fill(another)).isInstanceOf(MalformedMessageException.class);
        lines.close();
        another.close();
        fill(new LineBuffer(MOST, room));
        all.forEach(LineBuffer::close);
    }

    private static void fill(LineBuffer lines) {
        byte[] piece = new byte[64 * 1024];
        for (int held = 0; held < MOST; held += piece.length) {
            lines.append(ByteBuffer.wrap(piece));
            assertThat(lines.next()).isNull();
        }
    }
}
