package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.wait.WaitRequest;
import dev.holdfast.runtime.wait.WaitRequest.Until;
import dev.holdfast.task.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/wait}: exactly one of {@code any} and {@code all}. */
@Schema(
        description = "Conditions of tasks, of which any or all are to come true",
        examples = {
            "{\"any\": [{\"task_id\": \"task_01JZZ3NDEKTSV4RRFFQ69G5FAV\", \"until\": \"port_open\", \"port\": 3000},"
                    + " {\"task_id\": \"task_01JZZ3NDEKTSV4RRFFQ69G5FAV\", \"until\": \"output_matches\","
                    + " \"pattern\": \"(?i)error\"}], \"timeout_ms\": 60000}",
            "{\"all\": [{\"task_id\": \"task_01JZZ3NDEKTSV4RRFFQ69G5FAV\", \"until\": \"end\"},"
                    + " {\"task_id\": \"task_01JZZ3NDEKTSV4RRFFQ69G5FAW\", \"until\": \"end\"}]}"
        },
        additionalProperties = Schema.False.class)
public record WaitFor(
        @Schema(minItems = 1, maxItems = WaitRequest.MOST_CONDITIONS, description = "One of these is enough") @Nullable
        List<Condition> any,

        @Schema(minItems = 1, maxItems = WaitRequest.MOST_CONDITIONS, description = "Each of these is needed") @Nullable
        List<Condition> all,

        @Schema(
                minimum = "0",
                maximum = "600000",
                defaultValue = "30000",
                description = "How long to wait; 0: look once")
        @Nullable
        Integer timeoutMs) {
    private static final int DEFAULT_TIMEOUT_MS = 30_000;

    /** One condition of one task, with the fields that its {@code until} has and no others. */
    @Schema(
            name = "WaitCondition",
            description = "A task, and what it is waited for",
            additionalProperties = Schema.False.class)
    public record Condition(
            @Schema(required = true, examples = "task_01JZZ3NDEKTSV4RRFFQ69G5FAV") @Nullable
            String taskId,

            @Schema(
                    required = true,
                    enumeration = {"end", "output_matches", "port_open", "idle", "needs_input"},
                    description = "It has ended; a line of its output matches; it listens on a port;"
                            + " it has printed nothing for a while; it is blocked reading its terminal or stdin")
            @Nullable
            String until,

            @Schema(
                    minLength = 1,
                    maxLength = Patterns.MAX_LENGTH,
                    description =
                            "Needed by output_matches: a regular expression, RE2 syntax, looked for in both streams")
            @Nullable
            String pattern,

            @Schema(
                    description = "Of output_matches: where looking begins, as a read of both streams takes it:"
                            + " a next_cursor, the cursor of a match, -N for the last N bytes; absent: the start")
            @Nullable
            String cursor,

            @Schema(minimum = "1", maximum = "65535", description = "Needed by port_open: a listener of its own")
            @Nullable
            Integer port,

            @Schema(minimum = "1", maximum = "600000", description = "Needed by idle: no output for so long") @Nullable
            Integer idleMs) {

        private WaitRequest.Condition condition(String path, Function<String, TaskId> ids) {
            String waited = needed(path + "until", until);
            refuseOthers(path, waited);
            Until wanted = until(path, waited);
            return new WaitRequest.Condition(ids.apply(needed(path + "task_id", taskId)), wanted);
        }

        private Until until(String path, String waited) {
            return switch (waited) {
                case "output_matches" ->
                    new Until.OutputMatches(
                            Patterns.compile(path + "pattern", needed(path + "pattern", pattern)), cursor);
                case "port_open" -> new Until.PortOpen(needed(path + "port", port));
                case "idle" -> new Until.Idle(Duration.ofMillis(needed(path + "idle_ms", idleMs)));
                case "needs_input" -> new Until.NeedsInput();
                default -> new Until.End();
            };
        }

        private void refuseOthers(String path, String waited) {
            refuseOther(path + "pattern", pattern, "output_matches", waited);
            refuseOther(path + "cursor", cursor, "output_matches", waited);
            refuseOther(path + "port", port, "port_open", waited);
            refuseOther(path + "idle_ms", idleMs, "idle", waited);
        }

        private static void refuseOther(String field, @Nullable Object value, String owner, String waited) {
            if (value != null && !owner.equals(waited)) {
                throw Refusal.invalid(
                        field, "is not for `until` " + waited, "Leave it out, or wait until " + owner + ".");
            }
        }

        private static <T> T needed(String field, @Nullable T value) {
            if (value == null) {
                throw Refusal.invalid(
                        field,
                        "is missing",
                        "A condition has `task_id` and `until`; output_matches also `pattern`, port_open `port`, idle"
                                + " `idle_ms`.");
            }
            return value;
        }
    }

    /** @param ids finds the task that a text names, or refuses */
    public static WaitRequest parse(byte[] body, Function<String, TaskId> ids) {
        return JsonBody.read(body, WaitFor.class).request(ids);
    }

    /** The same of one that was read elsewhere. */
    public WaitRequest request(Function<String, TaskId> ids) {
        if ((any == null) == (all == null)) {
            throw Refusal.invalid(
                    any == null ? "any" : "all",
                    any == null ? "or `all` is needed" : "must not be given together with `any`",
                    "Send one of them: any, where one condition is enough, or all.");
        }
        String path = any == null ? "all" : "any";
        List<Condition> given = any == null ? Objects.requireNonNull(all) : any;
        if (given.isEmpty() || given.size() > WaitRequest.MOST_CONDITIONS) {
            throw Refusal.invalid(
                    path,
                    "must hold 1 to " + WaitRequest.MOST_CONDITIONS + " conditions, not " + given.size(),
                    given.isEmpty() ? "Name at least one." : "Split the wait.");
        }
        List<WaitRequest.Condition> conditions = new ArrayList<>();
        for (Condition condition : given) {
            conditions.add(condition.condition(path + "[" + conditions.size() + "].", ids));
        }
        Duration timeout = Duration.ofMillis(Objects.requireNonNullElse(timeoutMs, DEFAULT_TIMEOUT_MS));
        return new WaitRequest(all != null, conditions, timeout);
    }
}
