package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SmallBodiesTest {
    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void refused(ThrowingCallable call, String named) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Refusal.class,
                        refusal -> assertThat(String.valueOf(refusal.details().get("parse_error")))
                                .contains(named));
    }

    @Test
    void aBatchHasDefaultsForItsItems() {
        BatchRequest batch = StartBatch.parse(json("""
                {"items":[{"cmd":"a"},{"argv":["b"]},{"cmd":"c","shell":"zsh","login":true,"yield_time_ms":1,
                  "workdir":"x","max_output_tokens":2}],
                 "workdir":"w","shell":"sh","login":false,"max_output_tokens":7,"stop_on_error":true}"""));

        assertThat(batch.stopOnError()).isTrue();
        assertThat(batch.items())
                .extracting(StartRequest::what)
                .containsExactly(
                        new What.ShellText("a", "sh", false),
                        new What.Program(List.of("b")),
                        new What.ShellText("c", "zsh", true));
        assertThat(batch.items()).extracting(StartRequest::workdir).containsExactly("w", "w", "x");
        assertThat(batch.items())
                .extracting(StartRequest::yieldTime)
                .containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofMillis(1));
        assertThat(batch.items()).extracting(StartRequest::maxOutputTokens).containsExactly(7, 7, 2);
        assertThat(batch.items()).extracting(StartRequest::duplicatePolicy).containsOnly(DuplicatePolicy.START_NEW);
        assertThat(StartBatch.parse(json("{\"items\":[{\"cmd\":\"a\"}]}")).stopOnError())
                .isFalse();
    }

    @Test
    void aBatchHasOneToTwelveItems() {
        String item = "{\"cmd\":\"a\"}";
        String twelve = (item + ",").repeat(11) + item;
        assertThat(StartBatch.parse(json("{\"items\":[" + twelve + "]}")).items())
                .hasSize(12);
        refused(() -> StartBatch.parse(json("{\"items\":[" + twelve + "," + item + "]}")), "items");
        refused(() -> StartBatch.parse(json("{\"items\":[]}")), "items");
        refused(() -> StartBatch.parse(json("{}")), "items");
        refused(() -> StartBatch.parse(json("{\"items\":[1]}")), "items[0]");
        refused(() -> StartBatch.parse(json("{\"items\":[{\"cmd\":\"a\"},{\"cmd\":5}]}")), "items[1].cmd");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"tty\":false",
                "\"tty\":true",
                "\"accepts_input\":false",
                "\"duplicate_policy\":\"start_new\"",
                "\"rows\":4",
                "\"nonsense\":1"
            })
    void someFieldsAreNotForABatch(String field) {
        String name = field.substring(1, field.indexOf('"', 1));
        refused(() -> StartBatch.parse(json("{\"items\":[{\"cmd\":\"a\"," + field + "}]}")), "items[0]." + name);
        refused(() -> StartBatch.parse(json("{\"items\":[{\"cmd\":\"a\"}]," + field + "}")), name);
    }

    @Test
    void aStopWithoutABodyHasItsDefaults() {
        for (TaskBodies.StopTask silent : List.of(TaskBodies.stop(new byte[0]), TaskBodies.stop(json("{}")))) {
            assertThat(silent.grace()).isEqualTo(Duration.ofSeconds(5));
            assertThat(silent.forced()).isFalse();
        }
        TaskBodies.StopTask forced = TaskBodies.stop(json("{\"grace_ms\":0,\"force\":true}"));
        assertThat(forced.grace()).isZero();
        assertThat(forced.forced()).isTrue();
        assertThat(TaskBodies.stop(json("{\"grace_ms\":60000}")).grace()).isEqualTo(Duration.ofMinutes(1));
        refused(() -> TaskBodies.stop(json("{\"grace_ms\":60001}")), "grace_ms");
        refused(() -> TaskBodies.stop(json("{\"grace_ms\":-1}")), "grace_ms");
        refused(() -> TaskBodies.stop(json("{\"forced\":true}")), "forced");
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void everySignalHasItsName(Signal signal) {
        assertThat(TaskBodies.signal(json("{\"signal\":\"" + signal.name() + "\"}")))
                .isEqualTo(signal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{}", "{\"signal\":\"SIGINT\"}", "{\"signal\":\"int\"}", "{\"signal\":2}", "{\"signal\":null}"})
    void anythingElseIsNoSignal(String body) {
        refused(() -> TaskBodies.signal(json(body)), "signal");
    }

    @Test
    void aTerminalNeedsBothSides() {
        assertThat(TaskBodies.terminalSize(json("{\"rows\":1,\"cols\":1000}"))).isEqualTo(new TerminalSize(1, 1000));
        refused(() -> TaskBodies.terminalSize(json("{\"rows\":1}")), "cols");
        refused(() -> TaskBodies.terminalSize(json("{\"cols\":1}")), "rows");
        refused(() -> TaskBodies.terminalSize(json("{\"rows\":0,\"cols\":1}")), "rows");
        refused(() -> TaskBodies.terminalSize(json("{\"rows\":1,\"cols\":1001}")), "cols");
    }

    private record Numbers(
            @Schema(description = "without bounds") @Nullable
            Integer any,

            @Schema(minimum = "5") @Nullable Long least) {}

    @Test
    void aNumberHasTheBoundsThatAreTold() {
        assertThat(JsonBody.read(json("{\"any\":2147483647,\"least\":9223372036854775807}"), Numbers.class))
                .isEqualTo(new Numbers(Integer.MAX_VALUE, Long.MAX_VALUE));
        refused(() -> JsonBody.read(json("{\"any\":2147483648}"), Numbers.class), "any");
        refused(() -> JsonBody.read(json("{\"any\":-1}"), Numbers.class), "any");
        refused(() -> JsonBody.read(json("{\"least\":4}"), Numbers.class), "least");
    }

    @Test
    void inputIsOneOfTextBytesAndKeys() {
        assertThat(TaskInput.parse(json("{\"text\":\"é\\n\"}")).bytes()).isEqualTo(json("é\n"));
        assertThat(TaskInput.parse(json("{\"text\":\"\"}")).bytes()).isEmpty();
        assertThat(TaskInput.parse(json("{\"base64\":\"AP8=\"}")).bytes()).isEqualTo(new byte[] {0, (byte) 0xff});
        TaskInput.Written keys = TaskInput.parse(json("{\"keys\":[\"ctrl-c\",\"enter\"],\"eof\":true}"));
        assertThat(keys.bytes()).isEqualTo(new byte[] {3, 13});
        assertThat(keys.keys()).isTrue();
        assertThat(keys.eof()).isTrue();
        TaskInput.Written eof = TaskInput.parse(json("{\"eof\":true}"));
        assertThat(eof.bytes()).isEmpty();
        assertThat(eof.eof()).isTrue();
        assertThat(eof.keys()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"eof\":false}",
                "{\"text\":\"a\",\"base64\":\"\"}",
                "{\"text\":\"a\",\"keys\":[]}",
                "{\"base64\":\"a\"}",
                "{\"base64\":\"a-_=\"}",
                "{\"keys\":[\"ctrl-shift-q\"]}",
                "{\"keys\":\"enter\"}",
                "{\"text\":1}",
                "{\"chars\":\"a\"}"
            })
    void otherInputIsRefused(String body) {
        refused(() -> TaskInput.parse(json(body)), "");
    }

    /** Word for word, since callers were told so before. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "{'workdir':['a']} | `workdir` must be a string, not array | Nothing is converted: send the type.",
                "{'env':{'A':{}}} | `env.A` must be a string, not object | Nothing is converted: send the type.",
                "{'argv':['a',null]} | `argv[1]` must be a string, not null | Send that type; what is not needed is left out.",
                "{'login':null} | `login` must be true or false, not null | Send that type; what is not needed is left out.",
                "{'yield_time_ms':5e0} | `yield_time_ms` must be a whole number, written without a fraction or quotes,"
                        + " not a number with a fraction or an exponent | Nothing is converted: send the type.",
                "{'yield_when':{'idle_ms':0}} | `yield_when.idle_ms` must be between 1 and 600000"
                        + " | Choose a number in these bounds.",
                "{'on_exit':'kill'} | `on_exit` must be one of leave, stop | Use one of these, or leave it out.",
                "{'yield_when':{'port':[1]}} | `yield_when.port` is not a known field"
                        + " | Known fields: idle_ms, needs_input, output_matches, port_open.",
                "{'yield_when':{'idle':1}} | `yield_when.idle` is not a known field"
                        + " | Known fields: idle_ms, needs_input, output_matches, port_open.",
            })
    void aRefusalSaysWhereAndWhatToDo(String item, String problem, String hint) {
        String body = item.replace('\'', '"');

        assertThatThrownBy(() -> StartCommand.parse(json(body))).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal).hasMessage(problem);
            assertThat(refusal.recoveryHint()).isEqualTo(hint);
        });
        assertThatThrownBy(() -> StartBatch.parse(json("{\"items\":[{\"cmd\":\"a\"}," + body + "]}")))
                .hasMessage("`items[1]." + problem.substring(1));
    }
}
