package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.terminal.Page;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** How people write and read times, commands and exits. */
public final class Words {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|)");
    private static final Pattern PLAIN = Pattern.compile("[^\\s'\"]+");
    private static final int SIGNALLED = 128;
    private static final int LIMIT = 124;
    /** Between lines that are told on one; behind a {@code #} nobody takes it for what goes on with a comment. */
    private static final String NEW_LINE = " ⏎ ";
    /** From 1 on, as Linux numbers them on all that Java runs on. */
    private static final List<String> SIGNALS = List.of(
            "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
                    .split(" ", -1));

    private static final int FIRST_REAL_TIME = 34;
    private static final Pattern NUMBERED = Pattern.compile("(RTMIN)?\\+?(\\d{1,2})");

    private Words() {}

    /** {@code 10m}, {@code 1h30m}, {@code 500ms}; a bare number is seconds. */
    public static Duration span(String text) {
        Matcher part = SPAN.matcher(text);
        Duration sum = Duration.ZERO;
        int at = 0;
        while (at < text.length() && part.find(at) && part.start() == at) {
            long count = Long.parseLong(part.group(1));
            sum = sum.plus(
                    switch (part.group(2)) {
                        case "ms" -> Duration.ofMillis(count);
                        case "m" -> Duration.ofMinutes(count);
                        case "h" -> Duration.ofHours(count);
                        case "d" -> Duration.ofDays(count);
                        default -> Duration.ofSeconds(count);
                    });
            at = part.end();
        }
        if (at < text.length() || text.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' is no duration: write 500ms, 30s, 10m or 1h30m");
        }
        return sum;
    }

    /** {@code 3 min ago}; empty for a time that is not known. */
    public static String ago(JsonNode time) {
        if (!time.isTextual()) {
            return "";
        }
        Instant then;
        try {
            then = Instant.parse(time.asText());
        } catch (DateTimeParseException unknown) {
            return time.asText();
        }
        long seconds = Math.max(0, Duration.between(then, Instant.now()).toSeconds());
        if (seconds < 60) {
            return seconds < 2 ? "just now" : seconds + " s ago";
        }
        if (seconds < 3600) {
            return seconds / 60 + " min ago";
        }
        return seconds < 2 * 86_400 ? seconds / 3600 + " h ago" : seconds / 86_400 + " days ago";
    }

    /** On one line, as it was given. */
    public static String command(JsonNode task) {
        JsonNode command = task.path("command");
        if (command.path("cmd").isTextual()) {
            return oneLine(command.path("cmd").asText());
        }
        return oneLine(Page.joined(command.path("argv"), " "));
    }

    /** Of a command, in quotes where they would not be the same without. */
    public static String quoted(JsonNode words) {
        return words.valueStream()
                .map(JsonNode::asText)
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    public static String oneLine(String command) {
        return command.strip().replaceAll("\\h*\\r?\\n\\s*", NEW_LINE);
    }

    /** What a task has come to: {@code failed (3)}. */
    public static String status(JsonNode task) {
        String status = task.path("status").asText();
        if (task.path("exit_signal").isTextual()) {
            return status + " (" + task.path("exit_signal").asText() + ")";
        }
        return task.path("exit_status").asInt(0) == 0
                ? status
                : status + " (" + task.path("exit_status").asInt() + ")";
    }

    /** What it left running, a line each; empty where nothing is known of any. */
    public static List<String> left(JsonNode task) {
        return task.path("left_running")
                .valueStream()
                .map(process -> {
                    String ports = Page.joined(process.path("ports"));
                    return process.path("pid").asText() + " "
                            + oneLine(process.path("command").asText())
                            + (ports.isEmpty() ? "" : " (port " + ports + ")");
                })
                .toList();
    }

    /** Why it failed, where that is known: there was no memory left, or who holds the port that it wanted. */
    public static Optional<String> cause(JsonNode task) {
        JsonNode details = task.path("details");
        if (details.path("out_of_memory").asBoolean()) {
            return Optional.of("out of memory: the kernel killed its process "
                    + details.path("killed_pid").asText() + " ("
                    + details.path("killed_name").asText() + ")");
        }
        JsonNode owner = details.path("port_owner");
        return owner.has("port")
                ? Optional.of("port " + owner.path("port").asText() + " is held by " + holder(owner))
                : Optional.empty();
    }

    /** What of its end is not known for sure: whether all is there that its terminal printed, or a signal's name. */
    public static Optional<String> doubt(JsonNode task) {
        JsonNode details = task.path("details");
        if (details.path("output_may_be_missing").asBoolean()) {
            return Optional.of("what it printed last may be missing: the keeper of its terminal did not answer");
        }
        return details.has("may_be_signal")
                ? Optional.of(
                        "that exit code may be " + details.path("may_be_signal").asText() + ": nobody saw which")
                : Optional.empty();
    }

    private static String holder(JsonNode owner) {
        if (owner.has("task_id")) {
            return owner.path("task_id").asText() + " ("
                    + oneLine(owner.path("command").asText()) + ")";
        }
        return owner.has("pid") ? "process " + owner.path("pid").asText() + ", no task's" : "another user's process";
    }

    /** Whether it has not ended yet. */
    public static boolean runs(JsonNode task) {
        return task.path("status").asText().matches("queued|running|cancelling");
    }

    /** What a shell would say of its end; 1 when nobody knows. */
    public static int exit(JsonNode task) {
        if (task.path("ended_by").asText().matches("timeout|idle_timeout|output_limit")) {
            return LIMIT;
        }
        if (task.path("exit_signal").isTextual()) {
            return SIGNALLED + signal(task.path("exit_signal").asText());
        }
        return task.path("exit_status").asInt(1);
    }

    /** Its number; 0 for none that is known. */
    private static int signal(String name) {
        String bare = name.toUpperCase(Locale.ROOT).replaceFirst("^SIG", "");
        Matcher numbered = NUMBERED.matcher(bare);
        if (numbered.matches()) {
            return Integer.parseInt(numbered.group(2)) + (numbered.group(1) == null ? 0 : FIRST_REAL_TIME);
        }
        return bare.equals("RTMIN") ? FIRST_REAL_TIME : SIGNALS.indexOf(bare) + 1;
    }
}
