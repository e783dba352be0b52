package dev.holdfast.runtime.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.StreamName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputCursorTest {
    private static final OutputStore.Facts FACTS = new OutputStore.Facts(100, 7, 0, null);

    @Test
    void ofOneStreamItIsAnOffset() {
        OutputCursor cursor = OutputCursor.parse(StreamName.STDERR, "7", FACTS);
        assertThat(cursor.of(StreamName.STDERR)).isEqualTo(7);
        assertThat(cursor.text(StreamName.STDERR)).isEqualTo("7");
    }

    @Test
    void ofBothItIsTwo() {
        OutputCursor cursor = OutputCursor.parse(null, "100.0", FACTS);
        assertThat(cursor).isEqualTo(new OutputCursor(100, 0));
        assertThat(OutputCursor.parse(null, cursor.text(null), FACTS)).isEqualTo(cursor);
    }

    @Test
    void absentItIsTheStartAndNegativeTheLastBytes() {
        assertThat(OutputCursor.parse(null, null, FACTS)).isEqualTo(new OutputCursor(0, 0));
        assertThat(OutputCursor.parse(null, "-10", FACTS)).isEqualTo(new OutputCursor(90, 0));
        assertThat(OutputCursor.parse(StreamName.STDOUT, "-5", FACTS).stdout()).isEqualTo(95);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.0"})
    void theStartIsTheSameHoweverItIsWritten(String text) {
        assertThat(OutputCursor.parse(null, text, FACTS)).isEqualTo(OutputCursor.START);
        assertThat(OutputCursor.parse(StreamName.STDERR, text, FACTS)).isEqualTo(OutputCursor.START);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "1.", ".1", "1.2.3", "--1", "-", "-x", "1e3", " 1", "5", "99999999999999999999.0", "٣.٣"
            })
    void whatIsNoneIsRefused(String text) {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> OutputCursor.parse(null, text, FACTS))
                .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_TOOL_INPUT));
    }

    @Test
    void oneOfAnotherReadIsToldWhatItIsOf() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> OutputCursor.parse(null, "14", FACTS))
                .satisfies(refusal -> assertThat(refusal.recoveryHint()).contains("both streams", "0.0"));
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> OutputCursor.parse(StreamName.STDERR, "14.5", FACTS))
                .satisfies(refusal -> assertThat(refusal.recoveryHint()).contains("this stream alone"));
    }

    @Test
    void beyondTheEndItHasExpired() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> OutputCursor.parse(StreamName.STDOUT, "101", FACTS))
                .satisfies(refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.CURSOR_EXPIRED));
    }
}
