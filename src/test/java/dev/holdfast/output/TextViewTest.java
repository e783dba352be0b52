package dev.holdfast.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.keeper.screen.Screen;
import dev.holdfast.keeper.screen.Width;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextViewTest {
    static Stream<Arguments> lines() {
        return Stream.of(
                arguments("plain", "plain"),
                arguments("a\nb\n", "a\nb\n"),
                arguments("a\tb", "a\tb"),
                arguments("dos\r\nlines\r\n", "dos\nlines\n"),
                arguments("abc\rX", "Xbc"),
                arguments("abc\r", "abc"),
                arguments("10%\r20%\r100%\ndone\n", "100%\ndone\n"),
                arguments("long line\r\033[Kshort\n", "short\n"),
                arguments("long line\r\033[2Kshort\n", "short\n"),
                arguments("long line\033[2K\033[1Gshort\n", "short\n"),
                arguments("abcdef\033[3D\033[K!\n", "abc!\n"),
                arguments("abcdef\033[2G\033[1K\n", "  cdef\n"),
                arguments("Progress 50 percent\r\033[Jdone\n", "done\n"),
                arguments("Progress 50 percent\033[1K\rdone\n", "done\n"),
                arguments("abcdef\033[1J\033[1J\033[2G!\n", " !\n"),
                arguments("abcdef\033[2J\033[1Gx\n", "x\n"),
                arguments("abcdef\033[3J\n", "abcdef\n"),
                arguments("abcdef\r\033[2X\n", "  cdef\n"),
                arguments("abcdef\033[3G\033[9X\n", "ab\n"),
                arguments("abcdef\r\033[2P\n", "cdef\n"),
                arguments("abcdef\033[3G\033[P!\n", "ab!ef\n"),
                arguments("abcdef\033[3G\033[9P!\n", "ab!\n"),
                arguments("进度ab\r\033[P\n", " 度ab\n"),
                arguments("进度ab\r\033[X\n", "  度ab\n"),
                arguments("abe\u0301f\r\033[2Px\n", "xf\n"),
                arguments("abe\u0301f\r\033[P\n", "be\u0301f\n"),
                arguments("a\tb\r\033[P\n", "       b\n"),
                arguments("abc\033[4Dx\033[Cy\n", "xby\n"),
                arguments("N\bNA\bAM\bM", "NAM"),
                arguments("build \0337|\0338/\0338-\0338done\n", "build done\n"),
                arguments("build \033[s10%\033[u100%\033[u\033[Kdone\n", "build done\n"),
                arguments("one\0337\ntwo\0338!\n", "one\ntwo!\n"),
                arguments("two\0338!\n", "two!\n"),
                arguments("ab\b \b", "a "),
                arguments("\b\bok", "ok"),
                arguments("a\u0000b\u0007c\u000Bd\u007Fe\u000Ef", "abcdef"),
                arguments("\033[1;31mred\033[0m \033[38;5;208mx\033[m", "red x"),
                arguments("\033[38:2::1:2:3mtrue colour\033[0m", "true colour"),
                arguments("\033[?25l\033[?1049hscreen\033[?25h", "screen"),
                arguments("\033[2J\033[H\033[3;4Htop\033[10A", "top"),
                arguments("\033]0;title\007after", "after"),
                arguments("\033]8;;http://x/\033\\link\033]8;;\033\\ end", "link end"),
                arguments("\033]0;ünï\u0007after", "after"),
                arguments("\033Pq#0;2;0\033\\after", "after"),
                arguments("\033_apc\033\\\033^pm\033\\\033Xsos\033\\after", "after"),
                arguments("\033ktitle\033\\after", "after"),
                arguments("\033Ptmux;\033\033]0;t\007\033\\after", "after"),
                arguments("\033(B\033)0\033*A\033%Gafter", "after"),
                arguments("\0337\0338\033=\033>\033M\033c\033Dafter", "after"),
                arguments("\033 F\033#8after", "after"),
                arguments("\033[31\nnext", "\nnext"),
                arguments("\033\nnext", "\nnext"),
                arguments("\033\033[1mx", "x"),
                arguments("\033[3\033[1mx", "x"),
                arguments("\033]half\033[1mx", "x"),
                arguments("\033]half\030x", "x"),
                arguments("\033[1éx", "éx"),
                arguments("\033[99999999999999999999Gx\033[99999999999Cy", "xy"),
                arguments("\033[99999999999999999999Dx", "x"),
                arguments("\u0085\u009B31m\u0090x", "31mx"),
                arguments("😀 日本\r😁", "😁 日本"),
                arguments("进度 5%\rdone", "done 5%"),
                arguments("进度\rx", "x 度"),
                arguments("进度\b\bx", "进x "),
                arguments("进度\bx", "进 x"),
                arguments("a进\033[2D\033[K!", "a!"),
                arguments("a进\b\033[K!", "a !"),
                arguments("e\u0301a\rx", "xa"),
                arguments("e\u0301a\r\033[Cx", "e\u0301x"),
                arguments("进\u0301a\r\033[2Cx", "进\u0301x"),
                arguments("\u0301a\rx", "\u0301x"),
                arguments("👩\u200D🚀ab\rcccc", "ccccab"),
                arguments("a\tb\rX", "X\tb"),
                arguments("a\tb\rXYZ", "XYZ\tb"),
                arguments("a\tb\r12345678X", "12345678X"),
                arguments("a\tb\b\bX", "a      Xb"),
                arguments("a\tb\033[5GX", "a   X\tb"),
                arguments("helo world\b\b\b\b\b\b\b\033[1@l\n", "hello world\n"),
                arguments("\u8fdb\u5ea6\r\033[2@\u91cf\033[Ka", "\u91cfa"),
                arguments("e\u0301x\r\033[3@ab", "abe\u0301x"),
                arguments("ab\b\033[9999@", "ab"),
                arguments("abcdefghij\r\tX", "abcdefghXj"),
                arguments("abc\r\tX", "abc\tX"),
                arguments("a\tb\033[4G\033[Kc", "a  c"),
                arguments("name\t 5%\rname\t10%\n", "name\t10%\n"),
                arguments("\uFEFFbom", "\uFEFFbom"));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void readsAsAPersonWould(String written, String read) {
        assertThat(all(written.getBytes(UTF_8))).isEqualTo(read);
    }

    /** But for blanks at the end of a line, which nobody sees; and of half a wide character that moves on. */
    @ParameterizedTest
    @ValueSource(strings = {"进 度量", "ESC[P ESC[2P ESC[50P ESC[@i ESC[3@jkl"})
    void linesThatAreEditedReadAsTheScreenShowsThem(String some) {
        String all = some
                + " a bc 50% e\u0301 TAB \r \r \b \b\b\b ESC[4D ESC[K ESC[1K ESC[J ESC[1J ESC[X ESC[3X ESC[50X ESC7 ESC8 ESC[s ESC[u";
        String[] pieces = all.replace("ESC", "\033").replace("TAB", "\t").split(" ", -1);
        Random random = new Random(17);
        for (int i = 0; i < 5_000; i++) {
            StringBuilder line = new StringBuilder("\0337");
            for (int j = random.nextInt(14); j >= 0; j--) {
                line.append(pieces[random.nextInt(pieces.length)]);
            }
            Screen screen = new Screen(2, 300);
            screen.print(ByteBuffer.wrap(bytes(line.toString())));
            String shown = screen.picture().orElseThrow().lines().getFirst();
            screen.close();
            assertThat(expanded(all(bytes(line.toString()))).stripTrailing())
                    .as(line.toString().replace("\033", "ESC"))
                    .isEqualTo(shown.stripTrailing());
        }
    }

    private static String expanded(String line) {
        StringBuilder columns = new StringBuilder();
        int column = 0;
        for (int c : line.codePoints().toArray()) {
            int width = c == '\t' ? 8 - column % 8 : Width.of(c);
            columns.append(c == '\t' ? " ".repeat(width) : Character.toString(c));
            column += width;
        }
        return columns.toString();
    }

    @Test
    void badBytesReadAsTheJdkReadsThem() {
        Random random = new Random(7);
        byte[] tricky = {
            'a',
            (byte) 0x80,
            (byte) 0xBF,
            (byte) 0xC0,
            (byte) 0xC2,
            (byte) 0xE0,
            (byte) 0xA0,
            (byte) 0xE2,
            (byte) 0x9F,
            (byte) 0xED,
            (byte) 0xF0,
            (byte) 0x90,
            (byte) 0xF4,
            (byte) 0x8F,
            (byte) 0xF5,
            (byte) 0xFF,
            'b',
            (byte) 0xC3
        };
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            for (int j = 0; j < bytes.length; j++) {
                bytes[j] = tricky[random.nextInt(tricky.length)];
            }
            String jdk = new String(bytes, UTF_8).replaceAll("[\\x{80}-\\x{9f}]", "");
            assertThat(all(bytes)).as(Arrays.toString(bytes)).isEqualTo(jdk);
        }
    }

    @Test
    void anUnfinishedCharacterOrEscapeIsLeftForTheNextRead() {
        assertThat(TextView.render(bytes("ab€"), 0, 4, false)).isEqualTo(new TextView.Rendered("ab", 2, 0, 0));
        assertThat(TextView.render(bytes("ab\033[3"), 0, 5, false)).isEqualTo(new TextView.Rendered("ab", 2, 0, 0));
        assertThat(TextView.render(bytes("ab\033]0;tit"), 0, 9, false)).isEqualTo(new TextView.Rendered("ab", 2, 0, 0));
        assertThat(TextView.render(bytes("ab\033]0;tit\033"), 0, 10, false))
                .isEqualTo(new TextView.Rendered("ab", 2, 0, 0));
    }

    /** Whoever reads it once more from there sees what all of it shows. */
    @Test
    void aLineStandsAsItDoesFromWhereItWasDrawnAnew() {
        String[] pieces = {
            "abc",
            "x",
            "é",
            "你",
            "e\u0301",
            "\n",
            "\r",
            "\r",
            "\b",
            "\t",
            "\033[1G",
            "\033[G",
            "\033[3G",
            "\033[K",
            "\033[1K",
            "\033[2K",
            "\033[D",
            "\033[9D",
            "\033[2C",
            "\033[2@",
            "\033[P",
            "\0337",
            "\0338",
            "\033[31m"
        };
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            int cut = 0;
            for (int j = 0; j < 14; j++) {
                text.append(pieces[random.nextInt(pieces.length)]);
                cut = j == 9 ? bytes(text.toString()).length : cut;
            }
            byte[] bytes = bytes(text.toString());
            TextView.Rendered first = TextView.render(bytes, 0, cut, false);
            String anew =
                    TextView.render(bytes, first.lineFrom(), bytes.length, true).text();
            assertThat(first.text().substring(0, first.line()) + anew)
                    .as(text.toString()
                            .replace("\033", "ESC")
                            .replace("\r", "CR")
                            .replace("\b", "BS"))
                    .isEqualTo(all(bytes));
        }
    }

    @Test
    void atTheEndNothingIsLeft() {
        assertThat(TextView.render(bytes("ab€"), 0, 4, true)).isEqualTo(new TextView.Rendered("ab\uFFFD", 4, 0, 0));
        assertThat(TextView.render(bytes("ab\033[3"), 0, 5, true)).isEqualTo(new TextView.Rendered("ab", 5, 0, 0));
        assertThat(TextView.render(bytes("ab\033"), 0, 3, true)).isEqualTo(new TextView.Rendered("ab", 3, 0, 0));
    }

    @Test
    void anUnfinishedLineIsDelivered() {
        assertThat(TextView.render(bytes("Continue? [y/n] "), 0, 16, false).text())
                .isEqualTo("Continue? [y/n] ");
    }

    @Test
    void anEscapeWithoutAnEndSwallowsNoMoreThanItsLimit() {
        String written = "before\033]" + "x".repeat(10_000) + "\nafter\n";
        String read = all(bytes(written));
        assertThat(read).isEqualTo("before" + "x".repeat(10_002 - Escapes.SHORT) + "\nafter\n");
        assertThat(all(bytes(written + "more \033[1mof\033[m it"))).endsWith("x\nafter\nmore of it");
        assertThat(all(bytes("\033]" + "x".repeat(Escapes.LIMIT) + "\007"))).hasSize(Escapes.LIMIT + 2 - Escapes.SHORT);
        assertThat(all(bytes("\033[" + "1;".repeat(5000) + "mtext")))
                .endsWith("mtext")
                .hasSizeLessThan(6000);
        assertThat(all(bytes("\033]" + "€".repeat(3000)))).matches("€+");
    }

    /** A clipboard, a picture of iTerm, one of kitty, sixels with lines. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033]52;c;QUJD*\007",
                "\033]1337;File=size=9:QUJD/+==*\033\\",
                "\033_Ga=T,f=100;QUJD*\033\\",
                "\033Pq#0~~@@-\r\n*\033\\"
            })
    void aLongStringIsPassedOver(String written) {
        int star = written.indexOf('*');
        String repeated = written.substring(star - 4, star).repeat(50_000);
        byte[] bytes = bytes("before " + written.replace("*", repeated) + "after");

        assertThat(all(bytes)).isEqualTo("before after");
        for (int cut : new int[] {8, 5000, 150_000, bytes.length - 6}) {
            assertThat(TextView.render(bytes, 0, cut, false)).isEqualTo(new TextView.Rendered("before ", 7, 0, 0));
        }
    }

    @Test
    void splitAnywhereItReadsTheSame() {
        for (byte[] input : inputs()) {
            String whole = all(input);
            for (int cut = 0; cut <= input.length; cut++) {
                TextView.Rendered first = TextView.render(input, 0, cut, false);
                TextView.Rendered rest = TextView.render(input, first.end(), input.length, true);
                assertThat(first.text() + rest.text()).as("cut at %d", cut).isEqualTo(whole);
            }
        }
    }

    @Test
    void splitIntoManyItReadsTheSame() {
        Random random = new Random(3);
        for (byte[] input : inputs()) {
            StringBuilder text = new StringBuilder();
            int from = 0;
            int to = 0;
            while (to < input.length) {
                to = Math.min(input.length, to + 1 + random.nextInt(40));
                TextView.Rendered part = TextView.render(input, from, to, to == input.length);
                text.append(part.text());
                from = part.end();
            }
            assertThat(text.toString()).isEqualTo(all(input));
        }
    }

    @Test
    void timeIsLinear() {
        String[] nasty = {
            "\033",
            "\033[",
            "\033]",
            "\033[1",
            "\033P\033]",
            "\033]x",
            "\b",
            "\r",
            "\033[K",
            "\033[1K",
            "a\r",
            "\033[1K\b",
            "\r\033[P",
            "\r\033[9999X",
            "\n\t\t\t\t\t\t\t\r\033[P"
        };
        for (String unit : nasty) {
            byte[] input = bytes("x".repeat(1_000_000) + unit.repeat(1_000_000 / unit.length()));
            Assertions.assertTimeout(Duration.ofSeconds(20), () -> all(input), unit);
        }
    }

    /** Everything but what moves back within a line, which a cut cannot follow. */
    private static byte[][] inputs() {
        String[] pieces = {
            "plain ",
            "ü",
            "€",
            "😀",
            "\n",
            "\r\n",
            "\033[1;31m",
            "\033[0m",
            "\033]0;title\007",
            "\033]8;;http://a\033\\",
            "\033(B",
            "\0337",
            "\033P1;2|x\033\\",
            "\033k€\033\\",
            "\t",
            "\u0007",
            "\033[\033[1m",
            "\033]cut\030",
            "\u009B",
            "\033[3é"
        };
        byte[][] bad = {
            {(byte) 0x80}, {(byte) 0xE2, (byte) 0x82}, {(byte) 0xF0, (byte) 0x9F}, {(byte) 0xC0, (byte) 0xAF}
        };
        Random random = new Random(11);
        byte[][] inputs = new byte[60][];
        for (int i = 0; i < inputs.length; i++) {
            ByteArrayOutputStream input = new ByteArrayOutputStream();
            for (int j = 0; j < 25; j++) {
                input.writeBytes(
                        random.nextInt(6) == 0
                                ? bad[random.nextInt(bad.length)]
                                : bytes(pieces[random.nextInt(pieces.length)]));
            }
            inputs[i] = input.toByteArray();
        }
        inputs[0] = bytes("x\033]" + "€".repeat(1500) + "y".repeat(500) + "\nz");
        inputs[1] = bytes("x\033]" + "y".repeat(5000) + "\007z");
        inputs[2] = bytes("x\033]" + "y".repeat(5000) + "\nz z");
        return inputs;
    }

    private static String all(byte[] bytes) {
        TextView.Rendered rendered = TextView.render(bytes, 0, bytes.length, true);
        assertThat(rendered.end()).isEqualTo(bytes.length);
        return rendered.text();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
