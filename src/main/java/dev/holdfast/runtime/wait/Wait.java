package dev.holdfast.runtime.wait;

import dev.holdfast.runtime.call.Patience;
import dev.holdfast.runtime.call.Wakeup;
import dev.holdfast.runtime.wait.WaitAnswer.Match;
import dev.holdfast.task.Task;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One caller's wait. Used by one thread, which sleeps until something has changed. */
public final class Wait implements AutoCloseable {
    /** A caller with less time is answered when each condition was looked at once, and after so long in any case. */
    private static final Duration FIRST_LOOKS = Duration.ofSeconds(2);
    /** So long after its beginning what has come true waits for the first looks at the others, which may hold too. */
    private static final Duration TOGETHER = Duration.ofMillis(200);

    private final Conditions conditions;
    private final boolean all;
    private final Map<TaskId, Task> found;
    private final Wakeup wakeup = new Wakeup();
    private final List<Conditions.Key> keys = new ArrayList<>();
    private final List<Awaited> awaited = new ArrayList<>();

    Wait(Conditions conditions, boolean all, Map<TaskId, Task> found) {
        this.conditions = conditions;
        this.all = all;
        this.found = found;
    }

    void add(Conditions.Key key) {
        awaited.add(conditions.enter(key, Objects.requireNonNull(found.get(key.task())), wakeup));
        keys.add(key);
    }

    /**
     * Blocks until nothing is left to wait for: any (or all) came true, or can't any more.
     *
     * @param over ends the wait when it completes in any way
     * @return whether the time, or its caller's {@link Patience}, was over before
     */
    public boolean await(Duration timeout, CompletableFuture<?> over) {
        long began = System.nanoTime();
        wakeup.after(over);
        try {
            while (!over.isDone()) {
                boolean looked = awaited.stream().allMatch(Awaited::isLooked); // before it is seen what came true
                boolean settled = settled();
                Duration passed = Duration.ofNanos(System.nanoTime() - began);
                Duration left = settled ? Duration.ZERO : timeout.minus(passed);
                if (!left.isPositive() && !looked) {
                    left = (settled ? TOGETHER : FIRST_LOOKS).minus(passed);
                }
                if (!left.isPositive() || Patience.isOver()) {
                    return !settled;
                }
                wakeup.await(left);
            }
        } catch (InterruptedException serverStops) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private boolean settled() {
        Predicate<Awaited> came = one -> one.outcome() instanceof Outcome.True;
        Predicate<Awaited> impossible = one -> one.outcome() instanceof Outcome.Impossible;
        for (Awaited one : awaited) {
            if (one.outcome() instanceof Outcome.Failed(RuntimeException failure)) {
                throw failure;
            }
        }
        if (awaited.isEmpty()) {
            return false;
        }
        return all
                ? awaited.stream().allMatch(came) || awaited.stream().anyMatch(impossible)
                : awaited.stream().anyMatch(came) || awaited.stream().allMatch(impossible);
    }

    /** The indices of the conditions that came true. */
    public List<Integer> satisfied() {
        return indices(Outcome.True.class);
    }

    /** The indices of those that can't come true any more. */
    public List<Integer> impossible() {
        return indices(Outcome.Impossible.class);
    }

    private List<Integer> indices(Class<? extends Outcome> kind) {
        return IntStream.range(0, awaited.size())
                .filter(i -> kind.isInstance(awaited.get(i).outcome()))
                .boxed()
                .toList();
    }

    /** What was found, of those that came true and look for something. */
    public List<Match> matches() {
        return IntStream.range(0, awaited.size())
                .mapToObj(i -> match(i, awaited.get(i).outcome()))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    private static @Nullable Match match(int index, @Nullable Outcome outcome) {
        return outcome instanceof Outcome.True(var found) && found != null
                ? new Match(index, found.text(), found.cursor())
                : null;
    }

    /** Each task once, as it stands. */
    List<Task> tasks() {
        return found.values().stream()
                .map(task -> conditions.current(task, awaited))
                .toList();
    }

    @Override
    public void close() {
        for (int i = 0; i < keys.size(); i++) {
            conditions.leave(keys.get(i), awaited.get(i), wakeup);
        }
        wakeup.close();
    }
}
