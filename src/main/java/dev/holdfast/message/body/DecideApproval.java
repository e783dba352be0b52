package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.Decisions.Answer;
import dev.holdfast.runtime.start.Decisions.Remember;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/approvals/{id}}. */
@Schema(
        description = "What a person answers",
        examples = "{\"decision\": \"allow\", \"remember\": \"session\"}",
        additionalProperties = Schema.False.class)
public record DecideApproval(
        @Schema(
                required = true,
                enumeration = {"allow", "deny"})
        @Nullable
        String decision,

        @Schema(
                enumeration = {"once", "session", "always"},
                defaultValue = "once",
                description = "With allow: this time, until the server ends, or always what suggested_rule matches")
        @Nullable
        String remember,

        @Schema(maxLength = 1000, description = "For whoever asked") @Nullable
        String reason) {

    public static Answer parse(byte[] body) {
        DecideApproval given = JsonBody.read(body, DecideApproval.class);
        if (given.decision() == null) {
            throw Refusal.invalid("decision", "is missing", "Send `allow` or `deny`.");
        }
        boolean allow = given.decision().equals("allow");
        Remember remember = StartCommand.constant(given.remember(), Remember.ONCE);
        if (!allow && remember != Remember.ONCE) {
            throw Refusal.invalid(
                    "remember",
                    "is for an answer that allows",
                    "Leave it out; a rule of the policy file denies for good.");
        }
        return new Answer(allow, remember, given.reason());
    }
}
