package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class McpMessageTest {
    @ParameterizedTest
    @ValueSource(strings = {"{\"%s\":1}", "{\"a\":\"b\"", "{\"a\":NaN}", "{\"a\":tru}"})
    void whatCannotBeReadIsToldWithoutTheNamesOfTheParser(String form) {
        String message = form.formatted("a".repeat(60_000));
        assertThat(McpMessage.of(Buffer.buffer(message), false, false, _ -> null))
                .isInstanceOfSatisfying(
                        McpMessage.Answered.class,
                        answer -> assertThat(answer.json().toString())
                                .contains("The message cannot be read as JSON: ")
                                .doesNotContain("StreamRead", "JsonReadFeature", "Source", "BufferRecyc"));
    }
}
