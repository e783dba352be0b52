package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The known name that somebody probably meant: by what other tools call it, else by the fewest changed letters. */
final class Nearest {
    private static final int MAX_LENGTH = 64;
    private static final Map<String, String> OTHER_TOOLS_SAY = Map.ofEntries(
            Map.entry("command", "cmd"),
            Map.entry("script", "cmd"),
            Map.entry("code", "cmd"),
            Map.entry("args", "argv"),
            Map.entry("arguments", "argv"),
            Map.entry("cwd", "workdir"),
            Map.entry("dir", "workdir"),
            Map.entry("directory", "workdir"),
            Map.entry("working_directory", "workdir"),
            Map.entry("environment", "env"),
            Map.entry("pty", "tty"),
            Map.entry("terminal", "tty"),
            Map.entry("interactive", "tty"),
            Map.entry("stdin", "accepts_input"),
            Map.entry("timeout", "timeout_ms"),
            Map.entry("timeout_seconds", "timeout_ms"),
            Map.entry("wait_ms", "yield_time_ms"),
            Map.entry("background", "yield_time_ms"),
            Map.entry("run_in_background", "yield_time_ms"),
            Map.entry("max_tokens", "max_output_tokens"),
            Map.entry("tags", "labels"),
            Map.entry("commands", "items"),
            Map.entry("input", "text"),
            Map.entry("data", "text"),
            Map.entry("chars", "text"),
            Map.entry("text", "input"),
            Map.entry("id", "task_id"),
            Map.entry("task_id", "any"),
            Map.entry("columns", "cols"),
            Map.entry("width", "cols"),
            Map.entry("height", "rows"),
            Map.entry("grace", "grace_ms"));

    private Nearest() {}

    /**
     * What a caller is told who used a name that is not known.
     *
     * @param what the names are of: a field, a parameter
     * @param path where it was found, {@code written} at its end
     */
    static Refusal refusal(String what, String path, String written, Collection<String> known) {
        String hint =
                to(written, known).map(near -> "Did you mean `" + near + "`? ").orElse("");
        return Refusal.invalid(
                path,
                "is not a known " + what,
                known.isEmpty()
                        ? "There are none here: leave it out."
                        : hint + "Known " + what + "s: " + String.join(", ", new TreeSet<>(known)) + ".");
    }

    private static Optional<String> to(String written, Collection<String> known) {
        String plain = written.toLowerCase(Locale.ROOT).replace('-', '_');
        String alias = OTHER_TOOLS_SAY.get(plain);
        if (alias != null && known.contains(alias)) {
            return Optional.of(alias);
        }
        if (plain.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        LevenshteinDistance letters = LevenshteinDistance.getDefaultInstance();
        return known.stream()
                .min(Comparator.comparingInt((String name) -> letters.apply(plain, name))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(name -> letters.apply(plain, name) <= Math.max(2, name.length() / 3));
    }
}
