package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The field {@code yield_when}. */
@Schema(description = "Ends the window early when any condition holds", additionalProperties = Schema.False.class)
public record YieldWhen(
        @Schema(minLength = 1, maxLength = Patterns.MAX_LENGTH, description = "A regular expression, RE2 syntax")
        @Nullable
        String outputMatches,

        @Schema(minimum = "1", maximum = "65535", description = "A listener that belongs to this command") @Nullable
        Integer portOpen,

        @Schema(minimum = "1", maximum = "600000", description = "No output for so long") @Nullable
        Integer idleMs,

        @Schema(enumeration = "true", description = "Blocked reading its terminal or stdin") @Nullable
        Boolean needsInput) {
    /** @param path of this field, to go before the names of its own */
    StartRequest.YieldWhen conditions(String path) {
        if (Boolean.FALSE.equals(needsInput)) {
            throw Refusal.invalid(path + "needs_input", "can only be true", "Leave it out when it is no condition.");
        }
        return new StartRequest.YieldWhen(
                outputMatches == null ? null : Patterns.compile(path + "output_matches", outputMatches),
                portOpen,
                idleMs == null ? null : Duration.ofMillis(idleMs),
                needsInput != null);
    }
}
