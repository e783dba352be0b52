package dev.holdfast.api.body;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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
            Map.entry("columns", "cols"),
            Map.entry("width", "cols"),
            Map.entry("height", "rows"),
            Map.entry("grace", "grace_ms"));

    private Nearest() {}

    static Optional<String> to(String written, Collection<String> known) {
        String plain = written.toLowerCase(Locale.ROOT).replace('-', '_');
        String alias = OTHER_TOOLS_SAY.get(plain);
        if (alias != null && known.contains(alias)) {
            return Optional.of(alias);
        }
        if (plain.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        return known.stream()
                .min(Comparator.comparingInt((String name) -> distance(plain, name))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(name -> distance(plain, name) <= Math.max(2, name.length() / 3));
    }

    /** Levenshtein's: how many letters must be added, dropped or replaced. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(previous[j], row[j - 1]) + 1);
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
