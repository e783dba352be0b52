package dev.holdfast.api.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.runtime.ErrorKind;
import dev.holdfast.runtime.Refusal;
import java.nio.charset.StandardCharsets;
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
        return JsonBody.parse(json.getBytes(StandardCharsets.UTF_8));
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

    @Test
    void depthIsLimited() {
        int most = 16;
        assertThat(parse("{\"a\":".repeat(most) + "1" + "}".repeat(most))).isNotNull();
        assertThat(parseError("{\"a\":".repeat(most + 1) + "1" + "}".repeat(most + 1)))
                .contains("depth");
        assertThat(parseError("{\"cmd\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}"))
                .contains("depth");
    }
}
