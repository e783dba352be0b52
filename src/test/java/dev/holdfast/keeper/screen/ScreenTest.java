package dev.holdfast.keeper.screen;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.keeper.message.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScreenTest {
    static List<Recording> recordings() throws IOException {
        return Recording.all();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void showsWhatTmuxShows(Recording recording) {
        assertThat(recording.played()).isEqualTo(recording.shown());
    }

    /** Whoever connects at any moment sees what he would see had he been there from the beginning, now and later. */
    @ParameterizedTest
    @MethodSource("recordings")
    void isTheSameForWhoIsPaintedItAtAnyCut(Recording recording) {
        Recording.Part part = recording.parts().getLast();
        byte[] bytes = part.bytes();
        Random random = new Random(7);
        for (int round = 0; round < 40; round++) {
            int cut = random.nextInt(bytes.length + 1);
            Screen first = new Screen(part.rows(), part.cols());
            first.print(ByteBuffer.wrap(bytes, 0, cut));
            Picture picture = first.picture().orElseThrow();
            Screen second = new Screen(part.rows(), part.cols());
            second.print(ByteBuffer.wrap(picture.paint().getBytes(UTF_8)));
            assertThat(second.picture().orElseThrow())
                    .describedAs("cut at %d", cut)
                    .usingRecursiveComparison()
                    .ignoringFields("usedAlternate", "whole") // what was before is not painted
                    .isEqualTo(picture);
            first.close();
            second.close();
        }
    }

    /** Whoever connects is painted what a terminal conceals by itself. */
    @Test
    void whatIsConcealedIsNotSeen() {
        Screen screen = new Screen(1, 20);
        screen.print(ByteBuffer.wrap("a\033[8ms世\033[28mb".getBytes(UTF_8)));

        Picture picture = screen.picture().orElseThrow();
        screen.close();
        assertThat(picture.lines()).containsExactly("a   b");
        assertThat(picture.paint()).contains(";8m", "s世");
    }

    /** The keeper has 48 MiB for all screens and more. */
    @Test
    void aCellTakesTwelveBytesWhateverItsColours() {
        Screen screen = new Screen(1_000, 1_000);
        Random random = new Random(3);
        long before = used();
        for (int row = 1; row <= 1_000; row++) {
            StringBuilder text = new StringBuilder("\033[" + row + ";1H");
            for (int col = 0; col < 500; col++) {
                String colour = random.nextInt(256) + ";" + random.nextInt(256) + ";" + random.nextInt(256);
                text.append("\033[38;2;" + colour + ";48;2;" + colour + "m漢");
            }
            screen.print(ByteBuffer.wrap(text.toString().getBytes(UTF_8)));
        }
        assertThat(used() - before).isLessThan(14_000_000);
        assertThat(Grid.cells()).isEqualTo(1_000_000);
        screen.close();
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void takesAnything(int seed) {
        Random random = new Random(seed);
        String likely = "\033\033\033[[[];?:0123456789hlmHJKLMPSTXZ@ABCDEFGrsu()78=>\r\n\t\b 漢e\u0301\007\\#!pqtgb";
        Screen screen = new Screen(24, 80);
        for (int round = 0; round < 400; round++) {
            byte[] bytes = new byte[1024];
            random.nextBytes(bytes);
            if (round % 4 > 0) {
                StringBuilder text = new StringBuilder();
                random.ints(700, 0, likely.length()).forEach(at -> text.append(likely.charAt(at)));
                bytes = text.toString().getBytes(UTF_8);
            }
            screen.print(ByteBuffer.wrap(bytes));
            if (round % 20 == 0) {
                screen.resize(1 + random.nextInt(60), 1 + random.nextInt(200));
            }
            Picture picture = screen.picture().orElseThrow();
            assertThat(picture.lines()).hasSize(picture.rows());
            assertThat(picture.paint().length()).isLessThan(60 * 200 * 64);
            assertThat(picture.cursorRow()).isBetween(0, picture.rows() - 1);
            assertThat(picture.cursorCol()).isBetween(0, picture.cols() - 1);
        }
        screen.close();
        assertThat(Grid.cells()).isZero();
    }

    @Test
    void aCursorThatWasSavedBelowWhatTheTerminalHasNowIsOnItsLastRow() {
        Screen screen = new Screen(5, 10);
        screen.print(ByteBuffer.wrap("\033[5;1H0123456789\0337\033[H".getBytes(UTF_8)));
        screen.resize(3, 10);
        assertThat(screen.picture().orElseThrow().paint()).contains("\033[3;10H");
        screen.close();
    }

    @Test
    void whatIsErasedHasTheBackground() {
        assertThat(paint(3, 6, "\033[44mab\033[K\r\nc\033[2J\033[0m"))
                .contains("\033[1;1H\033[0;48;5;4m      \033[0m", "\033[3;1H\033[0;48;5;4m      \033[0m");
    }

    @Test
    void tellsWhatOutlastsTheText() {
        String modes =
                "\033[?1h\033[?2004h\033[?1002;1006h\033=\033[2;3r\033[?6h\033[?7l\033[4h\033(0\033[3 q\033[?25l";
        assertThat(paint(4, 20, "\033]2;called\007" + modes))
                .contains("\033]0;called\007", "\033[?1h", "\033[?2004h", "\033[?1002h", "\033[?1006h", "\033=")
                .contains("\033[2;3r", "\033[?6h", "\033[?7l", "\033[4h", "\033(0", "\033[3 q", "\033[?25l");
    }

    /** Else a screen of the largest size, or all of them together, could take the keeper's memory. */
    @Test
    void oneThatHasNoRoomIsGivenUp() {
        byte[] everywhere = "\033#8".getBytes(UTF_8);
        List<Screen> screens = List.of(new Screen(1000, 1000), new Screen(1000, 1000), new Screen(1000, 900));
        screens.forEach(screen -> screen.print(ByteBuffer.wrap(everywhere)));
        assertThat(screens.getFirst().picture()).isPresent();
        assertThat(screens.get(1).picture()).isPresent();
        assertThat(screens.getLast().picture()).isEmpty();
        screens.forEach(Screen::close);
        assertThat(Grid.cells()).isZero();
    }

    @Test
    void theLargestIsWholeAndWhatIsBehindItTakesNoRoomFromIt() {
        Screen screen = new Screen(1000, 1000);
        screen.print(ByteBuffer.wrap("\033#8\033[?1049h".getBytes(UTF_8)));
        for (int y = 0; y < 1000; y++) {
            screen.print(ByteBuffer.wrap(("x".repeat(1000) + (y < 999 ? "\r\n" : "")).getBytes(UTF_8)));
        }
        Picture picture = screen.picture().orElseThrow();
        assertThat(picture.lines()).hasSize(1000).containsOnly("x".repeat(1000));
        assertThat(picture.paint()).contains("\033[1000;1H" + "x".repeat(1000));
        screen.close();
    }

    /** A message that is too long would cost the connection: 4 MiB may wait. */
    @ParameterizedTest
    @ValueSource(strings = {"é", "\033[3%d;1;4mx", "\033[38;2;1;2;3%dm界", "a\u0301\u0302\u0303\u0304"})
    void theLargestFitsAMessageWhateverIsDrawn(String drawn) throws IOException {
        Screen screen = new Screen(1000, 1000);
        String line = (drawn.formatted(1) + drawn.formatted(2)).repeat(250);
        for (int i = 0; i < 2000; i++) {
            screen.print(ByteBuffer.wrap(line.getBytes(UTF_8)));
        }
        Message message = new Message(screen.picture().orElseThrow().fields());
        assertThat(message.line().length).isBetween(1_000_000, 4_000_000);
        screen.close();
    }

    @Test
    void noControlIsDrawnOrInATitle() {
        Picture picture = picture(1, 10, "a\u009b1mb\u0085\177c\033]0;t\u009ci\177\u0080t\007");
        assertThat(picture.lines()).containsExactly("a1mbc");
        assertThat(picture.title()).isEqualTo("tit");
    }

    @Test
    void knowsWhatWasBefore() {
        assertThat(picture(3, 10, "a\r\nb\r\nc")).matches(Picture::whole).matches(picture -> !picture.usedAlternate());
        assertThat(picture(3, 10, "a\r\nb\r\nc\r\nd")).matches(picture -> !picture.whole());
        assertThat(picture(3, 10, "a\033[?1049hb\r\n\n\n\n\n\033[?1049l"))
                .matches(Picture::whole)
                .matches(Picture::usedAlternate)
                .matches(picture -> !picture.alternateScreen());
    }

    @Test
    void aCountWithoutEndCostsNothing() {
        assertThat(paint(3, 10, "a\033[999999999999b\033[99999999L\033[99999999P\033[99999999;99999999H"))
                .contains("\033[3;10H");
    }

    private static String paint(int rows, int cols, String printed) {
        return picture(rows, cols, printed).paint();
    }

    private static Picture picture(int rows, int cols, String printed) {
        Screen screen = new Screen(rows, cols);
        screen.print(ByteBuffer.wrap(printed.getBytes(UTF_8)));
        Picture picture = screen.picture().orElseThrow();
        screen.close();
        return picture;
    }
}
