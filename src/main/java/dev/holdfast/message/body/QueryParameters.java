package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.port.Journal;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.runtime.port.TaskStore;
import dev.holdfast.runtime.start.Approval;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import dev.holdfast.task.TaskStatus;
import io.vertx.core.MultiMap;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parameters behind a path's question mark, as strict as a body's fields: nothing unknown, nothing out of bounds.
 */
public final class QueryParameters {
    private static final Set<String> LIST = Set.of("status", "label", "q", "limit", "cursor", "fresh", "ended_after");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

    private final MultiMap given;

    private QueryParameters(MultiMap given, Set<String> known) {
        this.given = given;
        for (String name : given.names()) {
            if (!known.contains(name)) {
                throw Nearest.refusal("parameter", Strict.shortened(name), name, known);
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

    public static void none(MultiMap given) {
        var _ = new QueryParameters(given, Set.of());
    }

    /** What {@code GET /v1/tasks/{id}/output} was asked. */
    public static Output output(MultiMap given) {
        var parameters = new QueryParameters(given, Set.of("stream", "cursor", "max_bytes", "wait_ms", "view"));
        return new Output(
                parameters.stream(),
                parameters.cursor(),
                parameters.whole("max_bytes", 65_536, 1, 1_048_576),
                parameters.patience(),
                parameters.oneOf("view", "text", List.of("text", "raw")).equals("raw"));
    }

    /** @param stream null for both */
    public record Search(@Nullable StreamName stream, OutputStore.Wanted wanted) {}

    /** What {@code GET /v1/tasks/{id}/output/search} was asked. */
    public static Search search(MultiMap given) {
        var parameters = new QueryParameters(given, Set.of("pattern", "stream", "context", "max", "from_end"));
        String pattern = parameters.single("pattern");
        if (pattern == null) {
            throw Refusal.invalid(
                    "pattern", "is missing", "Send a regular expression in RE2 syntax, such as (?i)error.");
        }
        return new Search(
                parameters.stream(),
                new OutputStore.Wanted(
                        Patterns.compile("pattern", pattern),
                        parameters.whole("context", 2, 0, 20),
                        parameters.whole("max", 20, 1, 200),
                        parameters.flag("from_end")));
    }

    /** Null for both. */
    private @Nullable StreamName stream() {
        String stream = oneOf("stream", "all", List.of("all", "stdout", "stderr"));
        return stream.equals("all") ? null : StreamName.valueOf(stream.toUpperCase(Locale.ROOT));
    }

    /** What {@code GET /v1/tasks/{id}} was asked: whether to look at its processes now. */
    public static boolean task(MultiMap given) {
        return new QueryParameters(given, Set.of("fresh")).flag("fresh");
    }

    /** The same of a list, besides what else it was asked. */
    public static boolean fresh(MultiMap given) {
        return new QueryParameters(given, LIST).flag("fresh");
    }

    private boolean flag(String name) {
        return oneOf(name, "false", List.of("true", "false")).equals("true");
    }

    /** What {@code GET /v1/tasks} was asked. */
    public static TaskStore.Query list(MultiMap given) {
        var parameters = new QueryParameters(given, LIST);
        String status = parameters.single("status");
        String cursor = parameters.cursor();
        return new TaskStore.Query(
                named(TaskStore.StatusFilter.values(), status).orElse(TaskStore.StatusFilter.ACTIVE),
                status(status),
                parameters.labels(),
                parameters.single("q"),
                parameters.whole("limit", 20, 1, 100),
                cursor == null ? null : TaskId.parse(cursor).orElseThrow(QueryParameters::noCursor),
                parameters.endedAfter(status),
                null);
    }

    /** The labels of which {@code GET /v1/events} was asked. */
    public static Map<String, String> events(MultiMap given) {
        return new QueryParameters(given, Set.of("label")).labels();
    }

    /** The state that {@code GET /v1/approvals} was asked for; null for all. */
    public static Approval.@Nullable State approvals(MultiMap given) {
        String state = new QueryParameters(given, Set.of("state"))
                .oneOf("state", "pending", List.of("pending", "allowed", "denied", "expired", "all"));
        return state.equals("all") ? null : Approval.State.valueOf(state.toUpperCase(Locale.ROOT));
    }

    /** The profile that was asked for where tools are; null for none. */
    public static @Nullable String profile(MultiMap given) {
        return new QueryParameters(given, Set.of("profile")).single("profile");
    }

    /** How long {@code GET /v1/approvals/{id}} was asked to wait. */
    public static Duration approval(MultiMap given) {
        return new QueryParameters(given, Set.of("wait_ms")).patience();
    }

    private Duration patience() {
        return Duration.ofMillis(whole("wait_ms", 0, 0, 600_000));
    }

    private static <E extends Enum<E>> Optional<E> named(E[] values, @Nullable String name) {
        return Arrays.stream(values)
                .filter(value -> value.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }

    /** What {@code GET /v1/audit} was asked. */
    public static Journal.Query audit(MultiMap given) {
        var parameters = new QueryParameters(given, Set.of("since", "task_id", "limit", "cursor"));
        String id = parameters.single("task_id");
        String cursor = parameters.cursor();
        return new Journal.Query(
                parameters.time("since"),
                id == null
                        ? null
                        : TaskId.parse(id)
                                .orElseThrow(() -> Refusal.invalid(
                                        "task_id",
                                        "is no task's id",
                                        "It is `task_` and 26 characters, as answers have it.")),
                parameters.whole("limit", 100, 1, 1000),
                cursor == null ? 0 : number(cursor).orElseThrow(QueryParameters::noCursor));
    }

    private static @Nullable TaskStatus status(@Nullable String status) {
        if (status == null || List.of("active", "ended", "all").contains(status)) {
            return null;
        }
        return named(TaskStatus.values(), status).orElseThrow(() -> {
            String names = Arrays.stream(TaskStatus.values())
                    .map(known -> known.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "));
            return Refusal.invalid("status", "is not a status", "Use active, ended, all, or one of " + names + ".");
        });
    }

    private @Nullable Instant endedAfter(@Nullable String status) {
        Instant time = time("ended_after");
        TaskStatus one = status(status);
        boolean ended = one == null ? "ended".equals(status) || "all".equals(status) : one.ended();
        if (time != null && !ended) {
            throw Refusal.invalid(
                    "ended_after", "is for tasks that have ended", "Give it together with status=ended or status=all.");
        }
        return time;
    }

    private @Nullable Instant time(String name) {
        String time = single(name);
        try {
            return time == null ? null : OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException none) {
            throw Refusal.invalid(
                    name,
                    "must be a time as RFC 3339 has it",
                    "For example 2026-03-01T12:00:00Z; the + of an offset is written %2B in a URL.");
        }
    }

    private static Refusal noCursor() {
        return Refusal.invalid("cursor", "is none", "Use the next_cursor of a former answer.");
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
        long number = number(value).orElse(-1);
        if (number < min || number > max) {
            throw Refusal.invalid(
                    name, "must be a whole number between " + min + " and " + max, "Choose one in these bounds.");
        }
        return (int) number;
    }

    /** Nothing when it is not of digits alone. */
    private static OptionalLong number(String value) {
        return DIGITS.matcher(value).matches() ? OptionalLong.of(Long.parseLong(value)) : OptionalLong.empty();
    }
}
