package dev.holdfast.message.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
    private static String sent(String key) {
        return new String(Keys.bytes(key).orElseThrow(), StandardCharsets.UTF_8).replace("\033", "ESC");
    }

    @ParameterizedTest
    @CsvSource({
        "up, ESC[A",
        "down, ESC[B",
        "right, ESC[C",
        "left, ESC[D",
        "home, ESC[H",
        "end, ESC[F",
        "insert, ESC[2~",
        "delete, ESC[3~",
        "page-up, ESC[5~",
        "page-down, ESC[6~",
        "f1, ESCOP",
        "f4, ESCOS",
        "f5, ESC[15~",
        "f12, ESC[24~",
        "shift-tab, ESC[Z",
        "escape, ESC",
        "q, q",
        "G, G",
        "é, é",
        "alt-x, ESCx",
        "alt-X, ESCX",
        "Alt-up, ESCESC[A",
        "UP, ESC[A"
    })
    void keysSendWhatATerminalSends(String key, String bytes) {
        assertThat(sent(key)).isEqualTo(bytes);
    }

    @Test
    void controlKeysAreTheirCode() {
        for (char letter = 'a'; letter <= 'z'; letter++) {
            assertThat(sent("ctrl-" + letter)).isEqualTo(String.valueOf((char) (letter - 'a' + 1)));
        }
        assertThat(sent("ctrl-@")).isEqualTo("\0");
        assertThat(sent("ctrl-space")).isEqualTo("\0");
        assertThat(sent("ctrl-[")).isEqualTo("ESC");
        assertThat(sent("ctrl-\\")).isEqualTo("\034");
        assertThat(sent("ctrl-]")).isEqualTo("\035");
        assertThat(sent("ctrl-^")).isEqualTo("\036");
        assertThat(sent("ctrl-_")).isEqualTo("\037");
        assertThat(sent("CTRL-C")).isEqualTo("\003");
        assertThat(sent("alt-ctrl-c")).isEqualTo("ESC\003");
        assertThat(sent("enter")).isEqualTo("\r");
        assertThat(sent("tab")).isEqualTo("\t");
        assertThat(sent("space")).isEqualTo(" ");
        assertThat(sent("backspace")).isEqualTo("\177");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ab",
                "\u001f",
                "ctrl-",
                "ctrl-1",
                "ctrl-é",
                "ctrl-aa",
                "alt-",
                "alt-alt-x",
                "f0",
                "f13",
                "control-c"
            })
    void nothingElseIsAKey(String key) {
        assertThat(Keys.bytes(key)).isEmpty();
    }
}
