package dev.holdfast.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineBufferTest {
    private final LineBuffer lines = new LineBuffer();

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
        byte[] piece = new byte[1024 * 1024];
        for (int held = 0; held < LineBuffer.MAX_LINE; held += piece.length) {
            lines.append(ByteBuffer.wrap(piece));
            assertThat(lines.next()).isNull();
        }
        assertThatThrownBy(() -> lines.append(ByteBuffer.wrap(piece))).isInstanceOf(MalformedMessageException.class);
    }
}
