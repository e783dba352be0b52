package dev.holdfast.task;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalScreenTest {
    private static TerminalScreen screen(boolean alternate, boolean whole, String... lines) {
        return new TerminalScreen(
                new TerminalSize(lines.length, 20), 0, 0, true, List.of(lines), "", alternate, true, whole, "");
    }

    @Test
    void keysAreSentAsItsProgramWantsThem() {
        String keys = "\u001b[A\u001b[B\u001b[C\u001b[D\u001b[H\u001b[F\u001b[3~a[A\u001b";
        String asked = "\u001bOA\u001bOB\u001bOC\u001bOD\u001bOH\u001bOF\u001b[3~a[A\u001b";
        for (String paint : List.of("", "\u001b[?1h")) {
            TerminalScreen screen =
                    new TerminalScreen(new TerminalSize(1, 20), 0, 0, true, List.of(""), "", false, false, true, paint);
            assertThat(new String(screen.keys(keys.getBytes(ISO_8859_1)), ISO_8859_1))
                    .isEqualTo(paint.isEmpty() ? keys : asked);
        }
    }

    @Test
    void isShownUpToTheLastLineThatIsNotEmpty() {
        assertThat(screen(false, true, "a", "", "b", "", "").preview(100))
                .isEqualTo(new Preview("a\n\nb", null, false));
        assertThat(screen(false, true, "", "").preview(100)).isEqualTo(Preview.EMPTY);
    }

    @Test
    void saysWhenThereIsMoreThanItShows() {
        assertThat(screen(true, true, "a").preview(100).truncated()).isTrue();
        assertThat(screen(false, false, "a").preview(100).truncated()).isTrue();
    }

    @Test
    void theMiddleIsLeftOutWhereItIsTooLongAndCounted() {
        Preview preview = screen(false, true, "first", "x".repeat(200), "é".repeat(200), "last")
                .preview(60);
        assertThat(preview.truncated()).isTrue();
        assertThat(preview.stdout())
                .startsWith("first\nx")
                .contains(" bytes left out …\n")
                .endsWith("é\nlast");
        assertThat(preview.stdout()).hasSizeLessThanOrEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 40, 41})
    void noCharacterIsHalvedAndEveryByteCounts(int chars) {
        String line = "🙂".repeat(50);
        String shown =
                Objects.requireNonNull(screen(false, true, line).preview(chars).stdout());
        assertThat(new String(shown.getBytes(UTF_8), UTF_8)).isEqualTo(shown);
        String[] parts = shown.split("\n… | bytes left out …\n", -1);
        assertThat(4 * 50 - (parts[0] + parts[2]).getBytes(UTF_8).length).isEqualTo(Integer.parseInt(parts[1]));
    }
}
