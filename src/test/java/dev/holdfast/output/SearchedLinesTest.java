package dev.holdfast.output;

import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore.Found;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines that match, found by their bytes, are those that match as text. */
class SearchedLinesTest {
    private static final String[] WORDS = {
        "error",
        "ERROR",
        "Error",
        "err",
        "or",
        "a",
        "k",
        "\u212A",
        "s",
        "\u017F",
        " ",
        "\t",
        "\r\n",
        "\n",
        "\n",
        "\r",
        "\b",
        "\u001b[31m",
        "\u001b[0;1m",
        "\u001b[K",
        "\u001b[2K",
        "\u001b[1D",
        "\u001b]0;t\u0007",
        "\u0000",
        "\u0085",
        "\u007f",
        "é",
        "ß",
        "°",
        "漢字",
        "😀",
        "x=1",
        "12ms",
        "at com.x.Y",
        "Exception",
        "(",
        ".",
        "\u001b",
        "\u001b]0;",
        "\u001b\\",
        "\u0007"
    };

    @TempDir
    Path dataDir;

    @AutoClose
    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, 1 << 20);
    }

    private record Place(@Nullable Long line, long offset, String text) {}

    private static List<Place> places(Found found) {
        return found.matches().stream()
                .map(match -> new Place(match.line(), match.offset(), match.text()))
                .toList();
    }

    /** Each line made text and matched, one after the other; what of it belongs to an escape is none. */
    private static List<Place> expected(byte[] bytes, String regex) {
        Pattern pattern = Pattern.compile(regex, Pattern.MULTILINE);
        List<Place> places = new ArrayList<>();
        long line = 1;
        int begin = 0;
        for (int from = 0; from < bytes.length; line++) {
            int to = from + 1;
            while (to < bytes.length && bytes[to - 1] != '\n') {
                to++;
            }
            while (begin < from) {
                begin = TextView.unit(bytes, begin, bytes.length, true);
            }
            boolean open = bytes[to - 1] != '\n';
            String text =
                    TextView.render(bytes, Math.min(begin, to), to, open).text().replace("\n", "");
            if (begin < to && pattern.matcher(text).find()) {
                places.add(new Place(line, from, text));
            }
            from = to;
        }
        return places;
    }

    private static byte[] output(Random random, int words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < words; i++) {
            if (random.nextInt(50) == 0) {
                bytes.write(random.nextInt(256));
            }
            bytes.writeBytes(WORDS[random.nextInt(WORDS.length)].getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "error",
                "ERROR|err+or$",
                "(?i)error",
                "(?i)ſk",
                "[Kk]",
                "^error",
                "error$",
                "^$",
                "^\\s*at .*Exception",
                "\\berr\\b",
                "\\d+ms",
                "[^a-z]or",
                "[[:alpha:]]{4,}",
                "[^[:alpha:]]",
                "(a|b)*c?k",
                "é",
                "ß|漢",
                "(?i)É",
                "\\p{Han}.",
                "\\x{1F600}",
                "\uFFFD",
                "er{2}or",
                "e(r{2,3}){1,2}?or",
                "x=\\d",
                "\\(.\\.",
                "\\Qx=\\E1",
                ".",
                "(?:(?i)e)RROR",
                "a{1}?k",
                "\\S\\W\\D",
                "error(?P<n>Exception)?Exception",
                "\\t",
                "or\\z",
                "[^\\S]or",
                "°",
                "x{,5}",
                "[]a]=",
                "e.*r.*k$",
                "(?i)[^k]s",
                "\\Aerr",
                "\\x41?err",
                "(|x)err",
                "[\\d-]m",
                "or{0}k",
                "(?i)err|(12|x=)",
                "error|ERR|Exc|at ",
                "(?i)(?:exception|at) com",
                "(error|x)=",
                "(?i)é1|at ",
                "[Aa]t [Cc]om|12"
            })
    void whatTheBytesTellIsWhatTheTextSays(String pattern) throws IOException {
        Random random = new Random(pattern.hashCode());
        for (int round = 0; round < 30; round++) {
            byte[] more = output(random, 40 + random.nextInt(200));
            new RandomAccessFile(task.folder.output(STDOUT).toFile(), "rw").setLength(0);
            task.write(STDOUT, more);
            List<Place> expected = expected(more, pattern);
            Found found = task.search(pattern, 0, 1000, false);
            assertThat(places(found)).as(new String(more, ISO_8859_1)).isEqualTo(expected);
            assertThat(found.more()).isFalse();
            assertThat(found.searchedBytes()).isEqualTo(more.length);
            assertThat(places(task.search(pattern, 0, 1000, true))).isEqualTo(expected.reversed());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "error",
                "(?i)ERROR|k$",
                "^$",
                "^k$",
                "err\\s+or",
                "[^b-z]a\\Wk",
                "a\\n\\n+err",
                "(?s)at com.x.Y.{1,3}k",
                "err$\\n^or",
                "x=1\\Dk",
                "漢字\\s°",
                "\\d+ms[[:space:]]k"
            })
    void aTextInWhichItMatchesIsNotRuledOut(String regex) {
        Random random = new Random(regex.hashCode());
        Pattern pattern = Pattern.compile(regex, Pattern.MULTILINE);
        Predicate<String> sieve = task.output.sieve(pattern);
        int matching = 0;
        for (int round = 0; round < 10_000; round++) {
            byte[] bytes = output(random, 2 + random.nextInt(80));
            String text = "-" + TextView.render(bytes, 0, bytes.length, true).text();
            boolean matches = pattern.matcher(text).find();
            matching += matches ? 1 : 0;
            assertThat(sieve.test(text) || !matches).as(text).isTrue();
        }
        assertThat(matching).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"error", "^err(or)?$", "(?i)ERROR|k$", "^$", "err\\s+or", "\\d+ms"})
    void aTextInWhichItCannotMatchIsRuledOut(String regex) {
        Predicate<String> sieve = task.output.sieve(Pattern.compile(regex, Pattern.MULTILINE));

        assertThat(sieve.test("all is well\nand so on\n".repeat(1000) + "or not"))
                .isFalse();
    }

    @Test
    void overManyBlocks() throws IOException {
        byte[] bytes = output(new Random(1), 400_000);
        task.write(STDOUT, bytes);
        for (String pattern : List.of("errorERRORerr", "(?i)exceptionexception", "at com.x.Y12ms$", "漢字漢字.*err$")) {
            List<Place> expected = expected(bytes, pattern);
            assertThat(expected).hasSizeGreaterThan(2);
            assertThat(places(task.search(pattern, 0, 10_000, false))).isEqualTo(expected);
            assertThat(places(task.search(pattern, 0, 10_000, true))).isEqualTo(expected.reversed());
            assertThat(places(task.search(pattern, 0, 2, false))).isEqualTo(expected.subList(0, 2));
            assertThat(places(task.search(pattern, 0, 2, true)))
                    .isEqualTo(expected.reversed().subList(0, 2));
            assertThat(task.search(pattern, 0, 2, true).more()).isTrue();
        }
    }
}
