package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartCommandTest {
    private static StartRequest parse(String json) {
        return StartCommand.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static StartRequest with(String field) {
        return parse("{\"cmd\":\"true\"," + field + "}");
    }

    private static Refusal refused(String json) {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> parse(json));
        assertThat(refusal).as(json).isNotNull();
        assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT);
        assertThat(refusal.recoveryHint()).isNotBlank();
        return refusal;
    }

    private static String parseError(String json) {
        return parseError(refused(json));
    }

    private static String parseError(Refusal refusal) {
        return String.valueOf(refusal.details().get("parse_error"));
    }

    @Test
    void aCommandAloneHasTheDefaultsOfTheContract() {
        StartRequest request = parse("{\"cmd\":\"echo hi\"}");

        assertThat(request.what()).isEqualTo(new What.ShellText("echo hi", null, true));
        assertThat(request.workdir()).isNull();
        assertThat(request.terminal()).isNull();
        assertThat(request.acceptsInput()).isFalse();
        assertThat(request.duplicatePolicy()).isEqualTo(DuplicatePolicy.REUSE_RUNNING);
        assertThat(request.yieldTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(request.yieldWhen()).isEqualTo(YieldWhen.NONE);
        assertThat(request.maxOutputTokens()).isEqualTo(8000);
        assertThat(request.env()).isEmpty();
        assertThat(request.timeout()).isNull();
        assertThat(request.idleTimeout()).isNull();
        assertThat(request.onExit()).isEqualTo(OnExit.LEAVE);
        assertThat(request.labels()).isEmpty();
    }

    @Test
    void everyFieldIsTaken() {
        StartRequest request = parse("""
                {"cmd":"make","workdir":"sub","shell":"zsh","login":false,"tty":true,"rows":1,"cols":1000,
                 "accepts_input":false,"duplicate_policy":"start_new","yield_time_ms":0,
                 "yield_when":{"output_matches":"ready (\\\\d+)","port_open":65535,"idle_ms":1,"needs_input":true},
                 "max_output_tokens":64000,"env":{"A":"1","_b2":null},"timeout_ms":1,"idle_timeout_ms":2,
                 "on_exit":"stop","labels":{"k":"v"}}""");

        assertThat(request.what()).isEqualTo(new What.ShellText("make", "zsh", false));
        assertThat(request.workdir()).isEqualTo("sub");
        assertThat(request.terminal()).isEqualTo(new TerminalSize(1, 1000));
        assertThat(request.acceptsInput()).isFalse();
        assertThat(request.duplicatePolicy()).isEqualTo(DuplicatePolicy.START_NEW);
        assertThat(request.yieldTime()).isZero();
        assertThat(String.valueOf(request.yieldWhen().outputMatches())).isEqualTo("ready (\\d+)");
        assertThat(request.yieldWhen().portOpen()).isEqualTo(65535);
        assertThat(request.yieldWhen().idle()).isEqualTo(Duration.ofMillis(1));
        assertThat(request.yieldWhen().needsInput()).isTrue();
        assertThat(request.env()).containsEntry("A", "1").containsEntry("_b2", null);
        assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1));
        assertThat(request.idleTimeout()).isEqualTo(Duration.ofMillis(2));
        assertThat(request.onExit()).isEqualTo(OnExit.STOP);
        assertThat(request.labels()).isEqualTo(Map.of("k", "v"));
    }

    @Test
    void aTerminalTakesInputAndHasASizeUnlessToldOtherwise() {
        StartRequest request = with("\"tty\":true");

        assertThat(request.terminal()).isEqualTo(new TerminalSize(40, 120));
        assertThat(request.acceptsInput()).isTrue();
        assertThat(with("\"accepts_input\":true").acceptsInput()).isTrue();
    }

    @Test
    void aProgramKeepsItsArgumentsAsTheyAre() {
        assertThat(parse("{\"argv\":[\"printf\",\"\",\" a b\"]}").what())
                .isEqualTo(new What.Program(List.of("printf", "", " a b")));
    }

    @ParameterizedTest
    @CsvSource({
        "yield_time_ms, 0, 600000",
        "max_output_tokens, 1, 64000",
        "timeout_ms, 1, 3155760000000",
        "idle_timeout_ms, 1, 3155760000000"
    })
    void numbersHoldTheirBoundsOnBothSides(String field, long min, long max) {
        with("\"" + field + "\":" + min);
        with("\"" + field + "\":" + max);
        for (long outside : new long[] {min - 1, max + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(parseError("{\"cmd\":\"true\",\"" + field + "\":" + outside + "}"))
                    .contains("`" + field + "`", String.valueOf(min), String.valueOf(max));
        }
        assertThat(parseError("{\"cmd\":\"true\",\"" + field + "\":99999999999999999999999}"))
                .contains(field);
    }

    @ParameterizedTest
    @CsvSource({"rows, 1, 1000", "cols, 1, 1000"})
    void terminalSidesHoldTheirBounds(String field, int min, int max) {
        with("\"tty\":true,\"" + field + "\":" + min);
        with("\"tty\":true,\"" + field + "\":" + max);
        assertThat(parseError("{\"cmd\":\"a\",\"tty\":true,\"" + field + "\":" + (min - 1) + "}"))
                .contains(field);
        assertThat(parseError("{\"cmd\":\"a\",\"tty\":true,\"" + field + "\":" + (max + 1) + "}"))
                .contains(field);
        assertThat(parseError("{\"cmd\":\"a\",\"" + field + "\":5}")).contains(field, "needs a terminal");
        assertThat(parseError("{\"cmd\":\"a\",\"tty\":false,\"" + field + "\":5}"))
                .contains(field);
    }

    @ParameterizedTest
    @CsvSource({"port_open, 1, 65535", "idle_ms, 1, 600000"})
    void conditionsHoldTheirBounds(String field, int min, int max) {
        with("\"yield_when\":{\"" + field + "\":" + min + "}");
        with("\"yield_when\":{\"" + field + "\":" + max + "}");
        for (int outside : new int[] {min - 1, max + 1}) {
            assertThat(parseError("{\"cmd\":\"a\",\"yield_when\":{\"" + field + "\":" + outside + "}}"))
                    .contains("`yield_when." + field + "`");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"yield_time_ms\":\"5\"",
                "\"yield_time_ms\":5.0",
                "\"yield_time_ms\":5e0",
                "\"yield_time_ms\":true",
                "\"yield_time_ms\":null",
                "\"login\":\"true\"",
                "\"login\":1",
                "\"login\":null",
                "\"workdir\":5",
                "\"workdir\":null",
                "\"workdir\":[\"a\"]",
                "\"workdir\":\" \"",
                "\"shell\":\"\"",
                "\"env\":[]",
                "\"env\":{\"A\":1}",
                "\"env\":null",
                "\"labels\":{\"a\":null}",
                "\"labels\":{\"a\":1}",
                "\"labels\":{\"\":\"x\"}",
                "\"labels\":{\"a=b\":\"x\"}",
                "\"yield_when\":[]",
                "\"yield_when\":null",
                "\"yield_when\":{\"needs_input\":false}",
                "\"yield_when\":{\"output_matches\":\"\"}",
                "\"yield_when\":{\"port_open\":\"80\"}",
                "\"duplicate_policy\":\"REUSE_RUNNING\"",
                "\"duplicate_policy\":\"reuse\"",
                "\"on_exit\":\"kill\"",
                "\"tty\":\"yes\"",
                "\"accepts_input\":0",
            })
    void aWrongTypeOrValueIsRefusedByName(String field) {
        String name = field.substring(1, field.indexOf('"', 1));

        assertThat(parseError("{\"cmd\":\"true\"," + field + "}")).contains(name);
    }

    @ParameterizedTest
    @CsvSource({"A, true", "_, true", "a_9, true", "9a, false", "a-b, false", "a b, false", "'', false", "a=b, false"})
    void environmentNamesAreNames(String name, boolean allowed) {
        String json = "{\"cmd\":\"true\",\"env\":{\"" + name + "\":\"x\"}}";
        if (allowed) {
            assertThat(parse(json).env()).containsEntry(name, "x");
        } else {
            assertThat(parseError(json)).contains("env");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"cmd\":\"a\\u0000b\"}",
                "{\"argv\":[\"a\",\"b\\u0000\"]}",
                "{\"cmd\":\"a\",\"env\":{\"A\":\"\\u0000\"}}",
                "{\"cmd\":\"a\",\"env\":{\"A\\u0000\":\"x\"}}",
                "{\"cmd\":\"a\",\"workdir\":\"/tmp\\u0000\"}",
                "{\"cmd\":\"a\",\"labels\":{\"a\":\"\\u0000\"}}",
                "{\"cmd\":\"a\",\"labels\":{\"a\\u0000\":\"\"}}",
                "{\"cmd\":\"\\ud83d\"}",
            })
    void nulAndHalfCharactersAreNoText(String json) {
        refused(json);
    }

    @Test
    void aCommandMayHave100KiBOfUtf8() {
        String most = "é".repeat(50 * 1024);
        assertThat(parse("{\"cmd\":\"" + most + "\"}").what()).isEqualTo(new What.ShellText(most, null, true));

        Refusal refusal = refused("{\"cmd\":\"" + most + "a\"}");
        assertThat(parseError(refusal)).contains("cmd", "102400", "102401");
        assertThat(refusal.recoveryHint()).containsIgnoringCase("write it to a file");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"cmd\":\"\"}",
                "{\"cmd\":\" \\n\"}",
                "{\"cmd\":\"a\",\"argv\":[\"a\"]}",
                "{\"argv\":[]}",
                "{\"argv\":[\"\"]}",
                "{\"argv\":\"ls\"}",
                "{\"argv\":[\"ls\",1]}",
                "{\"argv\":[\"ls\"],\"shell\":\"bash\"}",
                "{\"argv\":[\"ls\"],\"login\":false}",
            })
    void exactlyOneOfCmdAndArgvIsNeeded(String json) {
        refused(json);
    }

    @Test
    void anUnknownFieldIsNamedWithTheOneThatWasMeant() {
        Refusal command = refused("{\"command\":\"ls\"}");
        assertThat(parseError(command)).contains("`command`");
        assertThat(command.recoveryHint()).contains("Did you mean `cmd`?");
        assertThat(refused("{\"cmd\":\"ls\",\"yield_time\":1}").recoveryHint()).contains("`yield_time_ms`");
        assertThat(refused("{\"cmd\":\"ls\",\"CWD\":\"/\"}").recoveryHint()).contains("`workdir`");
        assertThat(parseError("{\"cmd\":\"ls\",\"yield_when\":{\"port\":1}}")).contains("yield_when.port");
        assertThat(refused("{\"cmd\":\"ls\",\"zzzzzzzzzzzzzzzz\":1}").recoveryHint())
                .doesNotContain("Did you mean");
    }

    @Test
    void patternsAreRe2s() {
        Refusal refusal = refused("{\"cmd\":\"a\",\"yield_when\":{\"output_matches\":\"(a)\\\\1\"}}");

        assertThat(refusal.getMessage()).contains("yield_when.output_matches", "invalid escape sequence");
        assertThat(refusal.recoveryHint()).contains("RE2");
        assertThat(with("\"yield_when\":{}").yieldWhen()).isEqualTo(StartRequest.YieldWhen.NONE);
    }

    @Test
    void labelsAreSixteenAtMost() {
        StringBuilder pairs = new StringBuilder("\"k0\":\"v\"");
        for (int i = 1; i < 16; i++) {
            pairs.append(",\"k").append(i).append("\":\"v\"");
        }
        assertThat(with("\"labels\":{" + pairs + "}").labels()).hasSize(16);
        assertThat(parseError("{\"cmd\":\"a\",\"labels\":{" + pairs + ",\"k16\":\"v\"}}"))
                .contains("labels", "16");
        with("\"labels\":{\"" + "k".repeat(128) + "\":\"" + "v".repeat(1024) + "\"}");
        refused("{\"cmd\":\"a\",\"labels\":{\"" + "k".repeat(129) + "\":\"v\"}}");
        refused("{\"cmd\":\"a\",\"labels\":{\"k\":\"" + "v".repeat(1025) + "\"}}");
    }

    static Stream<Arguments> fieldsWithADefault() {
        return Stream.of(StartCommand.class.getRecordComponents())
                .filter(field -> field.getAccessor().isAnnotationPresent(Schema.class))
                .map(field -> Arguments.of(
                        field, field.getAccessor().getAnnotation(Schema.class).defaultValue()))
                .filter(field -> !field.get()[1].equals(""));
    }

    @ParameterizedTest
    @MethodSource("fieldsWithADefault")
    void theDescribedDefaultIsWhatHolds(RecordComponent field, String value) {
        String name = new PropertyNamingStrategies.SnakeCaseStrategy().translate(field.getName());
        String given = field.getType() == String.class ? "\"" + value + "\"" : value;
        String cmd = "{\"cmd\":\"true\"" + (name.matches("rows|cols") ? ",\"tty\":true" : "");

        assertThat(parse(cmd + ",\"" + name + "\":" + given + "}")).isEqualTo(parse(cmd + "}"));
    }
}
