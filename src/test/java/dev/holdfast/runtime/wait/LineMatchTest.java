package dev.holdfast.runtime.wait;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import dev.holdfast.kernel.KernelEvents;
import dev.holdfast.output.OutputFiles;
import dev.holdfast.runtime.TaskFolder;
import dev.holdfast.runtime.wait.LineMatch.Line;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pattern in a stream of bytes: which line, and where the next look goes on. */
class LineMatchTest {
    private static final TaskId ID = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZZ");

    @TempDir
    Path dataDir;

    private final KernelEvents events = new KernelEvents();
    private OutputFiles outputs;

    @BeforeEach
    void open() throws IOException {
        outputs = new OutputFiles(dataDir, events, 1L << 30, 0);
        Files.createDirectories(TaskFolder.of(dataDir, ID).path());
    }

    @AfterEach
    void close() {
        outputs.close();
        events.close();
    }

    private void print(String text) throws IOException {
        Files.writeString(
                outputs.file(ID, StreamName.STDOUT), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private LineMatch match(String pattern, long begin) {
        return new LineMatch(Pattern.compile(pattern, Pattern.MULTILINE), outputs, ID, StreamName.STDOUT, begin);
    }

    private static @Nullable Line look(LineMatch match) {
        while (match.read(false)) {
            Line line = match.find();
            if (line != null) {
                return line;
            }
        }
        return null;
    }

    /** What follows {@code next} is what a reader goes on with. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "one;two;three;|two|two|three;",
                "one;two|two|two|",
                "\u001b[32mready\u001b[0m on \u001b[1m80\u001b[0m;next|^ready on 80$|ready on 80|next",
                "10%>50%>100%;done;|100%|100%|done;",
                "grüße;bäh;|grüße|grüße|bäh;",
                "one;two;three;|one;two|one;two|three;",
                "one;two;|one;|one|two;",
                "a;;b;|^$||b;",
                "one;ready;next;\u001b_Gf=100;more;more;\u001b\\end;|ready|ready|next;\u001b_Gf=100;more;more;\u001b\\end;",
            })
    void theLineAndWhatFollowsIt(String printed, String pattern, @Nullable String line, @Nullable String rest)
            throws IOException {
        String bytes = printed.replace(';', '\n').replace('>', '\r');
        print(bytes);

        Line found = look(match(pattern.replace(';', '\n'), 0));

        assertThat(found).isNotNull();
        assertThat(found.text()).isEqualTo(line == null ? "" : line.replace(';', '\n'));
        byte[] following =
                outputs.read(ID, StreamName.STDOUT, found.next(), 100).bytes();
        assertThat(new String(following, UTF_8)).isEqualTo(rest == null ? "" : rest.replace(';', '\n'));
    }

    @Test
    void aLineFarDownInMuch() throws IOException {
        print("no\n".repeat(200_000) + "ready " + "y".repeat(200) + "\nno\n");

        Line found = look(match("^ready", 0));

        assertThat(found).isEqualTo(new Line("ready " + "y".repeat(200), 600_207));
    }

    /** It ends behind what is read at a time. */
    @Test
    void aLineThatIsCutByAReadIsWhole() throws IOException {
        print("x".repeat(65_530) + "\nready on 8080\nnext");

        assertThat(look(match("ready", 0))).isEqualTo(new Line("ready on 8080", 65_545));
    }

    @Test
    void aLongLineIsCutAroundItsMatch() throws IOException {
        print("a".repeat(10_000) + "HERE" + "b".repeat(10_000) + "\nnext");

        Line found = look(match("HERE", 0));

        assertThat(found.text()).hasSize(LineMatch.MOST_TEXT).contains("aHEREb");
        assertThat(found.next()).isEqualTo(20_005);
    }

    /** What is kept of a line that is longer than that begins in its middle. */
    @Test
    void whatIsLetGoOfIsNotTakenForAnEndOfLine() throws IOException {
        LineMatch match = match("^b", 0);
        print("a" + "b".repeat(70_000));
        assertThat(look(match)).isNull();
        print("b\nbe\n");

        assertThat(look(match)).isEqualTo(new Line("be", 70_006));
    }

    @Test
    void lookingGoesOnAtTheLineThatItHasComeTo() throws IOException {
        LineMatch match = match("never", 0);
        print("one\ntwo\nhalf");
        assertThat(look(match)).isNull();
        assertThat(match.lineFrom()).isEqualTo(8);
        print("way");
        assertThat(look(match)).isNull();
        assertThat(match.lineFrom()).isEqualTo(8);
    }

    /** It reads as it stands, however it came. */
    @Test
    void aLineThatIsDrawnOverIsLookedAtAsItStands() throws IOException {
        LineMatch match = match("^added \\d+", 0);
        print("npm\n");
        for (int i = 0; i < 3000; i++) {
            print("\r\033[K" + "-\\|/".charAt(i % 4) + " building");
            assertThat(look(match)).isNull();
        }
        print("\r\033[Kadded 5 packages\nnext");

        assertThat(look(match)).isEqualTo(new Line("added 5 packages", 4 + 3000 * 14 + 21));
    }

    /** As npm and its like draw: the cursor goes to the first column, or the line is erased. */
    @ParameterizedTest
    @ValueSource(strings = {"\033[1G\033[0K", "\033[2K\033[G", "\b\b\b\b\b\b\b\b\b\b"})
    void aLineIsDrawnOverWithoutACarriageReturnToo(String anew) throws IOException {
        LineMatch match = match("^added \\d+", 0);
        for (int i = 0; i < 3000; i++) {
            print(anew + "-\\|/".charAt(i % 4) + " building");
            assertThat(look(match)).isNull();
        }
        print(anew + "added 5 packages\n");

        assertThat(look(match)).isNotNull();
    }

    @Test
    void whatAFormerWaitSawOfALineIsDrawnOverToo() throws IOException {
        print("fetching 10%");
        LineMatch match = match("^done", 12);
        print("\rfetching 50%\rfetching 90%");
        assertThat(look(match)).isNull();
        print("\r\033[Kdone");

        assertThat(look(match)).isEqualTo(new Line("done", 46));
    }

    @Test
    void whatAFormerWaitSawOfALineIsDrawnOverAtOnce() throws IOException {
        print("fetching 10%");
        LineMatch match = match("^done", 12);
        print("\rdone in 3s\n");

        assertThat(look(match)).isEqualTo(new Line("done in 3s", 24));
    }

    @Test
    void whatAFormerWaitSawOfALineStandsWhereItEnds() throws IOException {
        print("fetching 10%");
        LineMatch match = match("^\\n", 12);
        print("\r\n");

        assertThat(look(match)).isNull();
    }

    /** The end of a line is waited for by nobody: it is as it stood when it matched. */
    @Test
    void aLineThatIsDrawnOverAfterItsMatchIsTheOneThatMatched() throws IOException {
        LineMatch match = match("50%", 0);
        print("fetching 50%");
        assertThat(match.read(false)).isTrue();
        print("\rfetching 99%\n");

        assertThat(match.find()).isEqualTo(new Line("fetching 50%", 12));
    }

    /** The line in front of it never ends. */
    @Test
    void whatIsBehindAGapIsLookedAt() throws IOException {
        print(("x".repeat(99) + "\n").repeat(30_000) + "ready\n");
        String gap = "stdout %019d %019d\nstderr %019d %019d\n".formatted(1_000_050, 2_000_000, 0, 0);
        Files.writeString(TaskFolder.of(dataDir, ID).omitted(), gap.repeat(2));

        assertThat(look(match("^ready", 0))).isEqualTo(new Line("ready", 3_000_006));
    }

    /** Larger than what is read at once, in the midst of a line. */
    @ParameterizedTest
    @ValueSource(strings = {"\033]1337;File=inline=1:*\007\n", "\033Pq*\n\033[0m", "\033Pq* no end\n"})
    void whatIsBehindAPictureIsLookedAt(String picture) throws IOException {
        print("first\nImage: " + picture.replace("*", "A".repeat(100_000)) + "more\n");
        LineMatch match = match("^ALL DONE", 0);
        assertThat(look(match)).isNull();
        print("ALL DONE\n");

        assertThat(look(match)).isNotNull();
    }

    /** As long as the text and no longer, whatever the expression. */
    @Test
    void anExpressionThatWouldBacktrackForEver() throws IOException {
        print("a".repeat(60_000) + "b\n");

        assertThat(look(match("(a+)+(a+)+$x", 0))).isNull();
    }
}
