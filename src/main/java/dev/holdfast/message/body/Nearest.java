package dev.holdfast.message.body;

import dev.holdfast.runtime.call.Refusal;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The known name that somebody probably meant: by what other tools call it, else by the fewest changed letters. */
final class Nearest {
    private static final int MAX_LENGTH = 64;
    /** By our own names. */
    private static final Map<String, Set<String>> OTHER_TOOLS_SAY = Map.ofEntries(
            Map.entry("cmd", Set.of("command", "script", "code")),
            Map.entry("argv", Set.of("args", "arguments")),
            Map.entry("workdir", Set.of("cwd", "dir", "directory", "working_directory")),
            Map.entry("env", Set.of("environment")),
            Map.entry("tty", Set.of("pty", "terminal", "interactive")),
            Map.entry("accepts_input", Set.of("stdin")),
            Map.entry("timeout_ms", Set.of("timeout", "timeout_seconds")),
            Map.entry("yield_time_ms", Set.of("wait_ms", "background", "run_in_background")),
            Map.entry("max_output_tokens", Set.of("max_tokens")),
            Map.entry("labels", Set.of("tags")),
            Map.entry("items", Set.of("commands")),
            Map.entry("text", Set.of("input", "data", "chars")),
            Map.entry("input", Set.of("text")),
            Map.entry("task_id", Set.of("id")),
            Map.entry("any", Set.of("task_id")),
            Map.entry("cols", Set.of("columns", "width")),
            Map.entry("rows", Set.of("height")),
            Map.entry("grace_ms", Set.of("grace")));

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
        Optional<String> said = known.stream()
                .filter(name -> OTHER_TOOLS_SAY.getOrDefault(name, Set.of()).contains(plain))
                .findFirst();
        if (said.isPresent() || plain.length() > MAX_LENGTH) {
            return said;
        }
        LevenshteinDistance letters = LevenshteinDistance.getDefaultInstance();
        return known.stream()
                .min(Comparator.comparingInt((String name) -> letters.apply(plain, name))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(name -> letters.apply(plain, name) <= Math.max(2, name.length() / 3));
    }
}
