package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 7: output by cursors, by waiting, by ranges. */
class OutputIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    private String ended(String cmd) {
        String id = http.start(cmd);
        http.awaitEnd(id);
        return id;
    }

    private Answer read(String id, String query) {
        return http.get("/v1/tasks/" + id + "/output" + query);
    }

    @Test
    void anAnswerHasEveryFieldOfTheContract() {
        String id = ended("echo out; exit 5");

        JsonNode page = read(id, "?stream=stdout").hasStatus(200).json();

        assertThat(page.path("task_id").asText()).isEqualTo(id);
        assertThat(page.path("status").asText()).isEqualTo("failed");
        assertThat(page.path("stream").asText()).isEqualTo("stdout");
        assertThat(page.path("text").asText()).isEqualTo("out\n");
        assertThat(page.path("cursor").asText()).isEqualTo("0");
        assertThat(page.path("next_cursor").asText()).isEqualTo("4");
        assertThat(page.path("omitted").toString()).isEqualTo("[]");
        assertThat(page.path("end").asBoolean()).isTrue();
        assertThat(page.path("exit_status").asInt()).isEqualTo(5);
    }

    /** What follows the other's cursors comes to the end. */
    @ParameterizedTest
    @ValueSource(strings = {"ok\\n\\xe2\\x82", "ok\\n\\033[3", "ok\\n\\033]0;title", "ok\\n\\xf0\\x9f\\x98"})
    void anEndThatIsUnfinishedIsReadToItsEndByAnyPage(String written) {
        String id = ended("printf '" + written + "'");
        String whole = read(id, "?stream=stdout").text("/text");
        for (String stream : List.of("stdout", "all")) {
            for (int most = 1; most <= 3; most++) {
                assertThat(pages(id, stream, most))
                        .as("%s by %d", stream, most)
                        .last()
                        .matches(page -> page.at("/end").asBoolean());
                assertThat(text(pages(id, stream, most))).isEqualTo(whole);
            }
        }
    }

    /** Neither stream is cut within a line while it goes on, unless a line is longer than its page. */
    @Test
    void smallPagesOfBothStreamsHoldWholeLines() {
        String id = ended("for i in $(seq 200); do echo out $i; echo err $i >&2; done; seq -s, 300; echo last >&2");
        for (int most : new int[] {40, 64, 1000}) {
            List<String> lines = pages(id, "all", most).stream()
                    .flatMap(page -> page.text("/text").lines())
                    .toList();

            for (String name : List.of("out", "err")) {
                assertThat(lines)
                        .filteredOn(line -> line.contains(name))
                        .containsExactlyElementsOf(IntStream.rangeClosed(1, 200)
                                .mapToObj(i -> name + " " + i)
                                .toList());
            }
            assertThat(lines).contains("last");
        }
    }

    /** A line that is overwritten is read as it last stood, also when pages are small; what is longer than one is cut. */
    @ParameterizedTest
    @ValueSource(strings = {"stdout", "all"})
    void anOverwrittenLineIsNotCutByAPage(String stream) {
        String id =
                ended("for i in $(seq 300); do printf '%s 10%%\\r%s 55%%\\r%s done\\n' $i $i $i; done; seq -s, 300");
        String whole = read(id, "?stream=stdout").text("/text");
        for (int most : new int[] {40, 64, 1000, 4095}) {
            assertThat(text(pages(id, stream, most))).as("by %d", most).isEqualTo(whole);
        }
        String large = ended("for i in $(seq 9000); do printf '%s 10%%\\r%s done\\n' $i $i; done");
        assertThat(text(pages(large, stream, 65_536)).lines())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 9000)
                        .mapToObj(i -> i + " done")
                        .toList());
    }

    @Test
    void rawPagesSplitNoCharacterOfEitherStream() {
        String id = ended("for i in 1 2 3 4 5 6 7; do printf 'é€😀'; printf '😀€é' >&2; done");
        for (int most = 8; most < 40; most++) {
            List<Answer> pages = pages(id, "all&view=raw", most);
            assertThat(text(pages)).as("by %d", most).doesNotContain("\uFFFD").hasSize(7 * 2 * 4);
        }
        String open = ended("printf 'a\\xe2\\x82'; printf 'b\\xf0\\x9f' >&2");
        assertThat(text(pages(open, "all&view=raw", 100))).isEqualTo("a\uFFFDb\uFFFD");
        assertThat(pages(open, "stdout&view=raw", 1).getLast().at("/end").asBoolean())
                .isTrue();
    }

    @Test
    void aRawWaitDoesNotEndWithHalfACharacter() {
        String id = http.start("echo one; sleep 0.5; printf '\\303'; sleep 1.5; printf '\\251\\n'; sleep 160");
        http.awaitOutput(id, "one");

        Answer page = read(id, "?stream=stdout&view=raw&wait_ms=120000&cursor=4");

        assertThat(page.text("/text")).startsWith("\u00e9");
        http.stop(id, "force", true);
    }

    @Test
    void noPageHasMoreBytesThanWereAskedFor() {
        String id = ended("seq 1 2000; seq 1 2000 >&2");
        for (int most : new int[] {2, 3, 99, 100, 8893, 9001}) {
            assertThat(http.raw(id, "?max_bytes=" + most).bytes()).hasSize(most);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"12.x", "x", "-x", "3.4.5"})
    void aRefusedCursorIsQuotedWhole(String cursor) {
        assertThat(read(ended("true"), "?cursor=" + cursor)
                        .refused(400, "invalid_tool_input")
                        .text("/detail"))
                .contains(": " + cursor);
    }

    /** As the whole has it: no rest of a colour, and of no title. */
    @Test
    void theLastBytesBeginBehindAnEscape() {
        String id = ended("printf '\\033[38;5;208mred\\033[0m \\033]0;a long title\\033\\\\end'");
        long bytes = http.task(id).at("/output/stdout_bytes").asLong();
        for (long last = 1; last <= bytes; last++) {
            String text = read(id, "?stream=stdout&cursor=-" + last).text("/text");
            assertThat("red end").as("the last %d", last).endsWith(text);
        }
    }

    private List<Answer> pages(String id, String stream, int most) {
        List<Answer> pages = new ArrayList<>();
        String cursor = "";
        boolean end = false;
        while (!end && pages.size() < 1000) {
            Answer page = read(id, "?stream=" + stream + "&max_bytes=" + most + cursor)
                    .hasStatus(200);
            pages.add(page);
            cursor = "&cursor=" + page.text("/next_cursor");
            end = page.at("/end").asBoolean();
        }
        return pages;
    }

    private static String text(List<Answer> pages) {
        return pages.stream().map(page -> page.text("/text")).collect(Collectors.joining());
    }

    @Test
    void allIsTheDefaultAndHoldsBoth() {
        String id = ended("echo out; echo err >&2");

        Answer page = read(id, "");

        assertThat(page.text("/stream")).isEqualTo("all");
        assertThat(page.text("/text")).contains("out\n").contains("err\n");
        assertThat(read(id, "?stream=stderr").text("/text")).isEqualTo("err\n");
        assertThat(read(id, "?cursor=" + page.text("/next_cursor")).text("/text"))
                .isEmpty();
    }

    @Test
    void readingNeverConsumes() {
        String id = ended("seq 1 100");

        assertThat(read(id, "").json()).isEqualTo(read(id, "").json());
    }

    @ParameterizedTest
    @ValueSource(strings = {"stdout", "all"})
    void pagesAddUpToTheWhole(String stream) {
        String id = ended("seq 1 2000");
        var whole = new StringBuilder();
        String cursor = "";
        for (boolean end = false; !end; ) {
            Answer page =
                    read(id, "?stream=" + stream + "&max_bytes=1000" + cursor).hasStatus(200);
            whole.append(page.text("/text"));
            cursor = "&cursor=" + page.text("/next_cursor");
            end = page.at("/end").asBoolean();
        }

        assertThat(whole).hasToString(counted(2000));
    }

    @Test
    void aCharacterIsNotSplitBetweenPages() {
        String id = ended("for i in $(seq 50); do printf '\\360\\237\\230\\200'; done");
        var whole = new StringBuilder();
        String cursor = "0";
        for (boolean end = false; !end; ) {
            Answer page =
                    read(id, "?stream=stdout&max_bytes=7&cursor=" + cursor).hasStatus(200);
            whole.append(page.text("/text"));
            cursor = page.text("/next_cursor");
            end = page.at("/end").asBoolean();
        }

        assertThat(whole).hasToString("😀".repeat(50));
    }

    @Test
    void aNegativeCursorIsTheTail() {
        String id = ended("seq 1 2000");

        Answer tail = read(id, "?stream=stdout&cursor=-10");

        assertThat(tail.text("/text")).isEqualTo("1999\n2000\n");
        assertThat(tail.at("/end").asBoolean()).isTrue();
        assertThat(read(id, "?stream=stdout&cursor=-1000000").text("/text")).startsWith("1\n2\n");
    }

    @Test
    void textIsCleanAndRawIsNot() {
        String id = ended("printf '\\033[31mred\\033[0m\\n'");

        assertThat(read(id, "?stream=stdout").text("/text")).isEqualTo("red\n");
        assertThat(read(id, "?stream=stdout&view=text").text("/text")).isEqualTo("red\n");
        assertThat(read(id, "?stream=stdout&view=raw").text("/text")).isEqualTo("\u001b[31mred\u001b[0m\n");
    }

    @Test
    void aWaitEndsWithSomethingNew() {
        String id = http.start("echo one; sleep 1; echo two; sleep 160");
        http.awaitOutput(id, "one");

        Answer page = read(id, "?stream=stdout&wait_ms=120000&cursor=" + "one\n".length());

        assertThat(page.text("/text")).isEqualTo("two\n");
        assertThat(page.at("/end").asBoolean(true)).isFalse();
        assertThat(page.took()).isLessThan(Duration.ofSeconds(60));
        http.stop(id, "force", true);
    }

    @Test
    void aWaitEndsWithTheEnd() {
        String id = http.start("echo one; sleep 1; exit 3");
        http.awaitOutput(id, "one");
        String cursor = read(id, "?stream=stdout").text("/next_cursor");

        Answer page = read(id, "?stream=stdout&wait_ms=120000&cursor=" + cursor);

        assertThat(page.text("/text")).isEmpty();
        assertThat(page.at("/end").asBoolean()).isTrue();
        assertThat(page.at("/exit_status").asInt()).isEqualTo(3);
        assertThat(page.took()).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void aWaitForNothingEndsInTime() {
        String id = http.start("sleep 60");

        Answer page = read(id, "?wait_ms=500");

        assertThat(page.text("/text")).isEmpty();
        assertThat(page.at("/end").asBoolean(true)).isFalse();
        assertThat(page.at("/exit_status").isNull()).isTrue();
        assertThat(page.took()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(30));
        http.stop(id, "force", true);
    }

    @Test
    void aWaitDoesNotEndWithHalfACharacter() {
        String id = http.start("echo one; sleep 0.5; printf '\\303'; sleep 1.5; printf '\\251\\n'; sleep 160");
        http.awaitOutput(id, "one");

        Answer page = read(id, "?stream=stdout&wait_ms=120000&cursor=" + "one\n".length());

        assertThat(page.text("/text")).isEqualTo("\u00e9\n");
        assertThat(page.took()).isLessThan(Duration.ofSeconds(60));
        http.stop(id, "force", true);
    }

    @Test
    void aTerminalHasOneStream() {
        String id = http.start("echo out; echo err >&2", "tty", true);
        http.awaitEnd(id);

        assertThat(read(id, "?stream=stdout").text("/text")).contains("out").contains("err");
        assertThat(read(id, "").text("/text")).contains("out").contains("err");
        assertThat(http.task(id).at("/output/stderr_bytes").asLong(-1)).isZero();
    }

    @Test
    void bytesComeAsTheyAre() {
        String id = ended("printf 'a\\000\\377\\033[1m'");

        Answer raw = http.raw(id, "?stream=stdout");

        assertThat(raw.hasStatus(200).bytes()).containsExactly('a', 0, 0xff, 0x1b, '[', '1', 'm');
        assertThat(raw.header("Content-Type")).startsWith("application/octet-stream");
        assertThat(raw.header("Holdfast-Next-Cursor")).isEqualTo("7");
        assertThat(raw.header("Holdfast-End")).isEqualTo("true");
    }

    @Test
    void bytesComeInPagesToo() {
        String id = ended("seq 1 2000");

        Answer first = http.raw(id, "?stream=stdout&max_bytes=100");
        Answer second = http.raw(id, "?stream=stdout&max_bytes=1048576&cursor=" + first.header("Holdfast-Next-Cursor"));

        assertThat(first.bytes()).hasSize(100);
        assertThat(first.header("Holdfast-End")).isEqualTo("false");
        assertThat(first.body() + second.body()).isEqualTo(counted(2000));
        assertThat(second.header("Holdfast-End")).isEqualTo("true");
    }

    @Test
    void aRangeIsAPartOfOneStream() {
        String id = ended("seq 1 2000");
        String whole = counted(2000);

        Answer middle = http.raw(id, "?stream=stdout", "Range", "bytes=100-199");
        Answer open = http.raw(id, "?stream=stdout", "Range", "bytes=8000-");
        Answer tail = http.raw(id, "?stream=stdout", "Range", "bytes=-5");

        assertThat(middle.hasStatus(206).body()).isEqualTo(whole.substring(100, 200));
        assertThat(middle.header("Content-Range")).isEqualTo("bytes 100-199/" + whole.length());
        assertThat(open.hasStatus(206).body()).isEqualTo(whole.substring(8000));
        assertThat(tail.hasStatus(206).body()).isEqualTo("2000\n");
        http.raw(id, "?stream=stdout", "Range", "bytes=999999-").hasStatus(416);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?stream=both",
                "?max_bytes=0",
                "?max_bytes=1048577",
                "?max_bytes=x",
                "?wait_ms=-1",
                "?wait_ms=600001",
                "?view=pretty",
                "?stream=stdout&cursor=nonsense",
                "?cursor=nonsense",
                "?stream=stdout&cursor=99999999999999999999999",
                "?colour=red"
            })
    void aBadParameterIsRefused(String query) {
        read(ended("true"), query).refused(400, "invalid_tool_input");
    }

    @Test
    void anOutputThatNobodyPrintedIsEmpty() {
        Answer page = read(ended("true"), "");

        assertThat(page.text("/text")).isEmpty();
        assertThat(page.at("/end").asBoolean()).isTrue();
    }

    private static String counted(int last) {
        return IntStream.rangeClosed(1, last).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }
}
