package dev.holdfast.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What could make a command read as another one. */
class PlainTest {
    @Test
    void whatMovesTheCursorOrTurnsTheTextAroundIsWrittenOut() {
        assertThat(Plain.line("touch evil #\033[1A\033[2Kls")).isEqualTo("touch evil #⟨001B⟩[1A⟨001B⟩[2Kls");
        assertThat(Plain.line("a\u0007\r\u009b\u007f")).isEqualTo("a⟨0007⟩⟨000D⟩⟨009B⟩⟨007F⟩");
        assertThat(Plain.line("\u202ecod\u2066\u200b\ufeff")).isEqualTo("⟨202E⟩cod⟨2066⟩⟨200B⟩⟨FEFF⟩");
        assertThat(Plain.line("x" + Character.toString(0xE0041))).isEqualTo("x⟨E0041⟩");
        assertThat(Plain.line("a\n\tb")).isEqualTo("a⟨000A⟩⟨0009⟩b");
        assertThat(Plain.text("a\n\tb\033")).isEqualTo("a\n\tb⟨001B⟩");
        assertThat(Plain.line("größe $1 \\ 日本 ⏎ 👍")).isEqualTo("größe $1 \\ 日本 ⏎ 👍");
    }

    @Test
    void jsonSaysTheSame() throws Exception {
        var mapper = new ObjectMapper();
        String hostile = "\033[2K\u202e\u009b\\u" + Character.toString(0xE0041);
        String json = Plain.json(mapper.writeValueAsString(Map.of("cmd", hostile)));
        assertThat(json).matches("[ -~]+");
        assertThat(mapper.readTree(json).path("cmd").asText()).isEqualTo(hostile);
    }
}
