package dev.holdfast.message.body;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.holdfast.runtime.call.Refusal;
import dev.holdfast.runtime.start.StartRequest;
import dev.holdfast.runtime.start.StartRequest.DuplicatePolicy;
import dev.holdfast.runtime.start.StartRequest.Wall;
import dev.holdfast.runtime.start.StartRequest.What;
import dev.holdfast.task.OnExit;
import dev.holdfast.task.TerminalSize;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/commands}. Null is what the body is silent about. */
@Schema(
        description = "Exactly one of cmd and argv",
        examples = {
            "{\"cmd\": \"npm test\"}",
            "{\"argv\": [\"git\", \"status\"], \"workdir\": \"app\"}",
            "{\"cmd\": \"npm run dev\", \"yield_when\": {\"port_open\": 5173}, \"labels\": {\"team\": \"web\"}}"
        },
        additionalProperties = Schema.False.class)
public record StartCommand(
        @Schema(description = "Shell text, at most 100 KiB") @Nullable
        String cmd,

        @Schema(minItems = 1, description = "Program and arguments, no shell; not with shell and login") @Nullable
        List<String> argv,

        @Schema(description = "Relative to the workspace; must exist") @Nullable
        String workdir,

        @Schema(description = "Name or path; default: $SHELL if bash, zsh or sh, else bash, else sh") @Nullable
        String shell,

        @Schema(description = "A login shell, default: true; only with cmd") @Nullable
        Boolean login,

        @Schema(defaultValue = "false", description = "Run in a terminal") @Nullable
        Boolean tty,

        @Schema(minimum = "1", maximum = "1000", description = "Only with tty; default: 40") @Nullable
        Integer rows,

        @Schema(minimum = "1", maximum = "1000", description = "Only with tty; default: 120") @Nullable
        Integer cols,

        @Schema(description = "Default: as tty; false: stdin is at end of file from the start") @Nullable
        Boolean acceptsInput,

        @Schema(
                enumeration = {"reuse_running", "start_new"},
                defaultValue = "reuse_running",
                description = "When the same command runs already: told of it, or another one")
        @Nullable
        String duplicatePolicy,

        @Schema(
                minimum = "0",
                maximum = "600000",
                defaultValue = "10000",
                description = "How long it is waited for before it becomes a task; 0: a task at once")
        @Nullable
        Integer yieldTimeMs,

        @Nullable YieldWhen yieldWhen,

        @Schema(
                minimum = "1",
                maximum = "64000",
                defaultValue = "8000",
                description = "What the answer may hold of its output; 4 characters a token")
        @Nullable
        Integer maxOutputTokens,

        @Schema(description = "A string sets, null unsets", additionalProperties = TextOrNull.class)
        @JsonDeserialize(contentUsing = Strict.Value.class)
        @Nullable
        Map<String, @Nullable String> env,

        @Schema(
                minimum = "1",
                maximum = "3155760000000",
                description = "Ends it so long after its start, in the foreground and as a task")
        @Nullable
        Long timeoutMs,

        @Schema(minimum = "1", maximum = "3155760000000", description = "Ends it after so long without output")
        @Nullable
        Long idleTimeoutMs,

        @Schema(
                enumeration = {"leave", "stop"},
                defaultValue = "leave",
                description = "What becomes of processes it started that outlive it")
        @Nullable
        String onExit,

        @Schema(maxProperties = MAX_LABELS, description = "For finding tasks again") @Nullable
        Map<String, String> labels,

        @Schema(
                enumeration = {"none", "read_only", "workspace_write"},
                description = "A wall around it: nothing can be written, or the workspace alone; default: the server's")
        @Nullable
        String sandbox,

        @Schema(description = "Whether it reaches the network; default: not behind a wall") @Nullable
        Boolean network) {
    private static final int MAX_CMD_BYTES = 100 * 1024;
    static final int MAX_LABELS = 16;
    private static final int MAX_LABEL_KEY = 128;
    private static final int MAX_LABEL_VALUE = 1024;
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    @Schema(type = SchemaType.STRING, nullable = true)
    interface TextOrNull {}

    /** What holds where a body is silent; a batch sets its own. */
    record Defaults(
            @Nullable String workdir,
            @Nullable String shell,
            boolean login,
            int yieldTimeMs,
            int maxOutputTokens,
            DuplicatePolicy duplicatePolicy) {
        static final Defaults PLAIN = new Defaults(
                null, null, true, 10_000, StartRequest.DEFAULT_MAX_OUTPUT_TOKENS, DuplicatePolicy.REUSE_RUNNING);
    }

    public static StartRequest parse(byte[] body) {
        return JsonBody.read(body, StartCommand.class).request();
    }

    public StartRequest request() {
        return request("", Defaults.PLAIN);
    }

    /** @param path where this stands in its body, to go before the names of its fields */
    StartRequest request(String path, Defaults defaults) {
        boolean inTerminal = Boolean.TRUE.equals(tty);
        String folder = notBlank(path + "workdir", workdir);
        return new StartRequest(
                what(path, defaults),
                folder == null ? defaults.workdir() : folder,
                terminal(path, inTerminal),
                Objects.requireNonNullElse(acceptsInput, inTerminal),
                constant(duplicatePolicy, defaults.duplicatePolicy()),
                Duration.ofMillis(Objects.requireNonNullElse(yieldTimeMs, defaults.yieldTimeMs())),
                yieldWhen == null ? StartRequest.YieldWhen.NONE : yieldWhen.conditions(path + "yield_when."),
                Objects.requireNonNullElse(maxOutputTokens, defaults.maxOutputTokens()),
                environment(path),
                millis(timeoutMs),
                millis(idleTimeoutMs),
                constant(onExit, OnExit.LEAVE),
                checkedLabels(path),
                new Wall(sandbox == null ? null : constant(sandbox, Wall.Choice.NONE), network),
                false,
                false);
    }

    private What what(String path, Defaults defaults) {
        if (cmd != null && argv != null) {
            throw Refusal.invalid(
                    path + "argv", "must not be given together with `cmd`", "Send exactly one of cmd and argv.");
        }
        if (argv != null) {
            return program(path, argv);
        }
        if (cmd == null) {
            throw Refusal.invalid(
                    path + "cmd", "is missing", "Send `cmd` (shell text) or `argv` (a program and its arguments).");
        }
        String named = notBlank(path + "shell", shell);
        return new What.ShellText(
                text(path + "cmd", cmd),
                named == null ? defaults.shell() : named,
                Objects.requireNonNullElse(login, defaults.login()));
    }

    /** @param field the name that its caller has for the text */
    public static String text(String field, String cmd) {
        if (cmd.isBlank()) {
            throw Refusal.invalid(field, "must not be blank", "Send the shell text to run.");
        }
        int bytes = cmd.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_CMD_BYTES) {
            throw Refusal.invalid(
                    field,
                    "must be at most " + MAX_CMD_BYTES + " bytes, it has " + bytes,
                    "Write it to a file and run that file.");
        }
        return cmd;
    }

    private What program(String path, List<String> argv) {
        if (argv.isEmpty() || argv.getFirst().isBlank()) {
            throw Refusal.invalid(
                    path + "argv", "must begin with the program to run", "Put the program's name or path first.");
        }
        if (shell != null || login != null) {
            throw Refusal.invalid(
                    path + (shell != null ? "shell" : "login"),
                    "must not be given with `argv`",
                    "argv runs without a shell: drop it, or use `cmd`.");
        }
        return new What.Program(argv);
    }

    private @Nullable TerminalSize terminal(String path, boolean inTerminal) {
        if (inTerminal) {
            return new TerminalSize(
                    Objects.requireNonNullElse(rows, TerminalSize.DEFAULT.rows()),
                    Objects.requireNonNullElse(cols, TerminalSize.DEFAULT.cols()));
        }
        if (rows != null || cols != null) {
            throw Refusal.invalid(
                    path + (rows != null ? "rows" : "cols"), "needs a terminal", "Set `tty` to true, or leave it out.");
        }
        return null;
    }

    private Map<String, @Nullable String> environment(String path) {
        if (env == null) {
            return Map.of();
        }
        for (String name : env.keySet()) {
            if (!ENV_NAME.matcher(name).matches()) {
                throw Refusal.invalid(
                        path + "env",
                        "holds a name that is none: `" + Strict.shortened(name.replace('\0', '?')) + "`",
                        "Names are letters, digits and _, and do not begin with a digit: a shell loses others. Set such a one"
                                + " in the command: env 'a.b=value' program.");
            }
        }
        return env;
    }

    private Map<String, String> checkedLabels(String path) {
        if (labels == null) {
            return Map.of();
        }
        if (labels.size() > MAX_LABELS) {
            throw Refusal.invalid(
                    path + "labels",
                    "must be at most " + MAX_LABELS + ", there are " + labels.size(),
                    "Leave some out.");
        }
        labels.forEach((key, value) -> {
            boolean fits = !key.isBlank() && key.length() <= MAX_LABEL_KEY && value.length() <= MAX_LABEL_VALUE;
            if (!fits || key.indexOf('=') >= 0 || Strict.flaw(key).isPresent()) {
                throw Refusal.invalid(
                        path + "labels." + Strict.shortened(key.replace('\0', '?')),
                        "is no label",
                        "A key has 1 to " + MAX_LABEL_KEY + " characters without `=`, a value at most "
                                + MAX_LABEL_VALUE + ".");
            }
        });
        return labels;
    }

    /** @param name in lower case, one of the enum's, or null for {@code otherwise} */
    static <E extends Enum<E>> E constant(@Nullable String name, E otherwise) {
        return name == null ? otherwise : Enum.valueOf(otherwise.getDeclaringClass(), name.toUpperCase(Locale.ROOT));
    }

    private static @Nullable Duration millis(@Nullable Long millis) {
        return millis == null ? null : Duration.ofMillis(millis);
    }

    static @Nullable String notBlank(String field, @Nullable String text) {
        if (text != null && text.isBlank()) {
            throw Refusal.invalid(field, "must not be blank", "Leave it out to get its default.");
        }
        return text;
    }
}
