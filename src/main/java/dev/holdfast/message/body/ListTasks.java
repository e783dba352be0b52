package dev.holdfast.message.body;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.holdfast.runtime.port.TaskStore;
import io.vertx.core.MultiMap;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The parameters of {@code GET /v1/tasks} as an object. */
public record ListTasks(
        @Schema(defaultValue = "active", description = "active, ended, all or one status") @Nullable
        String status,

        @Schema(description = "key=value; all must match")
        @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
        @Nullable
        List<String> label,

        @Schema(description = "text in the command") @Nullable
        String q,

        @Schema(minimum = "1", maximum = "100", defaultValue = "20") @Nullable
        Integer limit,

        @Nullable String cursor,

        @Schema(description = "what ended since this RFC 3339 time; with status ended or all") @Nullable
        String endedAfter,

        @Schema(description = "look at processes now") @Nullable
        Boolean fresh) {

    public TaskStore.Query query() {
        MultiMap given = MultiMap.caseInsensitiveMultiMap();
        add(given, "status", status);
        add(given, "q", q);
        add(given, "limit", limit);
        add(given, "cursor", cursor);
        add(given, "ended_after", endedAfter);
        if (label != null) {
            given.add("label", label);
        }
        return QueryParameters.list(given);
    }

    public boolean looksNow() {
        return Boolean.TRUE.equals(fresh);
    }

    private static void add(MultiMap given, String name, @Nullable Object value) {
        if (value != null) {
            given.add(name, value.toString());
        }
    }
}
