package dev.holdfast.api.body;

import dev.holdfast.task.Signal;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** The small bodies of calls on one task. */
public final class TaskBodies {
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);
    private static final int MAX_GRACE_MS = 60_000;
    private static final Set<String> STOP = Set.of("grace_ms", "force");
    private static final Set<String> SIGNAL = Set.of("signal");
    private static final Set<String> SIZE = Set.of("rows", "cols");
    private static final byte[] NOTHING = "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    /** @param force no grace at all */
    public record Stop(Duration grace, boolean force) {}

    private TaskBodies() {}

    /** An empty body means the defaults. */
    public static Stop stop(byte[] body) {
        Fields fields = Fields.of(body.length == 0 ? NOTHING : body, STOP);
        return new Stop(fields.millis("grace_ms", DEFAULT_GRACE, 0, MAX_GRACE_MS), fields.flag("force", false));
    }

    public static Signal signal(byte[] body) {
        Fields fields = Fields.of(body, SIGNAL);
        String name = fields.text("signal");
        for (Signal signal : Signal.values()) {
            if (signal.name().equals(name)) {
                return signal;
            }
        }
        String names = Arrays.stream(Signal.values()).map(Signal::name).collect(Collectors.joining(", "));
        String problem = name == null ? "is missing" : "is not a signal that can be sent";
        throw fields.refusal("signal", problem, "Use one of " + names + ".");
    }

    /** Both sides are needed. Also the text frame of a terminal's WebSocket. */
    public static TerminalSize terminalSize(byte[] body) {
        Fields fields = Fields.of(body, SIZE);
        for (String side : SIZE) {
            if (!fields.has(side)) {
                throw fields.refusal(side, "is missing", "Send both rows and cols, 1 to 1000 each.");
            }
        }
        return StartBody.size(fields, TerminalSize.DEFAULT);
    }
}
