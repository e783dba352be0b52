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

    /** Says what came true; false when nothing has. */
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
            JsonNode answer = api.retried(() -> api.post("/v1/wait", wait));
            while (answer.path("timed_out").asBoolean()) {
                answer = api.retried(() -> api.post("/v1/wait", wait));
            }
            for (JsonNode index : answer.path("satisfied")) {
                held.add(conditions.get(index.asInt()).words());
            }
            if (!held.isEmpty()) {
                output.leave();
            }
        } catch (IOException | RuntimeException refused) {
            Page.note("cannot wait for that: " + refused.getMessage());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
