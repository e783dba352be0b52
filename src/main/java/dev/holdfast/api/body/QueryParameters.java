package dev.holdfast.api.body;

import dev.holdfast.runtime.Refusal;
import dev.holdfast.runtime.TaskStore;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import io.vertx.core.MultiMap;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters behind a path's question mark, as strict as a body's fields: nothing unknown, nothing out of bounds. */
public final class QueryParameters {
    private static final Set<String> LIST = Set.of("status", "label", "q", "limit", "cursor");
    private static final Set<String> OUTPUT = Set.of("stream", "cursor", "max_bytes", "wait_ms", "view");
    private static final int DEFAULT_LIMIT = 20;
    private static final int MAX_LIMIT = 100;
    private static final int DEFAULT_BYTES = 65_536;
    private static final int MAX_BYTES = 1_048_576;
    private static final int MAX_WAIT_MS = 600_000;
    private static final int MAX_DIGITS = 18;

    private final MultiMap given;

    private QueryParameters(MultiMap given, Set<String> known) {
        this.given = given;
        for (String name : given.names()) {
            if (!known.contains(name)) {
                String hint = Nearest.to(name, known)
                        .map(near -> "Did you mean `" + near + "`? ")
                        .orElse("");
                throw Refusal.invalid(
                        Text.shortened(name),
                        "is not a known parameter",
                        hint + "Known parameters: " + String.join(", ", new TreeSet<>(known)) + ".");
            }
        }
    }

    /**
     * @param stream null for both
     * @param cursor null for the start
     * @param patience how long to wait for something new
     * @param raw whether the text is left as it was written
     */
    public record Output(
            @Nullable StreamName stream, @Nullable String cursor, int maxBytes, Duration patience, boolean raw) {
        public String streamName() {
            return stream == null ? "all" : stream.name().toLowerCase(Locale.ROOT);
        }
    }

    /** What {@code GET /v1/tasks/{id}/output} was asked. */
    public static Output output(MultiMap given) {
        var parameters = new QueryParameters(given, OUTPUT);
        String stream = parameters.oneOf("stream", "all", List.of("all", "stdout", "stderr"));
        return new Output(
                stream.equals("all") ? null : StreamName.valueOf(stream.toUpperCase(Locale.ROOT)),
                parameters.cursor(),
                parameters.whole("max_bytes", DEFAULT_BYTES, 1, MAX_BYTES),
                Duration.ofMillis(parameters.whole("wait_ms", 0, 0, MAX_WAIT_MS)),
                parameters.oneOf("view", "text", List.of("text", "raw")).equals("raw"));
    }

    /** What {@code GET /v1/tasks} was asked. */
    public static TaskStore.Query list(MultiMap given) {
        var parameters = new QueryParameters(given, LIST);
        String status = parameters.single("status");
        String cursor = parameters.cursor();
        return new TaskStore.Query(
                filter(status),
                status(status),
                parameters.labels(),
                parameters.single("q"),
                parameters.whole("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
                cursor == null ? null : before(cursor));
    }

    private static TaskStore.StatusFilter filter(@Nullable String status) {
        for (TaskStore.StatusFilter filter : TaskStore.StatusFilter.values()) {
            if (filter.name().toLowerCase(Locale.ROOT).equals(status)) {
                return filter;
            }
        }
        return TaskStore.StatusFilter.ACTIVE;
    }

    private static @Nullable TaskStatus status(@Nullable String status) {
        if (status == null || List.of("active", "ended", "all").contains(status)) {
            return null;
        }
        for (TaskStatus named : TaskStatus.values()) {
            if (named.name().toLowerCase(Locale.ROOT).equals(status)) {
                return named;
            }
        }
        String names = String.join(
                ", ",
                Arrays.stream(TaskStatus.values())
                        .map(known -> known.name().toLowerCase(Locale.ROOT))
                        .toList());
        throw Refusal.invalid("status", "is not a status", "Use active, ended, all, or one of " + names + ".");
    }

    private static TaskId before(String cursor) {
        return TaskId.parse(cursor)
                .orElseThrow(() -> Refusal.invalid("cursor", "is none", "Use the next_cursor of a former answer."));
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new HashMap<>();
        for (String label : given.getAll("label")) {
            int equals = label.indexOf('=');
            if (equals < 1) {
                throw Refusal.invalid("label", "must be of the form key=value", "For example label=project=web.");
            }
            String value = label.substring(equals + 1);
            String other = labels.put(label.substring(0, equals), value);
            if (other != null && !other.equals(value)) {
                throw Refusal.invalid("label", "asks for two values of one key", "A task has one value for a key.");
            }
        }
        return labels;
    }

    private @Nullable String single(String name) {
        List<String> values = given.getAll(name);
        if (values.size() > 1) {
            throw Refusal.invalid(name, "is given more than once", "Give it once.");
        }
        return values.isEmpty() ? null : values.getFirst();
    }

    private @Nullable String cursor() {
        String cursor = single("cursor");
        return cursor == null || cursor.isEmpty() ? null : cursor;
    }

    private String oneOf(String name, String otherwise, List<String> allowed) {
        String value = single(name);
        if (value == null) {
            return otherwise;
        }
        if (!allowed.contains(value)) {
            throw Refusal.invalid(name, "must be one of " + String.join(", ", allowed), "Use one of these.");
        }
        return value;
    }

    private int whole(String name, int otherwise, int min, int max) {
        String value = single(name);
        if (value == null) {
            return otherwise;
        }
        boolean digits = !value.isEmpty()
                && value.length() <= MAX_DIGITS
                && value.chars().allMatch(c -> c >= '0' && c <= '9');
        long number = digits ? Long.parseLong(value) : -1;
        if (number < min || number > max) {
            throw Refusal.invalid(
                    name, "must be a whole number between " + min + " and " + max, "Choose one in these bounds.");
        }
        return (int) number;
    }
}
