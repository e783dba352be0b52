package dev.holdfast.output;

import static dev.holdfast.task.StreamName.STDOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.runtime.port.OutputStore.Match;
import dev.holdfast.runtime.port.OutputStore.Wanted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of lines that match, and what is not looked at. */
class SearchTest {
    @TempDir
    Path dataDir;

    @AutoClose
    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, 1 << 20);
    }

    private Match only(String pattern) {
        Found found = task.search(pattern, 0, 2, false);
        assertThat(found.matches()).hasSize(1);
        assertThat(task.search(pattern, 0, 2, true).matches()).isEqualTo(found.matches());
        return found.matches().getFirst();
    }

    @Test
    void linesAroundAreTold() throws IOException {
        task.write(STDOUT, "one\ntwo\r\nthe \u001b[31merror\u001b[0m\nfour\nfive\nsix");

        assertThat(task.search("error", 2, 5, false).matches())
                .containsExactly(
                        new Match(STDOUT, 3L, 9, 28, "the error", List.of("one", "two"), List.of("four", "five")));
        assertThat(task.search("one", 2, 5, true).matches().getFirst().before()).isEmpty();
        assertThat(task.search("six", 20, 5, true).matches().getFirst())
                .isEqualTo(new Match(
                        STDOUT, 6L, 38, 41, "six", List.of("one", "two", "the error", "four", "five"), List.of()));
    }

    @Test
    void whatIsNotSeenHidesNothing() throws IOException {
        for (String unseen : List.of("\u001b[1m", "\u0000", "\u007f", "\u0085", "\u001b]0;t\u0007")) {
            task.write(STDOUT, "a line without it\n".repeat(20) + String.join(unseen, "ERROR".split("")) + "\n");
        }

        assertThat(task.search("ERROR", 0, 20, false).matches())
                .extracting(Match::text, Match::line)
                .containsExactlyElementsOf(List.of(
                        tuple("ERROR", 21L),
                        tuple("ERROR", 42L),
                        tuple("ERROR", 63L),
                        tuple("ERROR", 84L),
                        tuple("ERROR", 105L)));
    }

    /** Of iTerm, with line ends; of kitty; sixels in one line that is longer than a block. */
    @ParameterizedTest
    @ValueSource(
            strings = {"\033]1337;File=inline=1:*\007", "\033_Ga=T,f=100;*\033\\", "\033Pq#0~~@@-~~@@-~~@@-*\033\\"})
    void aPictureIsNoText(String picture) throws IOException {
        boolean lines = picture.contains("File");
        String before = "before\nplotting";
        String drawn = picture.replace("*", lines ? "QUFBERROR\n".repeat(40_000) : "QUFBERROR~".repeat(60_000));
        task.write(STDOUT, before + drawn + "shown ERROR\nbehind\n");
        long offset = (long) before.length() + drawn.length();
        offset = lines ? offset - 1 : 7;

        assertThat(only("ERROR"))
                .extracting(Match::text, Match::offset, Match::line)
                .containsExactly("shown ERROR", offset, lines ? 40_002L : 2L);
        assertThat(task.output
                        .readText(OutputFixture.ID, STDOUT, offset, 1 << 20, true)
                        .text())
                .contains("shown ERROR\nbehind\n");
        assertThat(task.search("QUFB|^$", 0, 5, false).matches()).isEmpty();
        assertThat(task.search("behind", 20, 5, false).matches().getFirst().before())
                .containsExactly("shown ERROR");
        assertThat(task.search("before", 20, 5, false).matches().getFirst().after())
                .startsWith("plotting")
                .doesNotContain("QUFBERROR");
    }

    /** Of a bar that is longer than a block. */
    @ParameterizedTest
    @ValueSource(strings = {"\r*/60000 #", "\r\033[K*/60000 #", "\033[2K\r*/60000 #", "*/60000 #\r"})
    void whatStandsFirstInALongLineIsFound(String step) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 10_000; i < 70_000; i++) {
            line.append(step.replace("*", Integer.toString(i)));
        }
        task.write(STDOUT, "before\n" + line + "\rfinished OK\nbehind\n");

        for (String pattern : List.of("finished", "inished", "^finished OK", "finished.*")) {
            assertThat(task.search(pattern, 0, 5, false).matches()).as(pattern).hasSize(1);
            assertThat(task.search(pattern, 0, 5, true).matches()).as(pattern).hasSize(1);
        }
        assertThat(task.search("^nished", 0, 5, false).matches()).isEmpty();
    }

    /** As the text, it is not known before something follows that is no title. */
    @Test
    void whatATitleWithoutAnEndTakesIsNotFound() throws IOException {
        String title = "\033]0;title\n";
        task.write(STDOUT, title + "an ERROR\n".repeat(10));
        Wanted wanted = new Wanted(Pattern.compile("ERROR"), 1, 5, false);
        assertThat(task.output
                        .search(OutputFixture.ID, STDOUT, wanted, false, () -> false)
                        .matches())
                .isEmpty();

        task.write(STDOUT, "an ERROR\n".repeat(1000));
        Match first = task.search("ERROR", 1, 1, false).matches().getFirst();
        assertThat(first.offset()).isBetween((long) Escapes.SHORT - 9, (long) Escapes.SHORT);
        assertThat(first.before()).isEmpty();
        assertThat(task.search("ERROR", 0, 5000, true).matches()).hasSize(1010 - (Escapes.SHORT - title.length()) / 9);
    }

    @Test
    void aLineMayBeOfAnyLength() throws IOException {
        task.write(
                STDOUT,
                "first\nS" + "a b ".repeat(1 << 20) + "Needle42 " + "c ".repeat(1 << 19) + "END\nlast needle\n");
        long start = 6;

        Match match = only("Needle\\d+ c");
        assertThat(match.line()).isEqualTo(2);
        assertThat(match.offset()).isEqualTo(start);
        assertThat(match.text())
                .hasSizeLessThanOrEqualTo(2000)
                .contains("a b Needle42 c")
                .startsWith("…")
                .endsWith("…");
        assertThat(only("^Sa b").line()).isEqualTo(2);
        assertThat(only("^Sa b").text()).startsWith("Sa b").endsWith("…").hasSize(2000);
        assertThat(only("c END$").text()).startsWith("…").endsWith("c END");
        assertThat(only("last needle").line()).isEqualTo(3);
        for (String nowhere : List.of("^(b|c) |^a$|(a|b|c) $", "\\Qb\\E$", "\\A\\Q a\\E")) {
            assertThat(task.search(nowhere, 0, 5, false).matches()).isEmpty();
        }
        assertThat(task.search("last", 1, 5, false)
                        .matches()
                        .getFirst()
                        .before()
                        .getFirst())
                .endsWith("END");
        assertThat(task.search("first", 2, 5, false)
                        .matches()
                        .getFirst()
                        .after()
                        .getFirst())
                .startsWith("Sa b")
                .endsWith("…");
    }

    @Test
    void aCharacterIsNotCut() throws IOException {
        task.write(STDOUT, "😀".repeat(3000) + "x" + "😀".repeat(3000));

        String text = only("x").text();
        assertThat(text)
                .hasSizeLessThanOrEqualTo(2000)
                .hasSizeGreaterThan(1990)
                .startsWith("…😀")
                .endsWith("😀…");
        assertThat(text.substring(1, text.length() - 1).codePoints())
                .doesNotContain(0xFFFD)
                .allMatch(c -> c == 'x' || c == 0x1F600);
    }

    @Test
    void aGapIsPassedOver() throws IOException {
        String head = "needle head\n".repeat(4000);
        task.write(STDOUT, head + "\0".repeat(100_000) + "rest of needle\nneedle tail\n");
        long from = head.length();
        OmittedFile.write(task.folder, STDOUT, new Gap(from, from + 100_000));
        long tail = from + 100_000;

        List<Match> last = task.search("needle", 3, 3, true).matches();
        assertThat(last.get(0))
                .isEqualTo(new Match(
                        STDOUT, null, tail + 15, tail + 27, "needle tail", List.of("rest of needle"), List.of()));
        assertThat(last.get(1))
                .isEqualTo(
                        new Match(STDOUT, null, tail, tail + 15, "rest of needle", List.of(), List.of("needle tail")));
        assertThat(last.get(2).line()).isEqualTo(4000);
        assertThat(last.get(2).after()).isEmpty();
        assertThat(task.search("needle tail|^rest", 0, 3, false).matches())
                .extracting(Match::line, Match::offset)
                .containsExactly(tuple(null, tail), tuple(null, tail + 15));
        assertThat(task.search("\0|^$", 0, 3, false).matches()).isEmpty();
        assertThat(task.search("nowhere", 0, 3, false).searchedBytes()).isEqualTo(from + 27);
        assertThat(task.search("nowhere", 0, 3, true).searchedBytes()).isEqualTo(from + 27);
    }

    @Test
    void nobodyWaitsAnyMore() throws IOException {
        task.write(STDOUT, "a line\n".repeat(1_000_000));
        AtomicInteger asked = new AtomicInteger();
        for (boolean fromEnd : new boolean[] {false, true}) {
            Wanted wanted = new Wanted(Pattern.compile("nowhere"), 0, 1, fromEnd);
            Found found =
                    task.output.search(OutputFixture.ID, STDOUT, wanted, true, () -> asked.incrementAndGet() % 3 == 0);
            assertThat(found.searchedBytes()).isPositive().isLessThan(7_000_000);
        }
    }

    @Test
    void anAnswerIsOfBoundedSize() throws IOException {
        task.write(STDOUT, ("x".repeat(3000) + "\n").repeat(200));

        Found found = task.search("x", 20, 200, false);
        assertThat(found.more()).isTrue();
        assertThat(found.matches()).hasSizeBetween(50, 60);
    }
}
