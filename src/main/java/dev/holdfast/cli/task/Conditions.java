package dev.holdfast.cli.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is waited for of a task, as {@code POST /v1/wait} has it. */
public record Conditions(
        @Nullable Integer port,
        @Nullable String pattern,
        boolean input,
        @Nullable Duration idle) {
    /** @param words what holds when it came true */
    public record Condition(Map<String, Object> body, String words) {
        public boolean isEnd() {
            return "end".equals(body.get("until"));
        }
    }

    public static boolean isPort(int number) {
        return number >= 1 && number <= 65_535;
    }

    /** What ends the window of a command early, as {@code POST /v1/commands} has it. */
    public Map<String, Object> yieldWhen() {
        Map<String, Object> when = new LinkedHashMap<>();
        if (port != null) {
            when.put("port_open", port);
        }
        if (pattern != null) {
            when.put("output_matches", pattern);
        }
        return when;
    }

    public boolean isEmpty() {
        return port == null && pattern == null && !input && idle == null;
    }

    /** Of this task; its end where nothing else is asked for. */
    public List<Condition> of(String id) {
        List<Condition> all = new ArrayList<>();
        if (port != null) {
            all.add(condition(id, "port_open", "port", port, "it listens on port " + port));
        }
        if (pattern != null) {
            all.add(condition(id, "output_matches", "pattern", pattern, "its output matches " + pattern));
        }
        if (idle != null) {
            all.add(condition(id, "idle", "idle_ms", idle.toMillis(), "it has printed nothing for a while"));
        }
        if (input) {
            all.add(new Condition(Map.of("task_id", id, "until", "needs_input"), "it waits for input"));
        }
        return all.isEmpty() ? List.of(new Condition(Map.of("task_id", id, "until", "end"), "it has ended")) : all;
    }

    private static Condition condition(String id, String until, String key, Object value, String words) {
        return new Condition(Map.of("task_id", id, "until", until, key, value), words);
    }
}
