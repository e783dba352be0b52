package dev.holdfast.api.body;

import dev.holdfast.runtime.StartRequest;
import dev.holdfast.runtime.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.StartRequest.What;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/commands}, and an item of a batch. */
public final class StartBody {
    static final int MAX_CMD_BYTES = 100 * 1024;
    static final int MAX_YIELD_MS = 600_000;
    static final int MAX_OUTPUT_TOKENS = 64_000;
    static final Duration DEFAULT_YIELD = Duration.ofSeconds(10);

    /** A hundred years: what a later sum of times can hold. */
    static final long MAX_TIMEOUT_MS = 3_155_760_000_000L;

    private static final int MAX_LABELS = 16;
    private static final int MAX_LABEL_KEY = 128;
    private static final int MAX_LABEL_VALUE = 1024;
    private static final int MAX_SIDE = 1000;
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    static final Set<String> KNOWN = Set.of(
            "cmd",
            "argv",
            "workdir",
            "shell",
            "login",
            "tty",
            "rows",
            "cols",
            "accepts_input",
            "duplicate_policy",
            "yield_time_ms",
            "yield_when",
            "max_output_tokens",
            "env",
            "timeout_ms",
            "idle_timeout_ms",
            "on_exit",
            "labels");

    /** What holds where a body is silent; a batch sets its own. */
    record Defaults(
            @Nullable String workdir,
            @Nullable String shell,
            boolean login,
            Duration yieldTime,
            int maxOutputTokens,
            DuplicatePolicy duplicatePolicy) {
        static final Defaults PLAIN = new Defaults(
                null, null, true, DEFAULT_YIELD, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS, DuplicatePolicy.REUSE_RUNNING);
    }

    private StartBody() {}

    /** @throws dev.holdfast.runtime.Refusal {@code invalid_tool_input}, naming the field */
    public static StartRequest parse(byte[] body) {
        return read(Fields.of(body, KNOWN), Defaults.PLAIN);
    }

    static StartRequest read(Fields fields, Defaults defaults) {
        boolean tty = fields.flag("tty", false);
        String workdir = notBlank(fields, "workdir");
        return new StartRequest(
                what(fields, defaults),
                workdir == null ? defaults.workdir() : workdir,
                terminal(fields, tty),
                fields.flag("accepts_input", tty),
                fields.choice("duplicate_policy", defaults.duplicatePolicy()),
                fields.millis("yield_time_ms", defaults.yieldTime(), 0, MAX_YIELD_MS),
                YieldWhenBody.read(fields),
                fields.whole("max_output_tokens", defaults.maxOutputTokens(), 1, MAX_OUTPUT_TOKENS),
                env(fields),
                fields.millis("timeout_ms", 1, MAX_TIMEOUT_MS),
                fields.millis("idle_timeout_ms", 1, MAX_TIMEOUT_MS),
                fields.choice("on_exit", OnExit.LEAVE),
                labels(fields));
    }

    private static What what(Fields fields, Defaults defaults) {
        String cmd = fields.text("cmd");
        List<String> argv = fields.texts("argv");
        if (cmd != null && argv != null) {
            throw fields.refusal("argv", "must not be given together with `cmd`", "Send exactly one of cmd and argv.");
        }
        if (cmd != null) {
            String shell = notBlank(fields, "shell");
            return new What.ShellText(
                    checked(fields, cmd),
                    shell == null ? defaults.shell() : shell,
                    fields.flag("login", defaults.login()));
        }
        if (argv != null) {
            return new What.Program(checked(fields, argv));
        }
        throw fields.refusal("cmd", "is missing", "Send `cmd` (shell text) or `argv` (a program and its arguments).");
    }

    private static String checked(Fields fields, String cmd) {
        if (cmd.isBlank()) {
            throw fields.refusal("cmd", "must not be blank", "Send the shell text to run.");
        }
        long bytes = Text.utf8Length(cmd);
        if (bytes > MAX_CMD_BYTES) {
            throw fields.refusal(
                    "cmd",
                    "must be at most " + MAX_CMD_BYTES + " bytes, it has " + bytes,
                    "Write it to a file and run that file.");
        }
        return cmd;
    }

    private static List<String> checked(Fields fields, List<String> argv) {
        if (argv.isEmpty() || argv.getFirst().isBlank()) {
            throw fields.refusal("argv", "must begin with the program to run", "Put the program's name or path first.");
        }
        for (String shells : List.of("shell", "login")) {
            if (fields.has(shells)) {
                throw fields.refusal(
                        shells, "must not be given with `argv`", "argv runs without a shell: drop it, or use `cmd`.");
            }
        }
        return argv;
    }

    private static @Nullable TerminalSize terminal(Fields fields, boolean tty) {
        if (tty) {
            return size(fields, TerminalSize.DEFAULT);
        }
        for (String side : List.of("rows", "cols")) {
            if (fields.has(side)) {
                throw fields.refusal(side, "needs a terminal", "Set `tty` to true, or leave it out.");
            }
        }
        return null;
    }

    static TerminalSize size(Fields fields, TerminalSize otherwise) {
        return new TerminalSize(
                fields.whole("rows", otherwise.rows(), 1, MAX_SIDE),
                fields.whole("cols", otherwise.cols(), 1, MAX_SIDE));
    }

    private static Map<String, @Nullable String> env(Fields fields) {
        Map<String, @Nullable String> env = fields.pairs("env", true);
        for (String name : env.keySet()) {
            if (!ENV_NAME.matcher(name).matches()) {
                throw fields.refusal(
                        "env",
                        "holds a name that is none: `" + Text.shortened(name.replace('\0', '?')) + "`",
                        "Names are letters, digits and _, and do not begin with a digit.");
            }
        }
        return env;
    }

    private static Map<String, String> labels(Fields fields) {
        Map<String, String> labels = new HashMap<>();
        fields.pairs("labels", false).forEach((key, value) -> {
            if (value != null) {
                labels.put(key, value);
            }
        });
        if (labels.size() > MAX_LABELS) {
            throw fields.refusal(
                    "labels", "must be at most " + MAX_LABELS + ", there are " + labels.size(), "Leave some out.");
        }
        labels.forEach((key, value) -> {
            boolean fits = !key.isBlank() && key.length() <= MAX_LABEL_KEY && value.length() <= MAX_LABEL_VALUE;
            if (!fits || key.indexOf('=') >= 0 || Text.flaw(key).isPresent()) {
                throw fields.refusal(
                        "labels." + Text.shortened(key.replace('\0', '?')),
                        "is no label",
                        "A key has 1 to " + MAX_LABEL_KEY + " characters without `=`, a value at most "
                                + MAX_LABEL_VALUE + ".");
            }
        });
        return labels;
    }

    static @Nullable String notBlank(Fields fields, String name) {
        String text = fields.text(name);
        if (text != null && text.isBlank()) {
            throw fields.refusal(name, "must not be blank", "Leave it out to get its default.");
        }
        return text;
    }
}
