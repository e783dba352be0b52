package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** It is JSON, so what is wrong is the name, wherever it stands. */
    @Test
    void namesWhatIsGivenTwice() {
        assertThat(parseError("{\"cmd\":\"a\",\"cmd\":\"b\"}")).isEqualTo("`cmd` is given twice");
        assertThat(parseError("{\"cmd\":\"a\",\"env\":{\"A\":\"\",\"B\":\"\",\"A\":\"\"}}"))
                .isEqualTo("`env.A` is given twice");
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

    /** An object is looked at before a tool's own record is; what it is instead is said as it is. */
    private static String objectError(byte[] body) {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> JsonBody.requireObject(body));
        assertThat(refusal).isNotNull();
        return String.valueOf(refusal.details().get("parse_error"));
    }

    @Test
    void anObjectIsOneInUtf8Alone() {
        String object = "{\"cmd\":\"echo é\"}";
        JsonBody.requireObject(object.getBytes(StandardCharsets.UTF_8));
        for (Charset other : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            assertThat(objectError(object.getBytes(other))).as(other.name()).contains("not valid JSON");
            assertThatThrownBy(() -> StartCommand.parse(object.getBytes(other))).isInstanceOf(Refusal.class);
        }
        assertThat(objectError(object.getBytes(StandardCharsets.ISO_8859_1))).contains("Invalid UTF-8");
    }

    @Test
    void whatIsNoObjectIsToldWhatItIs() {
        byte[] deep = ("{\"a\":" + "[".repeat(2000) + "]".repeat(2000) + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(objectError(deep))
                .startsWith("the body is too large or too deep: ")
                .contains("depth");
        assertThat(objectError("[]".getBytes(StandardCharsets.UTF_8))).isEqualTo("the body must be a JSON object");
        assertThat(objectError("{\"a\":}".getBytes(StandardCharsets.UTF_8)))
                .startsWith("the body is not valid JSON: ")
                .contains("column");
        assertThat(objectError("{} {}".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("the body goes on after its JSON object");
        assertThat(objectError(new byte[0])).contains("empty");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":NaN}|Non-standard token 'NaN' (line 1, column 9)",
                "{\"a\":5 // x|Unexpected character ('/' (code 47)): maybe a (non-standard) comment? (line 1, column 8)",
                "{\"a\":[1|Unexpected end-of-input: expected close marker for Array (start marker at line: 1, column: 6)"
                        + " (line 1, column 8)",
            })
    void nothingIsToldOfTheParserItself(String body, String told) {
        assertThat(objectError(body.getBytes(StandardCharsets.UTF_8))).isEqualTo("the body is not valid JSON: " + told);
    }

    @Test
    void whatIsTooLongIsToldWithoutTheNamesOfTheParser() {
        String name = "{\"" + "a".repeat(60_000) + "\":1}";
        String number = "{\"a\":" + "1".repeat(2000) + "}";
        assertThat(objectError(name.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(
                        "the body is too large or too deep: Name length (60000) exceeds the maximum allowed (50000)");
        assertThatThrownBy(() -> StartCommand.parse(number.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Refusal.class)
                .extracting(refused -> ((Refusal) refused).details().get("parse_error"))
                .asString()
                .doesNotContain("StreamRead");
    }

    @Test
    void aTextInAListIsRefusedAsAnyOther() {
        Refusal refusal = catchThrowableOfType(
                Refusal.class,
                () -> StartCommand.parse("{\"argv\":[\"echo\",\"a\\u0000\"]}".getBytes(StandardCharsets.UTF_8)));
        assertThat(refusal.details().get("parse_error")).isEqualTo("`argv[1]` must not hold a NUL character");
        assertThat(refusal.recoveryHint()).startsWith("Send plain Unicode text");
    }

    private record Limits(
            @Schema(minimum = "0", maximum = "9.5") @Nullable
            Double seconds,

            @Nullable Integer lines) {}

    private static Limits lenient(String json) {
        return JsonBody.lenient(json.getBytes(StandardCharsets.UTF_8), Limits.class);
    }

    @Test
    void aNumberMayHaveAFraction() {
        assertThat(lenient("{\"seconds\":0.5}").seconds()).isEqualTo(0.5);
        assertThat(lenient("{\"seconds\":3}").seconds()).isEqualTo(3);
        assertThat(lenient("{\"seconds\":\"3\"}").seconds()).isEqualTo(3);
        for (String wrong : List.of("-1", "9.6", "1e99", "\"soon\"", "true", "null", "[1]")) {
            assertThatThrownBy(() -> lenient("{\"seconds\":" + wrong + "}"))
                    .as(wrong)
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("`seconds`");
        }
        assertThatThrownBy(() -> lenient("{\"seconds\":9.6}")).hasMessageEndingWith("between 0 and 9.5");
    }

    /** JSON Schema has 5.0 for an integer. */
    @Test
    void aModelMayWriteAWholeNumberWithAFraction() {
        for (String written : List.of("5000", "5000.0", "5e3", "50.00e2", "\"5000\"")) {
            assertThat(lenient("{\"lines\":" + written + "}").lines())
                    .as(written)
                    .isEqualTo(5000);
        }
        for (String wrong : List.of("5.5", "5e-1", "1e30", "-1.0", "1e999999999", "\"5.5\"")) {
            assertThatThrownBy(() -> lenient("{\"lines\":" + wrong + "}"))
                    .as(wrong)
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("`lines`");
        }
        assertThatThrownBy(() -> JsonBody.read("{\"lines\":5.0}".getBytes(StandardCharsets.UTF_8), Limits.class))
                .hasMessageContaining("written without a fraction");
    }

    private record Start(
            @Nullable String name,

            @JsonDeserialize(contentUsing = Strict.Value.class) @Nullable
            Map<String, String> env,

            @Nullable Limits limits,
            @Nullable List<Limits> all) {}

    private static Start start(String json) {
        return JsonBody.lenient(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), Start.class);
    }

    @Test
    void aModelMayLeaveOutTheQuotesInAnEnvironment() {
        Start start = start("{'env':{'PORT':3000,'CI':true,'RATE':0.50}}");

        assertThat(start.env()).isEqualTo(Map.of("PORT", "3000", "CI", "true", "RATE", "0.50"));
        assertThatThrownBy(() -> start("{'name':5}")).hasMessage("`name` must be a string, not number");
    }

    @Test
    void aModelsClientMayWriteAListOrAnObjectAsAText() {
        Start start = start("{'limits':'{\\'lines\\':7}','all':'[{\\'lines\\':\\'8\\'}]','name':'[1]'}");

        assertThat(start.limits()).isEqualTo(new Limits(null, 7));
        assertThat(start.all()).containsExactly(new Limits(null, 8));
        assertThat(start.name()).isEqualTo("[1]");
        assertThatThrownBy(() -> start("{'all':'{}'}")).hasMessage("`all` must be a list, not object");
        assertThatThrownBy(() -> start("{'limits':'soon'}")).hasMessage("`limits` must be an object, not string");
        assertThatThrownBy(() -> start("{'limits':'{\\'lines\\':\\'soon\\'}'}"))
                .hasMessage("`limits.lines` must be a whole number, written without a fraction, not string");
        assertThatThrownBy(() -> start("{'all':'[{\\'lines\\':-1}]'}"))
                .hasMessageStartingWith("`all[0].lines` must be");
        assertThatThrownBy(() -> start("{'all':'[{\\'line\\':1}]'}")).hasMessage("`all[0].line` is not a known field");
        assertThatThrownBy(() -> start("{'all':'[5]'}")).hasMessage("`all[0]` must be an object, not number");
        assertThatThrownBy(() -> start("{'all':'[null]'}")).hasMessage("`all[0]` must be an object, not null");
        assertThatThrownBy(() -> start("{'all':'[{\\'lines\\':null}]'}"))
                .hasMessageContaining("`all[0].lines` must be");
        assertThatThrownBy(() -> start("{'all':'[] and more'}")).hasMessage("`all` must be a list, not string");
        assertThatThrownBy(() -> start("{'all':'[{'}")).hasMessage("`all` must be a list, not string");
        byte[] strict = "{\"all\":\"[]\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> JsonBody.read(strict, Start.class)).hasMessageContaining("must be a list, not string");
    }

    private record Optionals(
            @Schema(nullable = true) @Nullable String text,
            @Schema(nullable = true) @Nullable Boolean flag,

            @Schema(nullable = true, minimum = "0") @Nullable
            Double number,

            @Schema(nullable = true) @Nullable List<String> list,

            @Nullable String needed) {}

    /** Of a design that sends one for what it has not. */
    @Test
    void aNullIsAbsentWhereTheSchemaSaysSo() {
        byte[] nulls = "{\"text\":null,\"flag\":null,\"number\":null,\"list\":null}".getBytes(StandardCharsets.UTF_8);

        assertThat(JsonBody.lenient(nulls, Optionals.class)).isEqualTo(new Optionals(null, null, null, null, null));
        byte[] other = "{\"needed\":null}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> JsonBody.lenient(other, Optionals.class))
                .hasMessage("`needed` must be a string, not null");
        byte[] element = "{\"list\":[null]}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> JsonBody.lenient(element, Optionals.class))
                .hasMessage("`list[0]` must be a string, not null");
    }

    /** Quotes are taken there. */
    @Test
    void aModelIsToldNothingOfQuotes() {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> lenient("{\"lines\":\"soon\"}"));

        assertThat(refusal.getMessage())
                .isEqualTo("`lines` must be a whole number, written without a fraction, not string");
        assertThat(refusal.recoveryHint()).isEqualTo("Send that type.");
    }
}
