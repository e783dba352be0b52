package dev.holdfast.message.body;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.Sandbox;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/tokens}. */
@Schema(
        description = "Who is let in",
        examples = {
            "{\"name\": \"ci\", \"role\": \"agent\"}",
            "{\"name\": \"bot\", \"role\": \"agent\", \"labels\": {\"team\": \"web\"}, \"mode\": \"plan\", \"sandbox\": \"read_only\"}"
        },
        additionalProperties = Schema.False.class)
public record AddToken(
        @Schema(
                required = true,
                maxLength = 64,
                description =
                        "1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or a digit; none of the server's"
                                + " own, `operator`, `system` and `holdfast`")
        @Nullable
        String name,

        @Schema(
                enumeration = {"agent", "observer", "operator"},
                defaultValue = "agent")
        @Nullable
        String role,

        @Schema(maxProperties = StartCommand.MAX_LABELS, description = "That its tasks carry, whatever it asks for")
        @Nullable
        Map<String, String> labels,

        @Schema(
                enumeration = {"open", "ask_destructive", "plan"},
                defaultValue = "open",
                description = "The least that its commands are held to")
        @Nullable
        String mode,

        @Schema(
                enumeration = {"none", "read_only", "workspace_write", "read_only+network", "workspace_write+network"},
                defaultValue = "none",
                description = "The least wall that its commands get")
        @Nullable
        String sandbox) {

    public static Actor parse(byte[] body) {
        AddToken given = JsonBody.read(body, AddToken.class);
        if (given.name == null) {
            throw Refusal.invalid("name", "is missing", "Name who will bear the token, such as `ci`.");
        }
        String wall = Objects.requireNonNullElse(given.sandbox, "none");
        return new Actor(
                given.name,
                StartCommand.constant(given.role, Role.AGENT),
                Objects.requireNonNullElse(given.labels, Map.of()),
                StartCommand.constant(given.mode, Mode.OPEN),
                wall.equals("none") ? null : Sandbox.parse(wall));
    }
}
