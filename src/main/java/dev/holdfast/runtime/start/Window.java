package dev.holdfast.runtime.start;

import dev.holdfast.runtime.Answers;
import dev.holdfast.runtime.LiveCommand;
import dev.holdfast.runtime.start.StartRequest.YieldWhen;
import dev.holdfast.runtime.wait.Conditions;
import dev.holdfast.runtime.wait.Wait;
import dev.holdfast.runtime.wait.WaitRequest.Condition;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a command in its caller's window: until it ends, the window closes, or a condition of {@code yield_when}
 * holds. Waits on the caller's own (virtual) thread.
 */
record Window(LiveCommand command, YieldWhen when, Conditions conditions) {
    private static final Logger LOG = Logger.getLogger(Window.class);

    /** A condition, and what the contract calls it. */
    private record Named(String name, Until until) {}

    /**
     * Null when the command ended; else why the window closed: {@code yield_time} or the first condition that holds. A
     * server that stops closes it early, and so does a look that fails: the command goes on.
     */
    @Nullable
    String await(Duration yieldTime) {
        List<Named> named = named();
        List<Condition> all = named.stream()
                .map(one -> new Condition(command.id(), one.until()))
                .toList();
        try (Wait wait = conditions.begin(false, all)) {
            wait.await(yieldTime, command.ended());
            if (command.ended().isDone() || !wait.impossible().isEmpty()) {
                return null;
            }
            List<Integer> holding = wait.satisfied();
            return holding.isEmpty()
                    ? Answers.WINDOW_CLOSED
                    : named.get(holding.getFirst()).name();
        } catch (RuntimeException | Error failure) {
            LOG.warnf(failure, "What %s does cannot be seen; its window is closed", command.id());
            return Answers.WINDOW_CLOSED;
        }
    }

    /** In the contract's order. */
    private List<Named> named() {
        List<Named> named = new ArrayList<>();
        if (when.outputMatches() != null) {
            named.add(new Named("output_matches", new Until.OutputMatches(when.outputMatches(), null)));
        }
        if (when.portOpen() != null) {
            named.add(new Named("port_open", new Until.PortOpen(when.portOpen())));
        }
        if (when.idle() != null) {
            named.add(new Named("idle_ms", new Until.Idle(when.idle())));
        }
        if (when.needsInput()) {
            named.add(new Named(Answers.NEEDS_INPUT, new Until.NeedsInput()));
        }
        return named;
    }
}
