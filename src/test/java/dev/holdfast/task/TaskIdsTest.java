package dev.holdfast.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskIdsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00.000Z");

    private final AtomicLong millis = new AtomicLong(START.toEpochMilli());
    private final InstantSource clock = () -> Instant.ofEpochMilli(millis.get());
    private final TaskIds ids = new TaskIds(clock, new Random(1));

    @Test
    void hasTheFormThatTheContractNames() {
        assertThat(ids.next().value()).matches("task_[0-9A-HJKMNP-TV-Z]{26}");
    }

    @Test
    void sortsByTimeAsText() {
        var made = new ArrayList<String>();
        for (int i = 0; i < 100; i++) {
            made.add(ids.next().value());
            millis.addAndGet(i % 3);
        }

        assertThat(made).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void sortsAlsoWhenTheClockIsSetBack() {
        TaskId before = ids.next();
        millis.addAndGet(-3_600_000);

        assertThat(ids.next()).isGreaterThan(before);
    }

    /** Numbers are made of the millisecond and the last character. */
    @Test
    void eachHasANumberOfItsOwnAlsoWhenTheClockIsSetBack() {
        ids.next();
        millis.addAndGet(-3_600_000);
        var numbers = Stream.generate(ids::next).limit(100).map(TaskIds::number).toList();

        assertThat(numbers).doesNotHaveDuplicates();
    }

    @Test
    void sortsBehindWhatWasMadeBeforeARestart() {
        var later = new TaskIds(() -> START.plusSeconds(3600), new Random(2));
        TaskId before = Stream.generate(later::next).limit(2).toList().getLast();
        ids.follow(before);

        assertThat(ids.next()).isGreaterThan(before);
        ids.follow(new TaskId("task_00000000000000000000000000"));
        assertThat(ids.next()).isGreaterThan(before);
    }

    @Test
    void carriesIntoTheHigherHalfWhenTheLowerIsFull() {
        var full = new TaskIds(clock, new Fixed((1L << 40) - 1, 5));

        TaskId last = full.next();
        TaskId carried = full.next();

        assertThat(last.value()).endsWith("00000005ZZZZZZZZ");
        assertThat(carried.value()).endsWith("0000000600000000");
    }

    @Test
    void beginsWithTheMillisecondItWasMadeIn() {
        millis.set(0);
        assertThat(ids.next().value()).startsWith("task_0000000000");
        millis.set(31);
        assertThat(ids.next().value()).startsWith("task_000000000Z");
        millis.set((1L << 48) - 1);
        assertThat(ids.next().value()).startsWith("task_7ZZZZZZZZZ");
    }

    @Test
    void manyThreadsNeverGetTheSameId() throws Exception {
        Callable<List<TaskId>> thousand = () -> {
            var mine = new ArrayList<TaskId>();
            for (int i = 0; i < 1_000; i++) {
                mine.add(ids.next());
            }
            return mine;
        };
        var all = new HashSet<TaskId>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var future : threads.invokeAll(Collections.nCopies(16, thousand))) {
                assertThat(future.get()).isSorted();
                all.addAll(future.get());
            }
        }

        assertThat(all).hasSize(16_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "task_",
                "01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "task_01ARZ3NDEKTSV4RRFFQ69G5FA",
                "task_01ARZ3NDEKTSV4RRFFQ69G5FAVX",
                "task_01arz3ndektsv4rrffq69g5fav",
                "task_81ARZ3NDEKTSV4RRFFQ69G5FAV",
                "task_01ARZ3NDEKTSV4RRFFQ69G5FAU",
                "task_../../../../../../etc/passw",
                "TASK_01ARZ3NDEKTSV4RRFFQ69G5FAV"
            })
    void whatIsNoIdIsNotOne(String text) {
        assertThat(TaskId.parse(text)).isEmpty();
        assertThatThrownBy(() -> new TaskId(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsOneIsReadAsItWasWritten() {
        TaskId id = ids.next();

        assertThat(TaskId.parse(id.value())).contains(id);
        assertThat(id).hasToString(id.value());
    }

    /** Chance that gives the high half first, then the low half full. */
    private static final class Fixed implements RandomGenerator {
        private final long low;
        private final long high;
        private boolean first = true;

        Fixed(long low, long high) {
            this.low = low;
            this.high = high;
        }

        @Override
        public long nextLong() {
            return nextLong(Long.MAX_VALUE);
        }

        @Override
        public long nextLong(long bound) {
            boolean was = first;
            first = false;
            return was ? high : low;
        }
    }
}
