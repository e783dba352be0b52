package dev.holdfast.runtime.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EventRingTest {
    private final EventRing ring = new EventRing(1_750_000_000_000L);
    private final long start = ring.last();

    private static boolean any(EventRing.Source source) {
        return true;
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            ring.append(new EventRing.Source(Map.of(), i % 2 == 0 ? "even" : null), "status", Map.of("n", i));
        }
    }

    /** Counted from the start. */
    private List<Long> numbersAfter(long number) {
        List<Long> numbers = new ArrayList<>();
        Optional<EventRing.Page> page = ring.after(start + number, EventRingTest::any);
        while (page.isPresent() && !page.get().events().isEmpty()) {
            page.get().events().forEach(event -> numbers.add(Long.parseLong(event.id()) - start));
            page = ring.after(page.get().last(), EventRingTest::any);
        }
        return numbers;
    }

    @Test
    void anIdIsShortAndGreaterThanThoseBefore() {
        append(2);
        List<FeedEvent> events =
                ring.after(start, EventRingTest::any).orElseThrow().events();
        assertThat(events.getFirst().id())
                .isLessThan(events.getLast().id())
                .isEqualTo(Long.toString(start + 1))
                .hasSizeLessThanOrEqualTo(32);
        long later = new EventRing(1_750_000_000_001L).last();
        assertThat(Long.toString(later)).isGreaterThan(events.getLast().id());
    }

    @Test
    void aNumberOfAnotherRunOrOfTheFutureHasNothingAfterIt() {
        append(3);
        for (long other : List.of(new EventRing(1_749_999_999_999L).last(), 0L, 2L, -1L, start - 1, start + 4)) {
            assertThat(ring.after(other, EventRingTest::any)).as("" + other).isEmpty();
        }
        assertThat(ring.after(start + 3, EventRingTest::any))
                .hasValueSatisfying(page -> assertThat(page.events()).isEmpty());
        assertThat(numbersAfter(0)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void theLastTenThousandAreKeptAndNoMore() {
        append(EventRing.KEPT + 5);

        assertThat(ring.after(start + 4, EventRingTest::any)).isEmpty();
        assertThat(numbersAfter(5)).hasSize(EventRing.KEPT).startsWith(6L).endsWith(10_005L);
    }

    @Test
    void otherSourcesArePassedOver() {
        append(5);
        EventRing.Page page =
                ring.after(start, source -> "even".equals(source.owner())).orElseThrow();

        assertThat(page.events()).hasSize(3);
        assertThat(page.last()).isEqualTo(start + 5);
    }
}
