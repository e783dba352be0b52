package dev.holdfast.runtime;

import com.google.re2j.Pattern;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a command: of the right types and within bounds, but nothing looked up yet.
 *
 * @param workdir as its caller wrote it, null for the workspace
 * @param env a null value unsets
 * @param yieldTime zero: a task at once
 */
public record StartRequest(
        What what,
        @Nullable String workdir,
        @Nullable TerminalSize terminal,
        boolean acceptsInput,
        DuplicatePolicy duplicatePolicy,
        Duration yieldTime,
        YieldWhen yieldWhen,
        int maxOutputTokens,
        Map<String, @Nullable String> env,
        @Nullable Duration timeout,
        @Nullable Duration idleTimeout,
        OnExit onExit,
        Map<String, String> labels) {

    public static final int DEFAULT_MAX_OUTPUT_TOKENS = 8000;

    /** Shell text or a program, before the shell is looked up. */
    public sealed interface What {
        /** @param shell name or path, null for the default */
        record ShellText(String cmd, @Nullable String shell, boolean login) implements What {}

        record Program(List<String> argv) implements What {}
    }

    /** What happens when the same command runs already. */
    public enum DuplicatePolicy {
        REUSE_RUNNING,
        START_NEW
    }

    /**
     * Conditions that end the window early; the first that holds does. The pattern is RE2's, whose matching time is
     * linear in the output.
     */
    public record YieldWhen(
            @Nullable Pattern outputMatches,
            @Nullable Integer portOpen,
            @Nullable Duration idle,
            boolean needsInput) {
        public static final YieldWhen NONE = new YieldWhen(null, null, null, false);

        public boolean none() {
            return outputMatches == null && portOpen == null && idle == null && !needsInput;
        }
    }
}
