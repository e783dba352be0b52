package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.task.Signal;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The small bodies of calls on one task. */
public final class TaskBodies {
    private static final int DEFAULT_GRACE_MS = 5_000;
    private static final byte[] NOTHING = "{}".getBytes(StandardCharsets.UTF_8);

    private TaskBodies() {}

    /** What {@code POST /v1/tasks/{id}/stop} takes. */
    @Schema(
            description = "How to stop a task",
            examples = "{\"grace_ms\": 2000}",
            additionalProperties = Schema.False.class)
    public record StopTask(
            @Schema(
                    minimum = "0",
                    maximum = "60000",
                    defaultValue = "5000",
                    description = "How long it has between TERM and KILL")
            @Nullable
            Integer graceMs,

            @Schema(defaultValue = "false", description = "No grace at all") @Nullable
            Boolean force) {
        public Duration grace() {
            return Duration.ofMillis(Objects.requireNonNullElse(graceMs, DEFAULT_GRACE_MS));
        }

        public boolean forced() {
            return Boolean.TRUE.equals(force);
        }
    }

    /** What {@code POST /v1/tasks/{id}/signal} takes. */
    @Schema(
            description = "A signal for a whole process group",
            examples = "{\"signal\": \"INT\"}",
            additionalProperties = Schema.False.class)
    public record SignalTask(
            @Schema(
                    required = true,
                    implementation = Signal.class,
                    type = SchemaType.STRING,
                    description = "Its name, without SIG")
            @Nullable
            String signal) {}

    /** What {@code PUT /v1/tasks/{id}/terminal-size} takes, and a text frame of a terminal's WebSocket. */
    @Schema(
            name = "TerminalSize",
            description = "In characters",
            examples = "{\"rows\": 40, \"cols\": 120}",
            additionalProperties = Schema.False.class)
    public record Sides(
            @Schema(required = true, minimum = "1", maximum = "1000") @Nullable
            Integer rows,

            @Schema(required = true, minimum = "1", maximum = "1000") @Nullable
            Integer cols) {}

    /** An empty body means the defaults. */
    public static StopTask stop(byte[] body) {
        return JsonBody.read(body.length == 0 ? NOTHING : body, StopTask.class);
    }

    public static Signal signal(byte[] body) {
        String name = JsonBody.read(body, SignalTask.class).signal();
        String names = Arrays.stream(Signal.values()).map(Signal::name).collect(Collectors.joining(", "));
        String problem = name == null ? "is missing" : "is not a signal that can be sent";
        return Arrays.stream(Signal.values())
                .filter(signal -> signal.name().equals(name))
                .findFirst()
                .orElseThrow(() -> Refusal.invalid("signal", problem, "Use one of " + names + "."));
    }

    /** Both sides are needed. */
    public static TerminalSize terminalSize(byte[] body) {
        Sides sides = JsonBody.read(body, Sides.class);
        return new TerminalSize(given("rows", sides.rows()), given("cols", sides.cols()));
    }

    private static int given(String side, @Nullable Integer size) {
        if (size == null) {
            throw Refusal.invalid(side, "is missing", "Send both rows and cols, 1 to 1000 each.");
        }
        return size;
    }
}
