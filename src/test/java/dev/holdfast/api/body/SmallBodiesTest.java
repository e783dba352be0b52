package dev.holdfast.api.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.runtime.BatchRequest;
import dev.holdfast.runtime.Refusal;
import dev.holdfast.runtime.StartRequest;
import dev.holdfast.runtime.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.StartRequest.What;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
        BatchRequest batch = BatchBody.parse(json("""
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
        assertThat(BatchBody.parse(json("{\"items\":[{\"cmd\":\"a\"}]}")).stopOnError())
                .isFalse();
    }

    @Test
    void aBatchHasOneToTwelveItems() {
        String item = "{\"cmd\":\"a\"}";
        String twelve = (item + ",").repeat(11) + item;
        assertThat(BatchBody.parse(json("{\"items\":[" + twelve + "]}")).items())
                .hasSize(12);
        refused(() -> BatchBody.parse(json("{\"items\":[" + twelve + "," + item + "]}")), "items");
        refused(() -> BatchBody.parse(json("{\"items\":[]}")), "items");
        refused(() -> BatchBody.parse(json("{}")), "items");
        refused(() -> BatchBody.parse(json("{\"items\":[1]}")), "items[0]");
        refused(() -> BatchBody.parse(json("{\"items\":[{\"cmd\":\"a\"},{\"cmd\":5}]}")), "items[1].cmd");
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
        refused(() -> BatchBody.parse(json("{\"items\":[{\"cmd\":\"a\"," + field + "}]}")), "items[0]." + name);
        refused(() -> BatchBody.parse(json("{\"items\":[{\"cmd\":\"a\"}]," + field + "}")), name);
    }

    @Test
    void aStopWithoutABodyHasItsDefaults() {
        assertThat(TaskBodies.stop(new byte[0])).isEqualTo(new TaskBodies.Stop(Duration.ofSeconds(5), false));
        assertThat(TaskBodies.stop(json("{}"))).isEqualTo(new TaskBodies.Stop(Duration.ofSeconds(5), false));
        assertThat(TaskBodies.stop(json("{\"grace_ms\":0,\"force\":true}")))
                .isEqualTo(new TaskBodies.Stop(Duration.ZERO, true));
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

    @Test
    void inputIsOneOfTextBytesAndKeys() {
        assertThat(InputBody.parse(json("{\"text\":\"é\\n\"}")).bytes()).isEqualTo(json("é\n"));
        assertThat(InputBody.parse(json("{\"text\":\"\"}")).bytes()).isEmpty();
        assertThat(InputBody.parse(json("{\"base64\":\"AP8=\"}")).bytes()).isEqualTo(new byte[] {0, (byte) 0xff});
        InputBody keys = InputBody.parse(json("{\"keys\":[\"ctrl-c\",\"enter\"],\"eof\":true}"));
        assertThat(keys.bytes()).isEqualTo(new byte[] {3, 13});
        assertThat(keys.keys()).isTrue();
        assertThat(keys.eof()).isTrue();
        InputBody eof = InputBody.parse(json("{\"eof\":true}"));
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
        refused(() -> InputBody.parse(json(body)), "");
    }
}
