package dev.holdfast.message.body;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.BatchRequest;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/commands/batch}: items, and defaults for them. */
@Schema(
        description = "Commands to run one after the other, and defaults for them",
        examples = "{\"items\": [{\"cmd\": \"npm ci\"}, {\"cmd\": \"npm test\"}], \"stop_on_error\": true}",
        additionalProperties = Schema.False.class)
public record StartBatch(
        @Schema(required = true, minItems = 1, maxItems = MAX_ITEMS, description = "One after the other") @Nullable
        List<Item> items,

        @Schema(defaultValue = "false", description = "Whether what follows a failed item is skipped") @Nullable
        Boolean stopOnError,

        @Schema(description = "Relative to the workspace; must exist") @Nullable
        String workdir,

        @Schema(description = "Name or path") @Nullable String shell,

        @Schema(defaultValue = "true", description = "A login shell") @Nullable
        Boolean login,

        @Schema(
                minimum = "0",
                maximum = "600000",
                defaultValue = "30000",
                description = "Past it the item is stopped and failed, with what it had printed")
        @Nullable
        Integer yieldTimeMs,

        @Schema(
                minimum = "1",
                maximum = "64000",
                defaultValue = "8000",
                description = "What the answer to an item may hold of its output; 4 characters a token")
        @Nullable
        Integer maxOutputTokens) {
    private static final int MAX_ITEMS = 12;
    private static final int DEFAULT_YIELD_MS = 30_000;

    /** A command without a terminal or input; what it is silent about is as the batch says. */
    @Schema(
            name = "BatchCommand",
            description = "The fields of StartCommand that a batch has; what it is silent about is as the batch says",
            additionalProperties = Schema.False.class)
    public record Item(
            @Nullable String cmd,
            @Nullable List<String> argv,
            @Nullable String workdir,
            @Nullable String shell,
            @Nullable Boolean login,

            @Schema(minimum = "0", maximum = "600000") @Nullable
            Integer yieldTimeMs,

            @Nullable YieldWhen yieldWhen,

            @Schema(minimum = "1", maximum = "64000") @Nullable
            Integer maxOutputTokens,

            @Schema(additionalProperties = StartCommand.TextOrNull.class)
            @JsonDeserialize(contentUsing = Strict.Value.class)
            @Nullable
            Map<String, @Nullable String> env,

            @Schema(minimum = "1", maximum = "3155760000000") @Nullable
            Long timeoutMs,

            @Schema(minimum = "1", maximum = "3155760000000") @Nullable
            Long idleTimeoutMs,

            @Schema(enumeration = {"leave", "stop"}) @Nullable
            String onExit,

            @Schema(maxProperties = StartCommand.MAX_LABELS) @Nullable
            Map<String, String> labels,

            @Schema(enumeration = {"none", "read_only", "workspace_write"}) @Nullable
            String sandbox,

            @Nullable Boolean network) {
        private StartCommand command() {
            return new StartCommand(
                    cmd,
                    argv,
                    workdir,
                    shell,
                    login,
                    null,
                    null,
                    null,
                    null,
                    null,
                    yieldTimeMs,
                    yieldWhen,
                    maxOutputTokens,
                    env,
                    timeoutMs,
                    idleTimeoutMs,
                    onExit,
                    labels,
                    sandbox,
                    network);
        }
    }

    public static BatchRequest parse(byte[] body) {
        return JsonBody.read(body, StartBatch.class).request();
    }

    public BatchRequest request() {
        List<Item> commands = Objects.requireNonNullElse(items, List.of());
        if (commands.isEmpty() || commands.size() > MAX_ITEMS) {
            throw Refusal.invalid(
                    "items",
                    "must hold 1 to " + MAX_ITEMS + " commands, not " + commands.size(),
                    commands.isEmpty() ? "Name at least one." : "Split the batch.");
        }
        StartCommand.Defaults defaults = defaults();
        List<StartRequest> requests = new ArrayList<>();
        for (Item item : commands) {
            requests.add(item.command().request("items[" + requests.size() + "].", defaults));
        }
        return new BatchRequest(requests, Boolean.TRUE.equals(stopOnError));
    }

    private StartCommand.Defaults defaults() {
        return new StartCommand.Defaults(
                StartCommand.notBlank("workdir", workdir),
                StartCommand.notBlank("shell", shell),
                Objects.requireNonNullElse(login, true),
                Objects.requireNonNullElse(yieldTimeMs, DEFAULT_YIELD_MS),
                Objects.requireNonNullElse(maxOutputTokens, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS),
                DuplicatePolicy.START_NEW);
    }
}
