package dev.holdfast.runtime.start;

import com.google.re2j.Pattern;
import dev.holdfast.render.Diagnostics;
import dev.holdfast.task.CommandDiagnostics;
import dev.holdfast.task.Invocation;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a command: of the right types and within bounds, but nothing looked up yet.
 *
 * @param workdir as its caller wrote it, null for the workspace
 * @param env a null value unsets
 * @param wall the one it asks for
 * @param yieldTime zero: a task at once
 * @param endsWithCaller whether it is stopped when its caller goes
 * @param plain whether programs are told to print plain text, in a terminal too
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
        Map<String, String> labels,
        Wall wall,
        boolean endsWithCaller,
        boolean plain) {

    public static final int DEFAULT_MAX_OUTPUT_TOKENS = 8000;

    /** The same with another window. */
    public StartRequest within(Duration window) {
        return with(window, yieldWhen, env, endsWithCaller, plain);
    }

    /** The same, whose programs are told to show no colours, no pager and no screen. */
    public StartRequest inPlainText() {
        return with(yieldTime, yieldWhen, env, endsWithCaller, true);
    }

    /** The same, which no later server lets run on once its caller is gone; it is his tool that stops it before. */
    public StartRequest endingWithCaller() {
        return with(yieldTime, yieldWhen, env, true, plain);
    }

    /** As a file may keep it: to be started as a task, without a value of its environment. */
    StartRequest keepable() {
        Map<String, @Nullable String> unset = new HashMap<>(env);
        unset.values().removeIf(value -> value != null);
        return with(Duration.ZERO, YieldWhen.NONE, unset, endsWithCaller, plain);
    }

    private StartRequest with(
            Duration window,
            YieldWhen when,
            Map<String, @Nullable String> environment,
            boolean withCaller,
            boolean text) {
        return new StartRequest(
                what,
                workdir,
                terminal,
                acceptsInput,
                duplicatePolicy,
                window,
                when,
                maxOutputTokens,
                environment,
                timeout,
                idleTimeout,
                onExit,
                labels,
                wall,
                withCaller,
                text);
    }

    /** What is told of the command before it is looked up. */
    CommandDiagnostics diagnostics() {
        return Diagnostics.of(invocation(), maxOutputTokens);
    }

    /** Before its shell is looked up. */
    public Invocation invocation() {
        return switch (what) {
            case What.ShellText text -> new Invocation.ShellText(text.cmd(), "", text.login());
            case What.Program program -> new Invocation.Program(program.argv());
        };
    }

    /** Shell text or a program, before the shell is looked up. */
    public sealed interface What {
        /** @param shell name or path, null for the default */
        record ShellText(String cmd, @Nullable String shell, boolean login) implements What {}

        record Program(List<String> argv) implements What {}
    }

    /**
     * The wall that is asked for; policy and token may raise it.
     *
     * @param choice null: the server's default
     * @param network null: none behind a wall
     */
    public record Wall(@Nullable Choice choice, @Nullable Boolean network) {
        public static final Wall DEFAULT = new Wall(null, null);

        /** What may be written. */
        public enum Choice {
            NONE,
            READ_ONLY,
            WORKSPACE_WRITE
        }
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
    }
}
