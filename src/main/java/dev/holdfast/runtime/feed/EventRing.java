package dev.holdfast.runtime.feed;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last events of all tasks; they end with this server. An event's id is its number: the first follows a thousand
 * times the milliseconds at which the server started, so that those of a later server are greater. Thread-safe.
 */
final class EventRing {
    static final int KEPT = 10_000;
    private static final int AT_ONCE = 500;
    private static final long NUMBERS_PER_MILLISECOND = 1000;

    private final NavigableMap<Long, Kept> kept = new TreeMap<>();
    /** What follows it is kept. */
    private long before;

    private long last;

    private record Kept(FeedEvent event, Source source) {}

    /**
     * Of what task an event is: as much as is asked for, for commands are long.
     *
     * @param owner null: the operator's
     */
    record Source(Map<String, String> labels, @Nullable String owner) {}

    /** @param events without those of other sources; fewer than there are, when there are many */
    record Page(List<FeedEvent> events, long last) {}

    /** @param startedAt of this server, milliseconds since the epoch */
    EventRing(long startedAt) {
        last = startedAt * NUMBERS_PER_MILLISECOND;
        before = last;
    }

    synchronized long last() {
        return last;
    }

    synchronized void append(Source source, String type, Map<String, @Nullable Object> data) {
        last++;
        kept.put(last, new Kept(new FeedEvent(Long.toString(last), type, data), source));
        if (kept.size() > KEPT) {
            before = kept.pollFirstEntry().getKey();
        }
    }

    /**
     * What came after {@code number}; nothing when not all of it is kept, or that number is yet to come.
     *
     * @param wanted the sources whose events are told
     */
    synchronized Optional<Page> after(long number, Predicate<Source> wanted) {
        if (number < before || number > last) {
            return Optional.empty();
        }
        List<FeedEvent> events = new ArrayList<>();
        long at = number;
        for (Map.Entry<Long, Kept> next : kept.tailMap(number, false).entrySet()) {
            if (events.size() == AT_ONCE) {
                break;
            }
            at = next.getKey();
            if (wanted.test(next.getValue().source)) {
                events.add(next.getValue().event);
            }
        }
        return Optional.of(new Page(events, at));
    }
}
