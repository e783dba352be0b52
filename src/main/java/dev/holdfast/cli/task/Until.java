package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Ends the following of a task when what was waited for is there. */
public final class Until implements Runnable {
    private static final int LONGEST_MS = 600_000;
    /** A command that says it is ready and fails has mostly ended by then. */
    private static final int SETTLED_MS = 100;

    private final Api api;
    private final String id;
    private final Follow output;
    private final List<Conditions.Condition> conditions;
    private final List<String> held = new CopyOnWriteArrayList<>();

    public Until(Api api, String id, Follow output, Conditions conditions) {
        this.api = api;
        this.id = id;
        this.output = output;
        this.conditions = conditions.of(id);
    }

    /** What has ended meanwhile is followed to its end, whatever came true before. */
    private boolean livesOn() throws IOException, InterruptedException {
        Map<String, Object> end =
                Map.of("any", List.of(Map.of("task_id", id, "until", "end")), "timeout_ms", SETTLED_MS);
        return api.retried(() -> api.post("/v1/wait", end)).path("timed_out").asBoolean();
    }

    /** Says what came true of a task that ran on then; false when nothing has. */
    public boolean told() {
        held.forEach(words -> Page.note(id + " runs on: " + words));
        return !held.isEmpty();
    }

    @Override
    public void run() {
        try {
            List<Map<String, Object>> any =
                    conditions.stream().map(Conditions.Condition::body).toList();
            Map<String, Object> wait = Map.of("any", any, "timeout_ms", LONGEST_MS);
            JsonNode answer;
            do {
                answer = api.retried(() -> api.having(api.post("/v1/wait", wait), "timed_out", "satisfied"));
            } while (answer.path("timed_out").asBoolean());
            if (!answer.path("satisfied").isEmpty() && livesOn()) {
                for (JsonNode index : answer.path("satisfied")) {
                    held.add(conditions.get(index.asInt()).words());
                }
                output.leave();
            }
        } catch (IOException | RuntimeException refused) {
            Page.note("cannot wait for that: " + refused.getMessage());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
