package dev.holdfast.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TaskNumbersTest {
    private static final Instant NOW = Instant.parse("2026-11-23T14:00:00.123Z");

    @Test
    void idsOfOneMillisecondHaveNumbersOfTheirOwn() {
        TaskIds ids = new TaskIds(() -> NOW, new Random(1));
        Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 32; i++) {
            numbers.add(TaskIds.number(ids.next()));
        }
        assertThat(numbers).hasSize(32).allMatch(number -> number > 0 && number < 1L << 53);
    }

    @Test
    void aNumberNamesItsMillisecond() {
        TaskId id = new TaskIds(() -> NOW, new Random(2)).next();

        TaskId last = TaskIds.lastOf(TaskIds.number(id)).orElseThrow();

        assertThat(TaskIds.madeAt(last)).isEqualTo(NOW);
        assertThat(last).isGreaterThan(id);
    }

    @Test
    void whatIsNoNumberNamesNone() {
        assertThat(TaskIds.lastOf(Long.MAX_VALUE)).isEmpty();
        assertThat(TaskIds.lastOf(Long.MIN_VALUE)).isEmpty();
    }
}
