package dev.holdfast.api.body;

import dev.holdfast.runtime.BatchRequest;
import dev.holdfast.runtime.StartRequest;
import dev.holdfast.runtime.StartRequest.DuplicatePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The body of {@code POST /v1/commands/batch}: items, and defaults for them. */
public final class BatchBody {
    private static final Set<String> KNOWN =
            Set.of("items", "stop_on_error", "workdir", "shell", "login", "yield_time_ms", "max_output_tokens");
    private static final Set<String> FORBIDDEN = Set.of("tty", "rows", "cols", "accepts_input", "duplicate_policy");
    private static final int MAX_ITEMS = 12;
    private static final Duration DEFAULT_YIELD = Duration.ofSeconds(30);

    private BatchBody() {}

    /** @throws dev.holdfast.runtime.Refusal {@code invalid_tool_input}, naming the field */
    public static BatchRequest parse(byte[] body) {
        Fields fields = Fields.of(body, KNOWN);
        List<Fields> items = fields.objects("items", StartBody.KNOWN);
        if (items.isEmpty() || items.size() > MAX_ITEMS) {
            throw fields.refusal(
                    "items", "must hold 1 to " + MAX_ITEMS + " commands, not " + items.size(), "Split the batch.");
        }
        StartBody.Defaults defaults = defaults(fields);
        List<StartRequest> requests = items.stream()
                .peek(BatchBody::refuseForbidden)
                .map(item -> StartBody.read(item, defaults))
                .toList();
        return new BatchRequest(requests, fields.flag("stop_on_error", false));
    }

    private static StartBody.Defaults defaults(Fields fields) {
        return new StartBody.Defaults(
                StartBody.notBlank(fields, "workdir"),
                StartBody.notBlank(fields, "shell"),
                fields.flag("login", true),
                fields.millis("yield_time_ms", DEFAULT_YIELD, 0, StartBody.MAX_YIELD_MS),
                fields.whole(
                        "max_output_tokens", StartRequest.DEFAULT_MAX_OUTPUT_TOKENS, 1, StartBody.MAX_OUTPUT_TOKENS),
                DuplicatePolicy.START_NEW);
    }

    private static void refuseForbidden(Fields item) {
        for (String name : FORBIDDEN) {
            if (item.has(name)) {
                throw item.refusal(
                        name, "is not for an item of a batch", "Start this command by itself: POST /v1/commands.");
            }
        }
    }
}
