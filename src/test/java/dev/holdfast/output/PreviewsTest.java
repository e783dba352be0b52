package dev.holdfast.output;

import static dev.holdfast.output.OutputFixture.ID;
import static dev.holdfast.task.StreamName.STDERR;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kernel.Holes;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.task.Preview;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreviewsTest {
    private static final Pattern MARKER = Pattern.compile("(?m)^… (\\d+) bytes left out …\n");

    @TempDir
    Path dataDir;

    @AutoClose
    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, 1 << 20);
    }

    @Test
    void whatFitsIsShownWhole() throws Exception {
        assertThat(task.shell("printf 'a\\nb\\n'; printf '\\033[31mno\\033[0m' >&2")
                        .waitFor())
                .isZero();

        assertThat(task.output.preview(ID, 100, true)).isEqualTo(new Preview("a\nb\n", "no", false));
    }

    @Test
    void anEmptyStreamIsNull() throws IOException {
        assertThat(task.output.preview(ID, 100, true)).isEqualTo(Preview.EMPTY);
        task.write(STDERR, "x");
        assertThat(task.output.preview(ID, 100, true)).isEqualTo(new Preview(null, "x", false));
    }

    @Test
    void linesAreCountedExactlyAndCutWhole() throws Exception {
        assertThat(task.shell("seq 1 200000").waitFor()).isZero();
        long size = task.output.facts(ID).stdoutBytes();

        Preview preview = task.output.preview(ID, 4000, true);

        Parts parts = parts(preview.stdout());
        assertThat(preview.truncated()).isTrue();
        assertThat(length(preview)).isBetween(3800, 4000);
        assertThat(parts.head()).startsWith("1\n2\n3\n").endsWith("\n");
        assertThat(parts.tail()).endsWith("\n199999\n200000\n").matches("(?s)\\d{6}\n.*");
        assertThat(parts.head().length() + parts.leftOut() + parts.tail().length())
                .isEqualTo(size);
    }

    @Test
    void aLineWithoutAnEndIsCutBetweenCharacters() throws IOException {
        task.write(STDOUT, "x" + "€😀".repeat(100_000));

        Parts parts = parts(task.output.preview(ID, 3001, true).stdout());

        assertThat(parts.head()).matches("x(€😀)+€?\n");
        assertThat(parts.tail()).matches("😀?(€😀)+");
        long shown = parts.head().getBytes(UTF_8).length - 1L + parts.tail().getBytes(UTF_8).length;
        assertThat(shown + parts.leftOut()).isEqualTo(700_001);
    }

    @Test
    void arithmeticHoldsForAnyBudget() throws IOException {
        Random random = new Random(5);
        StringBuilder written = new StringBuilder();
        while (written.length() < 30_000) {
            written.append("ü".repeat(random.nextInt(90))).append('\n');
        }
        task.write(STDOUT, written.toString());
        task.write(STDERR, written.reverse().toString());
        long size = written.toString().getBytes(UTF_8).length;
        for (int budget = 4; budget < 60_100; budget += 1 + random.nextInt(1600)) {
            Preview preview = task.output.preview(ID, budget, true);
            assertThat(length(preview)).as("budget %d", budget).isLessThanOrEqualTo(Math.max(budget, 60));
            for (String shown : new String[] {preview.stdout(), preview.stderr()}) {
                Parts parts = parts(shown);
                int added = parts.leftOut() > 0 && parts.head().endsWith("\n") ? 1 : 0;
                long bytes =
                        parts.head().getBytes(UTF_8).length + parts.tail().getBytes(UTF_8).length + parts.leftOut();
                assertThat(bytes).as("budget %d", budget).isIn(size, size + added);
            }
        }
        assertThat(task.output.preview(ID, 2 * written.length(), true).truncated())
                .isFalse();
    }

    @Test
    void aSmallStreamLeavesItsShareToTheOther() throws IOException {
        task.write(STDOUT, "line of output\n".repeat(10_000));
        task.write(STDERR, "warning\n");
        Preview preview = task.output.preview(ID, 5000, true);
        assertThat(preview.stderr()).isEqualTo("warning\n");
        assertThat(preview.stdout()).hasSizeBetween(4800, 4992);

        task.write(STDERR, "trace\n".repeat(10_000));
        preview = task.output.preview(ID, 5000, true);
        assertThat(preview.stdout()).hasSizeBetween(2300, 2500);
        assertThat(preview.stderr()).hasSizeBetween(2300, 2500);
    }

    @Test
    void escapesTakeNoRoom() throws IOException {
        task.write(STDOUT, "\033[38;5;208m*\033[0m ".repeat(400) + "\n");
        assertThat(task.output.preview(ID, 1000, true).stdout()).isEqualTo("* ".repeat(400) + "\n");

        task.write(STDOUT, "\033[1;31mab\033[0m\n".repeat(10_000));
        Preview preview = task.output.preview(ID, 1000, true);
        assertThat(length(preview)).isGreaterThan(700);
        assertThat(parts(preview.stdout()).tail()).matches("(ab\n)+");
    }

    @Test
    void theTailDoesNotBeginWithinAnEscape() throws IOException {
        task.write(STDOUT, "\033[38;2;10;200;30m#\033[0m".repeat(5_000));
        for (int budget = 300; budget < 340; budget++) {
            assertThat(parts(task.output.preview(ID, budget, true).stdout()).tail())
                    .matches("#+");
        }
    }

    /** Links with long addresses, pictures: wherever it is cut. */
    @Test
    void neitherBeginsTheTailWithinAStringOfAnyLength() throws IOException {
        for (int length : new int[] {200, 2_000, 20_000}) {
            String link = "\033]8;;http://a/" + "u".repeat(length) + "\033\\*\033]8;;\033\\\n";
            Files.writeString(task.folder.output(STDOUT), link.repeat(600_000 / length));
            for (int budget = 300; budget < 340; budget += 3) {
                assertThat(parts(task.output.preview(ID, budget, true).stdout()).tail())
                        .as("%d of %d", budget, length)
                        .matches("(\\*?\n)?(\\*\n)*");
            }
        }
    }

    @Test
    void aPictureIsNotShown() throws IOException {
        String picture = "\033Pq" + "#0~~@@vv$\n".repeat(30_000) + "\033\\";
        task.write(STDOUT, "before\n" + picture + "after\n");

        assertThat(task.output.preview(ID, 1_000, true).stdout())
                .isEqualTo("before\n… " + picture.length() + " bytes left out …\nafter\n");
    }

    @Test
    void aProgressBarIsOneLine() throws Exception {
        assertThat(task.shell("i=0; while [ $i -lt 500 ]; do printf '\\r%d%%' $i; i=$((i+1)); done; echo")
                        .waitFor())
                .isZero();
        assertThat(task.output.preview(ID, 1000, true).stdout()).isEqualTo("499%\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\r", "\033[2K\033[1G", "\033[1G\033[0K", "\033[40D", "\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b"})
    void aProgressBarThatIsCutIsShownAsItLastStood(String back) throws IOException {
        StringBuilder bar = new StringBuilder();
        for (int i = 1; i <= 5_000; i++) {
            bar.append(back).append("task ").append(i).append(" of 5000");
        }
        task.write(STDOUT, "start\r\n" + bar + "\r\ndone\n");

        Parts parts = parts(task.output.preview(ID, 400, true).stdout());

        assertThat(parts.head()).isEqualTo("start\n");
        assertThat(parts.tail()).endsWith("task 5000 of 5000\ndone\n").hasLineCount(2);
    }

    /** A spinner that made room for a result, colours and what erases to the right. */
    @ParameterizedTest
    @ValueSource(strings = {"wait\r\033[K", "\033[31m\033[K"})
    void aLineThatIsNotWrittenOverAnyMoreKeepsItsHead(String before) throws IOException {
        task.write(STDOUT, before + "word\033[K ".repeat(50_000) + "\ndone\n");

        Parts parts = parts(task.output.preview(ID, 400, true).stdout());

        assertThat(parts.head()).startsWith("word word").hasSizeGreaterThan(100);
        assertThat(parts.tail()).endsWith("word \ndone\n");
    }

    @Test
    void aGapCountsAsLeftOut() throws IOException {
        task.write(STDOUT, "0123456\n".repeat(20_000));
        OmittedFile.write(task.folder, STDOUT, new Gap(4096, 155_648));
        Holes.punch(task.folder.output(STDOUT), 4096, 155_648);

        Preview preview = task.output.preview(ID, 100_000, true);

        Parts parts = parts(preview.stdout());
        assertThat(preview.truncated()).isTrue();
        assertThat(parts.leftOut()).isEqualTo(155_648 - 4096);
        assertThat(preview.stdout()).doesNotContain("\0").hasSizeBetween(8448, 8500);
    }

    @Test
    void anUnfinishedCharacterIsShownOnlyAtTheEnd() throws IOException {
        task.write(STDOUT, new byte[] {'a', (byte) 0xE2, (byte) 0x82});

        assertThat(task.output.preview(ID, 100, false).stdout()).isEqualTo("a");
        assertThat(task.output.preview(ID, 100, true).stdout()).isEqualTo("a\uFFFD");
    }

    /** The text before and after the line that counts. */
    private record Parts(String head, long leftOut, String tail) {}

    private static Parts parts(@Nullable String shown) {
        assertThat(shown).isNotNull();
        Matcher marker = MARKER.matcher(String.valueOf(shown));
        if (!marker.find()) {
            return new Parts(String.valueOf(shown), 0, "");
        }
        Parts parts = new Parts(
                String.valueOf(shown).substring(0, marker.start()),
                Long.parseLong(marker.group(1)),
                String.valueOf(shown).substring(marker.end()));
        assertThat(marker.find()).as("one line only").isFalse();
        return parts;
    }

    private static int length(Preview preview) {
        return (preview.stdout() == null ? 0 : preview.stdout().length())
                + (preview.stderr() == null ? 0 : preview.stderr().length());
    }
}
