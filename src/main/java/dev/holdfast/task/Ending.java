package dev.holdfast.task;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a task ended and who ended it.
 *
 * @param exitStatus 0 to 255, null when a signal ended it or the exit was not seen
 * @param exitSignal a name such as {@code SIGKILL}, null when no signal ended it
 * @param details what else is known, for example that the kernel's out-of-memory killer chose it
 */
public record Ending(
        EndedBy endedBy,
        @Nullable Integer exitStatus,
        @Nullable String exitSignal,
        Map<String, String> details) {

    public Ending {
        details = Map.copyOf(details);
    }

    /** The ending of a command that nobody stopped and no limit ended. */
    public static Ending of(Exit exit) {
        return switch (exit) {
            case Exit.Code code -> new Ending(EndedBy.EXIT, code.status(), null, Map.of());
            case Exit.Signalled signalled -> new Ending(EndedBy.SIGNAL, null, signalled.signal(), Map.of());
            case Exit.Unseen unseen ->
                new Ending(unseen.rebooted() ? EndedBy.REBOOT : EndedBy.UNKNOWN, null, null, Map.of());
        };
    }

    /** The same exit, ended by somebody else than the command itself. */
    public Ending by(EndedBy other) {
        return new Ending(other, exitStatus, exitSignal, details);
    }

    /** The same, with what else is known of it. */
    public Ending with(Map<String, String> more) {
        return new Ending(endedBy, exitStatus, exitSignal, more);
    }
}
