package dev.holdfast.message.view;

import dev.holdfast.policy.actor.Actor;
import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.actor.Role;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The way into the console. */
public final class ConsoleJson {
    private ConsoleJson() {}

    @Schema(name = "Session", description = "Who calls")
    public record Session(
            @Schema(description = "The name of the token", examples = "operator")
            String name,

            Role role,

            @Schema(description = "The least that its commands are held to")
            Mode mode,

            @Schema(nullable = true, description = "When the browser's session ends; null for a call with a token")
            @Nullable
            Instant expiresAt) {
        public static Session of(Actor actor, @Nullable Instant ends) {
            return new Session(actor.name(), actor.role(), actor.mode(), ends);
        }
    }

    @Schema(name = "SignedIn", description = "What the page of a browser keeps that was let in, beside the cookie")
    public record SignedIn(
            @Schema(description = "In the header `Holdfast-Page-Secret` with each request by session")
            String pageSecret) {}

    @Schema(name = "ConsoleKey", description = "What lets a browser in once")
    public record Key(
            String key,
            Instant expiresAt,

            @Schema(
                    description =
                            "The console's address with the key; what is behind the # is sent to nobody, and in no log")
            String url) {}
}
