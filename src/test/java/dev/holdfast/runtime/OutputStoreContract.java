package dev.holdfast.runtime;

import static dev.holdfast.task.StreamName.STDERR;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.runtime.port.OutputStore.Found;
import dev.holdfast.runtime.port.OutputStore.Match;
import dev.holdfast.runtime.port.OutputStore.Slice;
import dev.holdfast.runtime.port.OutputStore.Wanted;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the use cases rely on of whoever reads the output. {@link #id} has printed nothing before each test. */
public abstract class OutputStoreContract {
    private static final TaskId UNKNOWN = new TaskId("task_01JZZZZZZZZZZZZZZZZZZZZZZ0");

    protected abstract OutputStore store();

    protected abstract TaskId id();

    protected abstract void write(StreamName stream, String text) throws IOException;

    @Test
    void aTaskThatIsNotThereReadsAsEmpty() {
        assertThat(store().facts(UNKNOWN)).isEqualTo(Facts.NONE);
        assertThat(store().read(UNKNOWN, STDOUT, 0, 10).bytes()).isEmpty();
        assertThat(store().preview(UNKNOWN, 1000, true)).isEqualTo(Preview.EMPTY);
        assertThat(store().isHeld(UNKNOWN)).isFalse();
        assertThat(store().isPaused(UNKNOWN)).isFalse();
        store().release(UNKNOWN);
    }

    @Test
    void bothStreamsAreCounted() throws IOException {
        write(STDOUT, "12345");
        write(STDERR, "12");

        Facts facts = store().facts(id());
        assertThat(facts.stdoutBytes()).isEqualTo(5);
        assertThat(facts.stderrBytes()).isEqualTo(2);
        assertThat(facts.omittedBytes()).isZero();
        assertThat(facts.lastOutputAt()).isNotNull();
    }

    @Test
    void partsAreReadByPosition() throws IOException {
        write(STDOUT, "0123456789");

        Slice slice = store().read(id(), STDOUT, 2, 3);
        assertThat(new String(slice.bytes(), UTF_8)).isEqualTo("234");
        assertThat(slice.start()).isEqualTo(2);
        assertThat(slice.next()).isEqualTo(5);
        assertThat(slice.omitted()).isEmpty();
        assertThat(store().read(id(), STDOUT, 20, 3).next()).isEqualTo(10);
        assertThat(store().readText(id(), STDOUT, 8, 100, true).text()).isEqualTo("89");
    }

    @Test
    void linesAreReadWhole() throws IOException {
        write(STDOUT, "one\ntwo\nthree");

        assertThat(store().readLines(id(), STDOUT, 0, 10, true).text()).isEqualTo("one\ntwo\n");
        assertThat(store().readLines(id(), STDOUT, 0, 10, true).next()).isEqualTo(8);
        assertThat(store().readLines(id(), STDOUT, 8, 3, true).text()).isEqualTo("thr");
        assertThat(store().readLines(id(), STDOUT, 4, 100, true).text()).isEqualTo("two\nthree");
    }

    @Test
    void aPreviewIsWholeOrSaysThatItIsNot() throws IOException {
        write(STDOUT, "out\n");
        write(STDERR, "err\n");
        assertThat(store().preview(id(), 1000, true)).isEqualTo(new Preview("out\n", "err\n", false));

        write(STDOUT, "a line of it\n".repeat(1000));
        Preview cut = store().preview(id(), 1000, true);
        assertThat(cut.truncated()).isTrue();
        assertThat(cut.stdout()).startsWith("out\n").hasSizeLessThanOrEqualTo(1000);
    }

    @Test
    void linesAreFoundWithThoseAround() throws IOException {
        write(STDOUT, "one\ntwo error\nthree\nfour\nerror five\nsix");
        write(STDERR, "error of another stream\n");

        Found first = search("error", 1, 1, false);
        assertThat(first.matches())
                .containsExactly(new Match(STDOUT, 2L, 4, 14, "two error", List.of("one"), List.of("three")));
        assertThat(first.more()).isTrue();
        Found last = search("^error", 2, 1, true);
        assertThat(last.matches())
                .containsExactly(new Match(STDOUT, 5L, 25, 36, "error five", List.of("three", "four"), List.of("six")));
        assertThat(last.more()).isFalse();
        assertThat(search("error", 0, 2, true).matches())
                .extracting(Match::line)
                .containsExactly(5L, 2L);
        assertThat(search("x$", 0, 1, false).matches())
                .containsExactly(new Match(STDOUT, 6L, 36, 39, "six", List.of(), List.of()));
    }

    @Test
    void aSearchBeginsWithTheLineThatItsBeginningIsIn() throws IOException {
        write(STDOUT, "error 1\nerror 2\nerror 3\n");

        for (int from : new int[] {8, 9, 15}) {
            Wanted wanted = new Wanted(Pattern.compile("error"), 0, 5, false).from(from);
            assertThat(store().search(id(), STDOUT, wanted, true, () -> false).matches())
                    .extracting(Match::line)
                    .containsExactly(2L, 3L);
        }
    }

    @Test
    void whatIsNotThereIsNotFound() throws IOException {
        write(STDOUT, "one\ntwo\n");

        assertThat(search("three", 2, 20, false)).isEqualTo(new Found(List.of(), false, 8));
        assertThat(search("three", 2, 20, true)).isEqualTo(new Found(List.of(), false, 8));
        Wanted all = new Wanted(Pattern.compile("^"), 2, 20, false);
        assertThat(store().search(UNKNOWN, STDOUT, all, true, () -> false)).isEqualTo(new Found(List.of(), false, 0));
    }

    private Found search(String regex, int context, int max, boolean fromEnd) {
        Wanted wanted = new Wanted(Pattern.compile(regex, Pattern.MULTILINE), context, max, fromEnd);
        return store().search(id(), STDOUT, wanted, true, () -> false);
    }

    @Test
    void aWatchTellsOfGrowthUntilItIsClosed() throws IOException {
        AtomicInteger told = new AtomicInteger();
        try (OutputStore.Watch _ = store().watch(id(), stream -> told.addAndGet(stream == STDOUT ? 1 : 0))) {
            write(STDOUT, "a");
            await().untilAtomic(told, org.hamcrest.Matchers.greaterThan(0));
        }
        int before = told.get();
        write(STDOUT, "b");
        store().watch(id(), _ -> {}).close();
        assertThat(told).hasValue(before);
    }

    @Test
    void whatNobodyWritesIsNotHeld() throws IOException {
        store().govern(id(), () -> {});
        write(STDOUT, "a");
        assertThat(store().isHeld(id())).isFalse();
        store().release(id());
        assertThat(store().space().usable()).isGreaterThan(store().space().floor());
    }
}
