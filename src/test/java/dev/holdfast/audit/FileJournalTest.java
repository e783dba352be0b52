package dev.holdfast.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.holdfast.runtime.call.ErrorKind;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal;
import dev.holdfast.runtime.port.Journal.Action;
import dev.holdfast.runtime.port.Journal.Entry;
import dev.holdfast.runtime.port.Journal.Line;
import dev.holdfast.runtime.port.Journal.Page;
import dev.holdfast.runtime.port.Journal.Query;
import dev.holdfast.task.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines, their numbers and files over restarts, rotation, damage and folders that cannot be written. */
class FileJournalTest {
    private static final long LARGE = 1 << 20;
    private static final TaskId ONE = new TaskId("task_01M84MWFG88P42DQEJS1BH417F");
    private static final TaskId TWO = new TaskId("task_01M84MWFG88P42DQEJS1BH417G");

    @TempDir
    Path data;

    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private Path folder() {
        return data.resolve("audit");
    }

    private FileJournal journal(long mostBytes) {
        return new FileJournal(folder(), () -> now, mostBytes);
    }

    private static Line line(@Nullable TaskId id, String detail) {
        return new Line("ada", Action.STOP, id, null, null, null, null, null, null, detail);
    }

    private static Page read(Journal journal, int limit, long after) {
        return journal.read(new Query(null, null, limit, after));
    }

    private static List<Long> seqs(Page page) {
        return page.entries().stream().map(Entry::seq).toList();
    }

    private static List<Long> from(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(folder())) {
            return files.sorted().toList();
        }
    }

    @Test
    void whatIsWrittenIsReadAndOursAlone() throws IOException {
        FileJournal journal = journal(LARGE);
        Line full = new Line(
                "ada",
                Action.DECISION,
                ONE,
                "deny",
                "a \"rule\"\n",
                List.of("destructive", "network"),
                "echo é 😀",
                1L << 40,
                "ab",
                "x");
        journal.write(full);
        journal.tell(line(null, "y"));

        assertThat(read(journal, 10, 0))
                .isEqualTo(new Page(List.of(new Entry(1, now, full), new Entry(2, now, line(null, "y"))), null));
        assertThat(Files.readAllLines(files().getFirst()).get(1))
                .isEqualTo("{\"seq\":2,\"at\":\"2026-03-01T12:00:00.000Z\",\"actor\":\"ada\",\"action\":\"stop\","
                        + "\"task_id\":null,\"decision\":null,\"rule\":null,\"classes\":null,\"cmd_preview\":null,"
                        + "\"bytes\":null,\"sha256\":null,\"detail\":\"y\"}");
        assertThat(Files.getPosixFilePermissions(folder())).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(files())
                .singleElement()
                .satisfies(file -> assertThat(Files.getPosixFilePermissions(file))
                        .isEqualTo(PosixFilePermissions.fromString("rw-------")));
    }

    @Test
    void numbersGoOnOverRestartsAndFiles() throws IOException {
        for (int i = 0; i < 50; i++) {
            journal(700).write(line(null, "x".repeat(50)));
        }
        assertThat(seqs(read(journal(700), 100, 0))).isEqualTo(from(27, 50).subList(2, 24));
        assertThat(files())
                .hasSize(11)
                .allSatisfy(file -> assertThat(Files.size(file)).isBetween(1L, 700L));
    }

    @Test
    void ofManyAtOnceEachHasANumberOfItsOwn() throws Exception {
        FileJournal journal = journal(100_000);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                all.add(threads.submit(() -> {
                    Thread.currentThread().interrupt(); // whoever is interrupted closes nothing for others
                    journal.write(line(null, "x"));
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertThat(seqs(read(journal, 1000, 0))).isEqualTo(from(1, 400));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"seq\":4,\"at\":\"2026", "x", "\0\0\0\0", "{\"seq\":9}"})
    void aTornLineIsCutOff(String torn) throws IOException {
        FileJournal journal = journal(LARGE);
        IntStream.range(0, 3).forEach(i -> journal.write(line(null, "x")));
        Path file = files().getFirst();
        String whole = Files.readString(file);
        Files.writeString(file, torn, StandardOpenOption.APPEND);

        assertThat(seqs(read(journal, 10, 0))).isEqualTo(from(1, 3));
        FileJournal restarted = journal(LARGE);
        restarted.write(line(null, "y"));

        assertThat(Files.readString(file)).startsWith(whole + "{\"seq\":4,");
        assertThat(seqs(read(restarted, 10, 0))).isEqualTo(from(1, 4));
    }

    /** Whole lines are nobody's to delete; each had a number. */
    @Test
    void whatCannotBeReadStaysAndCounts() throws IOException {
        journal(LARGE).write(line(null, "x"));
        Path file = files().getFirst();
        Files.writeString(file, "\0\0\0\n" + "z".repeat(200_000) + "\n{\"seq\":", StandardOpenOption.APPEND);

        journal(LARGE).write(line(null, "y"));

        assertThat(seqs(read(journal(LARGE), 10, 0))).containsExactly(1L, 4L);
        assertThat(Files.readString(file)).contains("\0\0\0\n" + "z".repeat(200_000) + "\n{\"seq\":4,");
        assertThat(seqs(read(journal(LARGE), 10, 1))).containsExactly(4L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"seq\":7", "\n"})
    void aFileWithoutALineGoesOnByItsName(String content) throws IOException {
        Files.createDirectory(folder());
        Files.writeString(folder().resolve("0000000000000000007.jsonl"), content);

        journal(LARGE).write(line(null, "x"));

        assertThat(seqs(read(journal(LARGE), 10, 0))).containsExactly(content.equals("\n") ? 8L : 7L);
    }

    @Test
    void isReadInPartsOverRotatedFiles() {
        FileJournal journal = journal(2000);
        IntStream.range(0, 60).forEach(i -> journal.write(line(i % 3 == 0 ? ONE : TWO, "x")));
        List<Long> seen = new ArrayList<>();
        Long cursor = 0L;
        while (cursor != null) {
            Page page = read(journal, 7, cursor);
            assertThat(page.entries()).hasSizeBetween(1, 7);
            seen.addAll(seqs(page));
            cursor = page.next();
        }
        assertThat(seen).isEqualTo(from(1, 60));
        assertThat(read(journal, 60, 0).next()).isNull();
        assertThat(read(journal, 10, 60).entries()).isEmpty();
        assertThat(read(journal, 10, 999).entries()).isEmpty();

        Page ones = journal.read(new Query(null, ONE, 15, 12));
        assertThat(ones.entries())
                .hasSize(15)
                .allMatch(entry -> ONE.equals(entry.line().taskId()));
        assertThat(ones.entries().getFirst().seq()).isEqualTo(13);
        assertThat(ones.next()).isEqualTo(ones.entries().getLast().seq()).isEqualTo(55);
        assertThat(seqs(journal.read(new Query(null, ONE, 15, 55)))).containsExactly(58L);
    }

    /** Found by halves: each number, of files that are larger than what is read from their beginning. */
    @Test
    void everyCursorIsFound() {
        FileJournal journal = journal(300_000);
        IntStream.range(0, 3000).forEach(i -> journal.write(line(null, "x".repeat(i % 200))));

        for (long after = 0; after < 3000; after += 13) {
            assertThat(seqs(read(journal, 2, after))).isEqualTo(from(after + 1, Math.min(3000, after + 2)));
        }
    }

    @Test
    void aCursorWhoseFileIsGoneGoesOnWithTheOldest() throws IOException {
        FileJournal journal = journal(1000);
        IntStream.range(0, 30).forEach(i -> journal.write(line(null, "x")));
        Files.delete(files().getFirst());
        long oldest = JournalFiles.first(files().getFirst());

        assertThat(oldest).isGreaterThan(3);
        assertThat(seqs(read(journal, 2, 1))).isEqualTo(from(oldest, oldest + 1));
    }

    @Test
    void isReadFromATimeOn() throws IOException {
        FileJournal journal = journal(1000);
        for (int i = 0; i < 30; i++) {
            journal.write(line(null, "x"));
            Files.setLastModifiedTime(files().getLast(), FileTime.from(now));
            now = now.plusSeconds(10);
        }
        Instant tenth = Instant.parse("2026-03-01T12:01:30Z");

        assertThat(seqs(journal.read(new Query(tenth, null, 100, 0)))).isEqualTo(from(10, 30));
        assertThat(seqs(journal.read(new Query(tenth.plusMillis(1), null, 3, 0))))
                .isEqualTo(from(11, 13));
        assertThat(seqs(journal.read(new Query(tenth, null, 3, 20)))).isEqualTo(from(21, 23));
        assertThat(journal.read(new Query(now, null, 3, 0)).entries()).isEmpty();
    }

    @Test
    void whereItCannotBeWrittenNothingNewIsDone() throws IOException {
        Files.writeString(folder(), "a file");
        FileJournal journal = journal(LARGE);

        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> journal.write(line(ONE, "x")))
                .satisfies(refusal -> {
                    assertThat(refusal.kind()).isEqualTo(ErrorKind.STORAGE_FULL);
                    assertThat(refusal.recoveryHint()).contains(folder().toString());
                    assertThat(refusal.details()).containsKeys("journal", "reason");
                    assertThat(refusal)
                            .hasMessage("The journal cannot be written (" + folder()
                                    + ": it is no folder), so nothing new is done.");
                });
        assertThat(journal.flaw()).contains(folder() + ": it is no folder");
        assertThatNoException().isThrownBy(() -> journal.tell(line(ONE, "x")));

        Files.delete(folder());
        assertThat(journal.flaw()).isEmpty();
        journal.write(line(ONE, "x"));
        assertThat(journal.flaw()).isEmpty();
        assertThat(seqs(read(journal, 10, 0))).containsExactly(1L);
    }

    /** Nobody finds what is written to a file that is deleted, so it is made anew, and no number is given twice. */
    @Test
    void whatIsTakenAwayIsMadeAnew() throws IOException {
        FileJournal journal = journal(LARGE);
        journal.write(line(null, "x"));
        Path elsewhere = Files.move(folder(), data.resolve("elsewhere"));

        journal.write(line(null, "y"));

        assertThat(seqs(read(journal, 10, 0))).containsExactly(2L);
        Files.move(folder(), data.resolve("again"));
        Files.writeString(folder(), "a file");
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> journal.write(line(null, "z")));
        assertThat(elsewhere).isDirectory();
    }
}
