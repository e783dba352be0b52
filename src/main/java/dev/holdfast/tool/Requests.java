package dev.holdfast.tool;

import dev.holdfast.message.body.StartCommand;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the tools of other designs start: always another one, for none of them asks whether the same runs already. */
public final class Requests {
    private static final String START_NEW = "start_new";

    private Requests() {}

    /**
     * Where and how shell text runs.
     *
     * @param workdir null for the workspace
     * @param shell name or path, null for the default
     * @param tty in a terminal, and with input then
     */
    public record Shell(@Nullable String workdir, @Nullable String shell, boolean login, boolean tty) {
        /** As {@code bash -c} runs it. */
        public static Shell bash() {
            return new Shell(null, "bash", false, false);
        }
    }

    /**
     * How long it is waited for, and what ends it.
     *
     * @param window zero: a task at once
     * @param idleTimeout the longest time without output
     */
    public record Limits(
            Duration window,
            @Nullable Duration timeout,
            @Nullable Duration idleTimeout,
            int maxOutputTokens) {
        /** How long after its limit a command may take to be gone. */
        private static final Duration TO_BE_GONE = Duration.ofMinutes(1);

        /** Waits for the end that the limit brings. */
        public static Limits endedAfter(Duration timeout, int maxOutputTokens) {
            return new Limits(timeout.plus(TO_BE_GONE), timeout, null, maxOutputTokens);
        }
    }

    /**
     * @param field the name that the tool's design has for the text
     * @throws Refusal {@code invalid_tool_input}
     */
    public static StartRequest shell(String field, @Nullable String cmd, Shell shell, Limits limits) {
        String text = StartCommand.text(field, needed(field, cmd));
        return request(text, null, shell.workdir(), shell.shell(), shell.login(), shell.tty(), null, limits);
    }

    /** @throws Refusal {@code invalid_tool_input} */
    public static StartRequest program(
            List<String> argv, @Nullable String workdir, @Nullable Map<String, String> env, Limits limits) {
        return request(null, argv, workdir, null, null, false, env, limits);
    }

    /** @throws Refusal {@code invalid_tool_input}: it is not there */
    public static <T> T needed(String field, @Nullable T given) {
        if (given == null) {
            throw Refusal.invalid(field, "is missing", "Send it; the schema of the tool says what it is.");
        }
        return given;
    }

    private static StartRequest request(
            @Nullable String cmd,
            @Nullable List<String> argv,
            @Nullable String workdir,
            @Nullable String shell,
            @Nullable Boolean login,
            boolean tty,
            @Nullable Map<String, String> env,
            Limits limits) {
        Map<String, @Nullable String> set = env == null ? null : new HashMap<>(env);
        StartCommand command = new StartCommand(
                cmd,
                argv,
                workdir == null || workdir.isBlank() ? null : workdir,
                shell == null || shell.isBlank() ? null : shell,
                login,
                tty,
                null,
                null,
                null,
                START_NEW,
                null,
                null,
                limits.maxOutputTokens(),
                set,
                millis(limits.timeout()),
                millis(limits.idleTimeout()),
                null,
                null,
                null,
                null);
        return command.request().within(limits.window());
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
