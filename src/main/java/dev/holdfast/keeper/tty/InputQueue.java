package dev.holdfast.keeper.tty;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What waits to be typed into one terminal, in order. Used under the terminal's lock. Holds at most {@link #CAPACITY}
 * bytes, and all queues together at most {@link #TOTAL_CAPACITY}, for the keeper's heap is small.
 */
public final class InputQueue {
    static final int CAPACITY = 1024 * 1024;
    static final int TOTAL_CAPACITY = 8 * 1024 * 1024;

    private static final AtomicLong TOTAL = new AtomicLong();

    private final ArrayDeque<Input> inputs = new ArrayDeque<>();
    private final LineState line = new LineState();
    private int held;

    /** Types what can be typed now; true when all of it could be, or there is no room to keep the rest. */
    public boolean offer(Input input, Tty tty) {
        if (inputs.isEmpty() && input.advance(tty, line)) {
            input.answer();
            return true;
        }
        if (held + input.waiting() > CAPACITY || TOTAL.get() + input.waiting() > TOTAL_CAPACITY) {
            input.answer();
            return true;
        }
        inputs.add(input);
        count(input.waiting());
        return false;
    }

    /** Goes on with what waits, and gives up what waited too long. */
    public void advance(Tty tty, long nowNanos) {
        while (!inputs.isEmpty()) {
            Input first = inputs.getFirst();
            int before = first.waiting();
            boolean done = first.advance(tty, line);
            count(first.waiting() - before);
            if (!done) {
                break;
            }
            inputs.removeFirst().answer();
        }
        for (Input input : List.copyOf(inputs)) {
            if (input.deadlineNanos() - nowNanos <= 0) {
                giveUp(input);
            }
        }
    }

    public boolean isEmpty() {
        return inputs.isEmpty();
    }

    /** Nanoseconds until the first input is given up; {@link Long#MAX_VALUE} when none waits. */
    public long patience(long nowNanos) {
        long least = Long.MAX_VALUE;
        for (Input input : inputs) {
            least = Math.min(least, Math.max(0, input.deadlineNanos() - nowNanos));
        }
        return least;
    }

    public void giveUpAll() {
        new ArrayList<>(inputs).forEach(this::giveUp);
    }

    private void giveUp(Input input) {
        inputs.remove(input);
        count(-input.waiting());
        input.answer();
    }

    private void count(int change) {
        held += change;
        TOTAL.addAndGet(change);
    }
}
