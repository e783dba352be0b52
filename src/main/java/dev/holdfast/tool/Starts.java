package dev.holdfast.tool;

import dev.holdfast.runtime.start.Commands;
import dev.holdfast.runtime.start.StartRequest;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Starts commands for the tools of other designs. These have no word for what is yet to be allowed: a person is waited
 * for, and what nobody allows meanwhile never starts. Thread-safe; blocks.
 */
@Singleton
public record Starts(Commands commands) {
    /** What a person has for an answer, whatever limit the command has; less where the call may not wait so long. */
    private static final Duration FOR_A_PERSON = Duration.ofMinutes(5);

    /** @throws dev.holdfast.runtime.call.Refusal nothing was started */
    public Ran run(StartRequest request, Call call) {
        boolean cut = call.most().compareTo(FOR_A_PERSON) < 0;
        String over =
                cut ? "the wait for an answer was cut at " + call.most().toSeconds() + " s" : "its caller has given up";
        Duration person = cut ? call.most() : FOR_A_PERSON;
        return Ran.of(commands.startIfAnswered(request, person, call.most(), over));
    }
}
