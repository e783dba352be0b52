package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBodyTest {
    private static String parseError(String json) {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> parse(json));
        assertThat(refusal).as(json).isNotNull();
        assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT);
        assertThat(refusal.recoveryHint()).isNotBlank();
        return String.valueOf(refusal.details().get("parse_error"));
    }

    private static Object parse(String json) {
        return StartCommand.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "\"ls\"",
                "{\"cmd\":\"a\"",
                "{\"cmd\":\"a\"} x",
                "{\"cmd\":\"a\"}{}",
                "{\"cmd\":\"a\",\"cmd\":\"b\"}",
                "{'cmd':'a'}",
                "{\"cmd\":\"a\",}",
                "{\"cmd\":NaN}",
                "{\"cmd\":\"a\",\"env\":{\"A\":\"1\",\"A\":\"2\"}}",
            })
    void whatIsNotOneJsonObjectIsRefused(String json) {
        assertThat(parseError(json)).isNotBlank();
    }

    @Test
    void saysThatTheBodyGoesOn() {
        assertThat(parseError("{\"cmd\":\"a\"}{}")).isEqualTo("the body goes on after its JSON object");
    }

    private record Nested(@Nullable Nested a) {}

    private static byte[] nested(int levels) {
        return ("{\"a\":".repeat(levels - 1) + "{}" + "}".repeat(levels - 1)).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void depthIsLimited() {
        int most = 16;
        assertThat(JsonBody.read(nested(most), Nested.class).a()).isNotNull();
        assertThatThrownBy(() -> JsonBody.read(nested(most + 1), Nested.class)).hasMessageContaining("depth");
        assertThat(parseError("{\"argv\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}"))
                .contains("argv[0]");
    }
}
