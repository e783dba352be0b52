package dev.holdfast.keeper.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
    private static final String AWKWARD = "a\"b\\c/\b\f\n\r\t\u0000\u001f\u007f ü 世 😀 \ud83d alone";

    @Test
    void whatIsWrittenIsRead() {
        byte[] line = Message.empty()
                .with("text", AWKWARD)
                .with("number", -42L)
                .with("flag", true)
                .with("nothing", null)
                .with("texts", List.of(AWKWARD, ""))
                .with("map", Map.of(AWKWARD, AWKWARD))
                .with("messages", List.of(Map.of("id", "x")))
                .withBytes("bytes", new byte[] {0, -1, 10})
                .line();
        assertThat(new String(line, StandardCharsets.UTF_8)).endsWith("}\n");
        assertThat(line).containsOnlyOnce('\n');
        Message read = Message.parse(line);
        assertThat(read.text("text")).isEqualTo(AWKWARD);
        assertThat(read.number("number")).isEqualTo(-42);
        assertThat(read.flag("flag")).isTrue();
        assertThat(read.has("nothing")).isFalse();
        assertThat(read.texts("texts")).containsExactly(AWKWARD, "");
        assertThat(read.textMap("map")).isEqualTo(Map.of(AWKWARD, AWKWARD));
        assertThat(read.messages("messages").getFirst().text("id")).isEqualTo("x");
        assertThat(read.bytes("bytes")).containsExactly(0, -1, 10);
    }

    @Test
    void everythingThatJsonAllowsIsRead() {
        Message read = Message.parse(" { \"a\" : [ ] , \"b\":{ },\"c\":[1 ,2.5e1,false,null],\"d\":\"\\u00fc\\/\" } "
                .getBytes(StandardCharsets.UTF_8));
        assertThat(read.fields()).containsOnlyKeys("a", "b", "c", "d");
        assertThat(read.fields().get("c"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .containsExactly(1L, 25.0, false, null);
        assertThat(read.text("d")).isEqualTo("ü/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "[]",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "{\"a\":1,",
                "{\"a\":1,}",
                "{a:1}",
                "{\"a\":tru}",
                "{\"a\":-}",
                "{\"a\":99999999999999999999}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"",
                "{\"a\":\"\\",
                "{\"a\":[1 2]}",
                "{} {}"
            })
    void whatIsNoJsonObjectIsRefused(String text) {
        assertThatThrownBy(() -> Message.parse(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void deepNestingIsRefusedNotFollowed() {
        byte[] deep = ("{\"a\":" + "[".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Message.parse(deep)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void aFieldOfAnotherTypeIsNamed() {
        Message message = Message.empty().with("a", 1L).with("b", List.of(1L)).with("c", Map.of("d", 1L));
        assertThatThrownBy(() -> message.text("a")).hasMessage("`a` must be a string");
        assertThatThrownBy(() -> message.number("b")).hasMessage("`b` must be an integer");
        assertThatThrownBy(() -> message.texts("b")).hasMessage("`b` must be a list of strings");
        assertThatThrownBy(() -> message.messages("b")).hasMessage("`b` must be a list of objects");
        assertThatThrownBy(() -> message.textMap("c")).hasMessage("`c` must be an object of strings");
        assertThatThrownBy(() -> message.text("none")).hasMessage("`none` must be a string");
        assertThatThrownBy(() -> Message.empty().with("x", "%").bytes("x")).hasMessage("`x` must be base64");
    }

    @Test
    void anOutputLineIsAMessage() {
        ByteBuffer bytes = ByteBuffer.wrap("grüße\n".getBytes(StandardCharsets.UTF_8));
        Message read = Message.parse(new OutputLine("a \"name\"").of(1234567890123L, bytes));
        assertThat(read.text(Protocol.EVENT)).isEqualTo(Protocol.OUTPUT);
        assertThat(read.text(Protocol.ID)).isEqualTo("a \"name\"");
        assertThat(read.number(Protocol.AT)).isEqualTo(1234567890123L);
        assertThat(read.bytes(Protocol.DATA)).isEqualTo("grüße\n".getBytes(StandardCharsets.UTF_8));
        assertThat(bytes.position()).isZero();
    }
}
