package dev.holdfast.host.facts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LastLineTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Go on? ",
                "one\nName: \u001b[7G",
                "\u001b[1G\u001b[0Jpackage name: (demo) \u001b[22G",
                "45%\rdone? ",
                "\u001b]0;title\u0007$ \u001b[?2004h",
            })
    void endsInTheMidstOfALine(String printed) {
        assertThat(LastLine.isUnfinished(printed)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ready\n",
                "ready\r\n\u001b[0m\u001b[?25h",
                "45%\r",
                "⠙ working\u001b[1G",
                "ready\n  ",
                "\n\u001b]0;title\u001b\\",
            })
    void endsWithALine(String printed) {
        assertThat(LastLine.isUnfinished(printed)).isFalse();
    }
}
