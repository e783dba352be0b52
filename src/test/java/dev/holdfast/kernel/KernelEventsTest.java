package dev.holdfast.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelEventsTest {
    @AutoClose
    private final KernelEvents events = new KernelEvents();

    @TempDir
    Path folder;

    @Test
    void tellsTheEndOfAProcessOnce() throws Exception {
        AtomicInteger ends = new AtomicInteger();
        Process process = new ProcessBuilder("sleep", "60").start();
        try (Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow()) {
            events.onExit(pidfd, ends::incrementAndGet);
            events.onExit(pidfd, ends::incrementAndGet);
        }
        assertThat(ends).hasValue(0);
        process.destroy();
        await().untilAtomic(ends, is(2));
    }

    @Test
    void tellsTheEndOfAProcessThatIsNoChild() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 60 >/dev/null & echo $!").start();
        long pid = Long.parseLong(parent.inputReader().readLine());
        parent.waitFor();
        CountDownLatch ended = new CountDownLatch(1);
        try (Pidfd pidfd = Pidfd.open(pid).orElseThrow()) {
            events.onExit(pidfd, ended::countDown);
            assertThat(pidfd.signal(9)).isTrue();
        }
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aClosedRegistrationIsNotCalled() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(1);
        Process process = new ProcessBuilder("sleep", "60").start();
        try (Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow()) {
            events.onExit(pidfd, closed::incrementAndGet).close();
            events.onExit(pidfd, ended::countDown);
        }
        process.destroy();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(closed).hasValue(0);
    }

    @Test
    void anActionThatThrowsHarmsNoOther() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Process process = new ProcessBuilder("sleep", "60").start();
        try (Pidfd pidfd = Pidfd.open(process.pid()).orElseThrow()) {
            events.onExit(pidfd, () -> {
                throw new IllegalStateException("on purpose");
            });
            events.onExit(pidfd, ended::countDown);
        }
        process.destroy();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closedEventsTakeNothingOn() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        events.close();
        events.close();
        try (Pidfd pidfd = Pidfd.open(ProcessHandle.current().pid()).orElseThrow()) {
            assertThatThrownBy(() -> events.onExit(pidfd, () -> {})).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> events.onWrite(file, () -> {})).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tellsEveryWriteUntilClosed() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        AtomicInteger writes = new AtomicInteger();
        var registration = events.onWrite(file, writes::incrementAndGet);
        append(file);
        await().untilAtomic(writes, is(1));
        append(file);
        await().untilAtomic(writes, is(2));
        registration.close();
        append(file);
        flush();
        assertThat(writes).hasValue(2);
    }

    @Test
    void theNextWriteIsToldOnceAlsoNextToAStandingWatch() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        AtomicInteger next = new AtomicInteger();
        AtomicInteger each = new AtomicInteger();
        events.onNextWrite(file, next::incrementAndGet);
        events.onWrite(file, each::incrementAndGet);
        events.onNextWrite(file, next::incrementAndGet);
        append(file);
        await().untilAtomic(each, is(1));
        append(file);
        await().untilAtomic(each, is(2));
        assertThat(next).hasValue(2);
    }

    @Test
    void theNextWriteCanBeAskedForAgainFromItsAction() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        AtomicInteger writes = new AtomicInteger();
        rearm(file, writes);
        for (int i = 1; i <= 20; i++) {
            append(file);
            await().untilAtomic(writes, is(i));
        }
    }

    private void rearm(Path file, AtomicInteger writes) {
        events.onNextWrite(file, () -> {
            rearm(file, writes);
            writes.incrementAndGet();
        });
    }

    @Test
    void aFileThatWasDeletedAndMadeAgainCanBeWatchedAgain() throws Exception {
        Path file = Files.createFile(folder.resolve("out"));
        AtomicInteger writes = new AtomicInteger();
        events.onWrite(file, writes::incrementAndGet);
        Files.delete(file);
        flush();
        Files.createFile(file);
        events.onWrite(file, writes::incrementAndGet);
        append(file);
        await().untilAtomic(writes, is(1));
    }

    @Test
    void aMissingFileCannotBeWatched() {
        assertThatThrownBy(() -> events.onWrite(folder.resolve("none"), () -> {}))
                .isInstanceOfSatisfying(
                        ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.ENOENT));
    }

    @Test
    void tellsRoomInAPipeAndAReaderThatLeft() throws Exception {
        Path fifo = folder.resolve("fifo");
        Names.fifo(fifo);
        CountDownLatch room = new CountDownLatch(1);
        Descriptor reader = Descriptor.open(fifo, Descriptor.READ | Descriptor.NON_BLOCKING, 0);
        try (Descriptor writer = Descriptor.open(fifo, Descriptor.WRITE | Descriptor.NON_BLOCKING, 0)) {
            byte[] block = new byte[4096];
            while (writer.write(block, 0, block.length) > 0) {}
            events.onWritable(writer, room::countDown);
            flush();
            assertThat(room.getCount()).isEqualTo(1);
            reader.read(8192);
            assertThat(room.await(30, TimeUnit.SECONDS)).isTrue();
            while (writer.write(block, 0, block.length) > 0) {}
            CountDownLatch left = new CountDownLatch(1);
            events.onWritable(writer, left::countDown);
            reader.close();
            assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> writer.write(block, 0, block.length))
                    .isInstanceOfSatisfying(
                            ErrnoException.class, e -> assertThat(e.errno()).isEqualTo(ErrnoException.EPIPE));
        }
    }

    @Test
    void manyProcessesCostNoThreadAndNoDescriptor() throws Exception {
        CountDownLatch ended = new CountDownLatch(100);
        flush();
        long before = descriptors();
        for (int i = 0; i < 100; i++) {
            long pid = new Spawn().start(Path.of("/bin/true"), java.util.List.of("true"), java.util.Map.of());
            try (Pidfd pidfd = Pidfd.open(pid).orElseThrow()) {
                events.onExit(pidfd, () -> {
                    Processes.reap(pid);
                    ended.countDown();
                });
            }
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(descriptors()).isLessThanOrEqualTo(before + 2);
    }

    /** Waits until the event thread has handled all that was there before. */
    private void flush() throws Exception {
        Path file = Files.createTempFile(folder, "flush", "");
        CountDownLatch seen = new CountDownLatch(1);
        events.onNextWrite(file, seen::countDown);
        append(file);
        assertThat(seen.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static long descriptors() throws IOException {
        try (var list = Files.list(Path.of("/proc/self/fd"))) {
            return list.count();
        }
    }

    private static void append(Path file) throws IOException {
        Files.writeString(file, "x", StandardOpenOption.APPEND);
    }
}
