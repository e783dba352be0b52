package dev.holdfast.message.view;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Who is let in, besides the bearer of the server's own token. */
@Schema(name = "Token", description = "Who is let in; the token itself is told once, to who made it")
public record TokenJson(
        @Schema(examples = "ci") String name,
        Role role,

        @Schema(description = "That its tasks carry") Map<String, String> labels,

        @Schema(description = "The least that its commands are held to")
        Mode mode,

        @Schema(description = "The least wall that its commands get", examples = "none")
        String sandbox,

        @Schema(nullable = true, description = "Null but in the answer to who made it") @Nullable
        String token) {

    @Schema(name = "Tokens", description = "Who is let in, in the order of the file")
    public record Listing(List<TokenJson> tokens) {}

    public static TokenJson of(Actor actor, @Nullable String token) {
        String wall = Optional.ofNullable(actor.sandbox()).map(Object::toString).orElse("none");
        return new TokenJson(actor.name(), actor.role(), actor.labels(), actor.mode(), wall, token);
    }
}
