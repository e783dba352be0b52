package dev.holdfast.output;

import static dev.holdfast.output.OutputFixture.ID;
import static dev.holdfast.task.StreamName.STDERR;
import static dev.holdfast.task.StreamName.STDOUT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.holdfast.kernel.Holes;
import dev.holdfast.runtime.port.OutputStore.Facts;
import dev.holdfast.runtime.port.OutputStore.Gap;
import dev.holdfast.runtime.port.OutputStore.Slice;
import dev.holdfast.runtime.port.OutputStore.TextSlice;
import dev.holdfast.runtime.port.OutputStore.Watch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFilesTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path dataDir;

    @AutoClose
    private OutputFixture task;

    @BeforeEach
    void open() {
        task = new OutputFixture(dataDir, MIB);
    }

    @Test
    void aTaskWithoutAFolderReadsAsEmpty() throws IOException {
        Files.delete(task.folder.output(STDOUT));
        Files.delete(task.folder.output(STDERR));
        Files.delete(task.folder.path());

        assertThat(task.output.facts(ID)).isEqualTo(Facts.NONE);
        Slice slice = task.output.read(ID, STDOUT, 0, 100);
        assertThat(slice.bytes()).isEmpty();
        assertThat(slice.next()).isZero();
        assertThat(task.output.readText(ID, STDERR, 5, 100, true).next()).isZero();
        assertThat(task.output.preview(ID, 1000, true).stdout()).isNull();
        task.output.watch(ID, _ -> {}).close();
    }

    @Test
    void factsTellSizesAndTheLastWrite() throws IOException {
        task.write(STDOUT, "12345");
        task.write(STDERR, "12");
        Instant earlier = Instant.parse("2026-01-02T03:04:05.678Z");
        Files.setLastModifiedTime(task.folder.output(STDOUT), FileTime.from(earlier));
        Files.setLastModifiedTime(task.folder.output(STDERR), FileTime.from(earlier.minusSeconds(1)));

        assertThat(task.output.facts(ID)).isEqualTo(new Facts(5, 2, 0, earlier));
    }

    @Test
    void anEmptyStreamSaysNothingOfTheLastWrite() throws IOException {
        task.write(STDOUT, "x");
        Instant earlier = Instant.parse("2026-01-02T03:04:05.678Z");
        Files.setLastModifiedTime(task.folder.output(STDOUT), FileTime.from(earlier));

        assertThat(task.output.facts(ID).lastOutputAt()).isEqualTo(earlier);
    }

    @Test
    void bytesAreReadByPositionAndNotConsumed() throws IOException {
        task.write(STDOUT, "0123456789");

        assertThat(text(task.output.read(ID, STDOUT, 2, 3))).isEqualTo("234");
        assertThat(text(task.output.read(ID, STDOUT, 2, 3))).isEqualTo("234");
        assertThat(task.output.read(ID, STDOUT, 2, 3).next()).isEqualTo(5);
        assertThat(text(task.output.read(ID, STDOUT, 8, 100))).isEqualTo("89");
    }

    @Test
    void aCursorBeyondTheEndIsTheEnd() throws IOException, InterruptedException {
        task.write(STDERR, "x".repeat(5000));
        assertThat(task.output.read(ID, STDERR, 0, 9000).next()).isEqualTo(5000);

        assertThat(task.shell("echo short > /dev/stderr").waitFor()).isZero();

        assertThat(task.output.facts(ID).stderrBytes()).isEqualTo(6);
        Slice slice = task.output.read(ID, STDERR, 5000, 100);
        assertThat(slice.bytes()).isEmpty();
        assertThat(slice.next()).isEqualTo(6);
        assertThat(task.output.readText(ID, STDERR, 5000, 100, true).next()).isEqualTo(6);
    }

    @Test
    void textIsReadInChunksOfAnySize() throws IOException {
        StringBuilder written = new StringBuilder();
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            written.append("\033[3")
                    .append(i % 8)
                    .append("mzeile ")
                    .append(i)
                    .append(" ü€😀\033]0;t")
                    .append(i);
            written.append("\033\\\033[0m\r\n");
            shown.append("zeile ").append(i).append(" ü€😀\n");
        }
        task.write(STDOUT, written.toString());
        for (int maxBytes : new int[] {1, 2, 3, 7, 64, 1000, 1 << 20}) {
            assertThat(readAll(maxBytes)).as("%d bytes a read", maxBytes).isEqualTo(shown.toString());
        }
    }

    /** However little is read at once. */
    @Test
    void aPictureThatAnotherEscapeBreaksOffIsNoText() throws IOException {
        String picture = "\033Pq" + "A".repeat(200_000);
        task.write(STDOUT, "before\n" + picture + "\033[0mafter\n");

        for (int maxBytes : new int[] {1, 10, 65_536, 1 << 20}) {
            assertThat(readAll(maxBytes)).as("%d bytes a read", maxBytes).isEqualTo("before\nafter\n");
        }
    }

    /** What is drawn over once the picture has come would be told twice. */
    @Test
    void noLineEndsWithinAnEscape() throws IOException {
        String picture = "\033]1337;File=inline=1:" + "QUFB\n".repeat(20) + "\007";
        task.write(STDOUT, "first\nplotting" + picture + "\r\033[Kplotted\nend\n");

        TextSlice lines = task.output.readLines(ID, STDOUT, 0, 80, true);

        assertThat(lines.text()).isEqualTo("first\n");
        assertThat(task.output.readLines(ID, STDOUT, lines.next(), 160, true).text())
                .isEqualTo("plotted\nend\n");
    }

    /** A bar that is drawn over and over is longer than a page. */
    @Test
    void whatALineOverwritesIsPassedOver() throws IOException {
        StringBuilder bar = new StringBuilder("start\n");
        for (int i = 0; i < 5_000; i++) {
            bar.append("downloading ").append(i).append(" of 5000\r");
        }
        task.write(STDOUT, bar + "all\nend\n");

        for (int maxBytes : new int[] {100, 1000, 65_536}) {
            StringBuilder text = new StringBuilder();
            long from = 0;
            while (from + maxBytes < task.output.facts(ID).stdoutBytes()) {
                TextSlice slice = task.output.readLines(ID, STDOUT, from, maxBytes, true);
                assertThat(slice.next()).isGreaterThan(from);
                text.append(slice.text());
                from = slice.next();
            }
            text.append(task.output.readText(ID, STDOUT, from, maxBytes, true).text());
            assertThat(text.toString()).isEqualTo("start\nallnloading 4999 of 5000\nend\n");
        }
    }

    @Test
    void anUnfinishedEndWaitsForMoreUntilTheTaskEnded() throws IOException {
        byte[] euro = "€".getBytes(UTF_8);
        task.write(STDOUT, new byte[] {'a', euro[0], euro[1]});

        TextSlice waiting = task.output.readText(ID, STDOUT, 0, 100, false);
        assertThat(waiting.text()).isEqualTo("a");
        assertThat(waiting.next()).isEqualTo(1);
        assertThat(task.output.readText(ID, STDOUT, 1, 1, false).next()).isEqualTo(1);
        assertThat(task.output.readText(ID, STDOUT, 1, 100, true)).isEqualTo(line("\uFFFD", 1, 3));

        task.write(STDOUT, new byte[] {euro[2]});
        assertThat(task.output.readText(ID, STDOUT, 1, 100, false)).isEqualTo(line("€", 1, 4));
    }

    @Test
    void anEscapeThatNeverEndsDoesNotHoldUpTheReader() throws IOException {
        task.write(STDOUT, "\033]" + "x".repeat(9998) + "\nok");

        assertThat(task.output.readText(ID, STDOUT, 0, 10, false).next()).isZero();
        assertThat(task.output.readText(ID, STDOUT, 0, 10, true).next()).isEqualTo(Escapes.SHORT);
        assertThat(readAll(10)).isEqualTo("x".repeat(10_000 - Escapes.SHORT) + "\nok");
        assertThat(task.output.readText(ID, STDOUT, Escapes.SHORT, 10, true).text())
                .isEqualTo("x".repeat(10));
        assertThat(task.output.readText(ID, STDOUT, 5000, 10, false).next()).isEqualTo(5000);

        task.write(STDOUT, " is text");
        assertThat(task.output.readText(ID, STDOUT, 0, 10, false).next()).isEqualTo(Escapes.SHORT);
        assertThat(task.output.readText(ID, STDOUT, 5000, 10, false).text()).isEqualTo("x".repeat(10));

        Files.write(task.folder.output(STDOUT), "\033]title".getBytes(UTF_8));
        assertThat(task.output.readText(ID, STDOUT, 0, 3, false).next()).isZero();
        assertThat(task.output.readText(ID, STDOUT, 0, 3, true).next()).isEqualTo(7);
    }

    @Test
    void aReadThatBeginsWithinACharacterBeginsAfterIt() throws IOException {
        task.write(STDOUT, "a€b");

        assertThat(task.output.readText(ID, STDOUT, 2, 10, true)).isEqualTo(line("b", 4, 5));
        assertThat(task.output.readText(ID, STDOUT, 3, 10, true)).isEqualTo(line("b", 4, 5));
        task.write(STDOUT, new byte[] {(byte) 0x80, 'c'});
        assertThat(task.output.readText(ID, STDOUT, 5, 10, true).text()).isEqualTo("\uFFFDc");
    }

    @Test
    void aReadThatBeginsWithinAnEscapeBeginsAfterIt() throws IOException {
        task.write(STDOUT, "a\033[31mb\033]0;t\033\\c");

        for (int from = 2; from < 6; from++) {
            assertThat(task.output.readText(ID, STDOUT, from, 100, true)).isEqualTo(line("bc", 6, 15));
            assertThat(task.output.readText(ID, STDOUT, from, 1, true).next()).isEqualTo(6);
        }
        for (int from = 8; from < 14; from++) {
            assertThat(task.output.readText(ID, STDOUT, from, 100, true)).isEqualTo(line("c", 14, 15));
        }
    }

    @Test
    void aReadThatBeginsWithinALongStringBeginsAfterIt() throws IOException {
        task.write(STDOUT, "a\033]52;c;" + "QUJD".repeat(50_000) + "\007b \033Pq" + "#0~~\r\n".repeat(2_000));
        task.write(STDOUT, "\033\\c");

        for (int from : new int[] {2, 100, 5_000, 70_000, 200_008}) {
            for (int most : new int[] {1, 1_000, 65_536, 1 << 20}) {
                TextSlice slice = task.output.readText(ID, STDOUT, from, most, true);
                assertThat(slice.text()).as("%d from %d", most, from).isIn("", "b ", "b c");
                assertThat(slice.next()).isGreaterThan(200_008);
            }
        }
        assertThat(task.output.readText(ID, STDOUT, 202_000, 10, true).next()).isEqualTo(212_016);
        for (int most : new int[] {1, 1_000, 65_536, 1 << 20}) {
            assertThat(readAll(most)).isEqualTo("ab c");
        }
    }

    @Test
    void aStringThatEndsNowhereWaitsForMore() throws IOException {
        task.write(STDOUT, "a\033]52;c;" + "QUJD".repeat(50_000));

        for (int most : new int[] {1_000, 65_536, 1 << 20}) {
            assertThat(task.output.readText(ID, STDOUT, 1, most, false).next()).isEqualTo(1);
            assertThat(task.output.readText(ID, STDOUT, 70_000, most, false).next())
                    .isEqualTo(70_000);
        }
        task.write(STDOUT, "\007b");
        assertThat(task.output.readText(ID, STDOUT, 70_000, 10, false).next()).isEqualTo(200_009);
        assertThat(task.output.readText(ID, STDOUT, 1, 10, false).next()).isEqualTo(200_009);
    }

    /** Whether it ends is not known yet. */
    @Test
    void aReadThatBeginsWithinAnUnfinishedEscapeWaitsForMore() throws IOException {
        task.write(STDOUT, "a\033[38;5;");

        assertThat(task.output.readText(ID, STDOUT, 4, 100, false)).isEqualTo(line("", 4, 4));
        assertThat(task.output.readText(ID, STDOUT, 4, 2, false)).isEqualTo(line("", 4, 4));
        assertThat(task.output.readText(ID, STDOUT, 4, 100, true).next()).isEqualTo(8);
        task.write(STDOUT, "1mred");
        assertThat(task.output.readText(ID, STDOUT, 4, 100, false)).isEqualTo(line("red", 10, 13));
        assertThat(task.output.readText(ID, STDOUT, 4, 2, false).next()).isEqualTo(10);
    }

    @Test
    void aSmallPageAtAnUnfinishedEndComesToIt() throws IOException {
        byte[] euro = "€".getBytes(UTF_8);
        task.write(STDOUT, new byte[] {'a', euro[0], euro[1]});

        assertThat(task.output.readText(ID, STDOUT, 1, 1, true)).isEqualTo(line("\uFFFD", 1, 3));
        assertThat(task.output.readText(ID, STDOUT, 1, 1, false).next()).isEqualTo(1);
    }

    @Test
    void aGapIsSkippedAndNamed() throws IOException {
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        task.write(STDOUT, bytes);
        OmittedFile.write(task.folder, STDOUT, new Gap(8192, 102_400));
        Holes.punch(task.folder.output(STDOUT), 8192, 102_400);

        Slice before = task.output.read(ID, STDOUT, 8000, 1000);
        assertThat(before.next()).isEqualTo(8192);
        assertThat(before.omitted()).isEmpty();
        Slice after = task.output.read(ID, STDOUT, 8192, 1000);
        assertThat(after.start()).isEqualTo(102_400);
        assertThat(after.next()).isEqualTo(103_400);
        assertThat(after.omitted()).containsExactly(new Gap(8192, 102_400));
        assertThat(after.bytes()).isEqualTo(Arrays.copyOfRange(bytes, 102_400, 103_400));
        assertThat(task.output.read(ID, STDOUT, 100_000, 10).omitted()).containsExactly(new Gap(100_000, 102_400));
        assertThat(task.output.read(ID, STDOUT, 102_400, 10).omitted()).isEmpty();
        assertThat(task.output.facts(ID).omittedBytes()).isEqualTo(102_400 - 8192);
    }

    @Test
    void textAroundAGapIsWhole() throws IOException {
        task.write(STDOUT, "€".repeat(70_000));
        OmittedFile.write(task.folder, STDOUT, new Gap(4096, 40_960));
        Holes.punch(task.folder.output(STDOUT), 4096, 40_960);

        TextSlice before = task.output.readText(ID, STDOUT, 4090, 100, false);
        assertThat(before.text()).isEqualTo("€\uFFFD");
        assertThat(before.next()).isEqualTo(4096);
        TextSlice after = task.output.readText(ID, STDOUT, before.next(), 100, false);
        assertThat(after.text()).matches("€+");
        assertThat(after.start()).isEqualTo(40_962);
        assertThat(after.omitted()).containsExactly(new Gap(4096, 40_960));
    }

    /** Its beginning is dropped with the gap: so is its end. */
    @Test
    void aGapEndsBehindAnEscape() throws IOException, InterruptedException {
        String line = "\033[38;5;208;48;5;16;1;4mx\033[0m\n";
        task.output.govern(ID, () -> {});
        for (int i = 0; i < 8; i++) {
            // One byte more each time, so that gaps end everywhere in it.
            task.write(STDOUT, "." + line.repeat((int) (MIB / 4 / line.length())));
            task.output.govern(ID, () -> {});
            await().until(() ->
                    task.output.facts(ID).stdoutBytes() - task.output.facts(ID).omittedBytes() <= MIB);
            Gap gap = task.output.gap(ID, STDOUT);
            if (gap != null) {
                TextSlice behind = task.output.readText(ID, STDOUT, gap.to(), 1000, false);
                assertThat(behind.text()).as(gap.toString()).matches("\\.?x?\n(\\.?x\n)*\\.?x?");
            }
        }
        task.output.release(ID);
    }

    @Test
    void aGapOutlivesNoTruncation() throws IOException {
        OmittedFile.write(task.folder, STDOUT, new Gap(8192, 102_400));
        task.write(STDOUT, "x".repeat(70_000));
        assertThat(task.output.facts(ID).omittedBytes()).isEqualTo(70_000 - 8192);
        Slice slice = task.output.read(ID, STDOUT, 9000, 10);
        assertThat(slice.bytes()).isEmpty();
        assertThat(slice.next()).isEqualTo(70_000);
        Files.writeString(task.folder.output(STDOUT), "x".repeat(5000));
        assertThat(task.output.facts(ID).omittedBytes()).isZero();
    }

    @Test
    void aWatchTellsOfWritesToEitherStreamUntilItIsClosed() throws Exception {
        AtomicInteger changes = new AtomicInteger();
        Watch watch = task.output.watch(ID, _ -> changes.incrementAndGet());
        Process shell = task.shell("read a; echo out; read a; echo err >&2; read a; echo more");
        shell.outputWriter().append("\n").flush();
        await().untilAtomic(changes, is(1));
        shell.outputWriter().append("\n").flush();
        await().untilAtomic(changes, is(2));
        watch.close();
        shell.outputWriter().append("\n").flush();
        assertThat(shell.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(text(task.output.read(ID, STDOUT, 0, 100))).isEqualTo("out\nmore\n");
        assertThat(changes).hasValue(2);
    }

    @Test
    void aTerminalIsWatchedWithoutStderr() throws IOException {
        Files.delete(task.folder.output(STDERR));
        AtomicInteger changes = new AtomicInteger();
        try (Watch watch = task.output.watch(ID, _ -> changes.incrementAndGet())) {
            assertThat(watch).isNotNull();
            task.write(STDOUT, "x");
            await().untilAtomic(changes, greaterThan(0));
        }
    }

    @Test
    void anInterruptedReaderStillReads() throws IOException {
        task.write(STDOUT, "text");
        Thread.currentThread().interrupt();
        assertThat(text(task.output.read(ID, STDOUT, 0, 10))).isEqualTo("text");
        assertThat(Thread.interrupted()).isTrue();
    }

    private String readAll(int maxBytes) {
        StringBuilder text = new StringBuilder();
        long size = task.output.facts(ID).stdoutBytes();
        long from = 0;
        while (from < size) {
            TextSlice slice = task.output.readText(ID, STDOUT, from, maxBytes, true);
            assertThat(slice.next()).isGreaterThan(from);
            text.append(slice.text());
            from = slice.next();
        }
        return text.toString();
    }

    private static String text(Slice slice) {
        return new String(slice.bytes(), UTF_8);
    }

    private static TextSlice line(String text, long start, long next) {
        return new TextSlice(text, start, next, List.of(), 0, start);
    }
}
