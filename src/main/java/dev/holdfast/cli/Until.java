package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ends the following of a task when what was waited for is there. */
final class Until implements Runnable {
    private static final int LONGEST_MS = 600_000;

    private final Api api;
    private final String id;
    private final Follow output;
    private final List<Map<String, Object>> conditions = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private volatile boolean held;

    Until(Api api, String id, Follow output, @Nullable Integer port, @Nullable String pattern) {
        this.api = api;
        this.id = id;
        this.output = output;
        if (port != null) {
            conditions.add(Map.of("task_id", id, "until", "port_open", "port", port));
            words.add("it listens on port " + port);
        }
        if (pattern != null) {
            conditions.add(Map.of("task_id", id, "until", "output_matches", "pattern", pattern));
            words.add("its output matches " + pattern);
        }
    }

    boolean held() {
        return held;
    }

    @Override
    public void run() {
        try {
            Map<String, Object> wait = Map.of("any", conditions, "timeout_ms", LONGEST_MS);
            JsonNode answer = Api.retried(() -> api.post("/v1/wait", wait));
            while (answer.path("timed_out").asBoolean()) {
                answer = Api.retried(() -> api.post("/v1/wait", wait));
            }
            for (JsonNode index : answer.path("satisfied")) {
                held = true;
                Page.note(id + " runs on: " + words.get(index.asInt()));
            }
            if (held) {
                output.leave();
            }
        } catch (IOException | RuntimeException refused) {
            Page.note("cannot wait for that: " + refused.getMessage());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
