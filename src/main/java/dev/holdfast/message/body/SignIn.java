package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/console/session}: one of the two. */
@Schema(
        description = "What lets a browser in: a key of `holdfast console`, or a token",
        examples = "{\"key\": \"pMhGm3lq0vO0mZCyNQ2hJQkDc8bVtE5rK1xYw7uA9sI\"}",
        additionalProperties = Schema.False.class)
public record SignIn(
        @Schema(maxLength = 1000, description = "Works once, within a minute") @Nullable
        String key,

        @Schema(maxLength = 10000) @Nullable String token) {
    public static SignIn parse(byte[] body) {
        SignIn given = JsonBody.read(body, SignIn.class);
        if ((given.key == null) == (given.token == null)) {
            throw Refusal.invalid("key", "or `token` is needed", "Send the one or the other.");
        }
        return given;
    }
}
