package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How people write and read times, commands and exits. */
public final class Words {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|)");
    private static final int SIGNALLED = 128;
    private static final int LIMIT = 124;
    private static final Map<String, Integer> SIGNALS = Map.ofEntries(
            Map.entry("HUP", 1),
            Map.entry("INT", 2),
            Map.entry("QUIT", 3),
            Map.entry("ILL", 4),
            Map.entry("TRAP", 5),
            Map.entry("ABRT", 6),
            Map.entry("BUS", 7),
            Map.entry("FPE", 8),
            Map.entry("KILL", 9),
            Map.entry("USR1", 10),
            Map.entry("SEGV", 11),
            Map.entry("USR2", 12),
            Map.entry("PIPE", 13),
            Map.entry("ALRM", 14),
            Map.entry("TERM", 15),
            Map.entry("XCPU", 24),
            Map.entry("XFSZ", 25),
            Map.entry("SYS", 31));

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
        long seconds = Math.max(
                0, Duration.between(Instant.parse(time.asText()), Instant.now()).toSeconds());
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
            return command.path("cmd").asText().strip().replaceAll("\\s*\\R\\s*", "; ");
        }
        List<String> words = new ArrayList<>();
        command.path("argv").forEach(word -> words.add(word.asText()));
        return String.join(" ", words).replaceAll("\\R", " ");
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
            String signal =
                    task.path("exit_signal").asText().toUpperCase(Locale.ROOT).replaceFirst("^SIG", "");
            return SIGNALLED + SIGNALS.getOrDefault(signal, 0);
        }
        return task.path("exit_status").asInt(1);
    }
}
