package dev.holdfast.message.body;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.holdfast.runtime.start.StartRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/policy/check}: of a command what the policy looks at, as it would be sent to start it.
 */
@Schema(
        description = "Exactly one of cmd and argv",
        examples = {"{\"cmd\": \"git push --force\"}", "{\"argv\": [\"rm\", \"-rf\", \"build\"], \"workdir\": \"app\"}"
        },
        additionalProperties = Schema.False.class)
public record CheckCommand(
        @Schema(description = "Shell text, at most 100 KiB") @Nullable
        String cmd,

        @Schema(minItems = 1, description = "Program and arguments, no shell") @Nullable
        List<String> argv,

        @Schema(description = "Relative to the workspace; must exist") @Nullable
        String workdir,

        @Schema(description = "Of these the keys count", additionalProperties = StartCommand.TextOrNull.class)
        @JsonDeserialize(contentUsing = Strict.Value.class)
        @Nullable
        Map<String, @Nullable String> env,

        @Schema(maxProperties = StartCommand.MAX_LABELS) @Nullable
        Map<String, String> labels,

        @Schema(
                enumeration = {"command", "input", "stop"},
                defaultValue = "command",
                description = "A start, a line sent to a shell, or a stop or signal of the command")
        @Nullable
        String on) {

    public static CheckCommand parse(byte[] body) {
        return JsonBody.read(body, CheckCommand.class);
    }

    /** The command as one that is to be started. */
    public StartRequest request() {
        return new StartCommand(
                        cmd, argv, workdir, null, null, null, null, null, null, null, null, null, null, env, null, null,
                        null, labels, null, null)
                .request();
    }

    /** What is done with it: {@code command}, {@code input} or {@code stop}. */
    public String action() {
        return Objects.requireNonNullElse(on, "command");
    }
}
