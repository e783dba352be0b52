package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cli.server.Api;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The window of a command whose answer is told as the server has it: a task from its first moment, so that ^C and a
 * restart of the server find it, and asked for once more, by its key, when the window closes.
 *
 * @param asked the request, with a window of nothing and its key
 */
public record Window(Api api, InterruptKey interrupts, Conditions until, Api.Call<JsonNode> asked) {
    /** The server's own. */
    private static final Duration LENGTH = Duration.ofSeconds(10);

    public JsonNode answer() throws IOException, InterruptedException {
        long end = System.nanoTime() + LENGTH.toNanos();
        JsonNode first = api.retried(asked);
        String id = first.at("/task_handle/task_id").asText();
        String approval = first.path("approval_id").asText();
        if (!approval.isEmpty()) {
            id = allowed(new Question(api, approval), end);
        }
        if (!id.isEmpty()) {
            interrupts.starts(id);
        }
        if (first.path("disposition").asText().equals("already_running")) {
            return first;
        }
        String because = id.isEmpty() ? "" : held(id, end);
        JsonNode last = api.retried(asked);
        if (!because.isEmpty() && last instanceof ObjectNode answer && answer.has("promoted_because")) {
            answer.put("promoted_because", because);
        }
        return last;
    }

    /** Of its task; empty where nobody has allowed it, which the server says. */
    private String allowed(Question question, long end) throws IOException, InterruptedException {
        question.tell();
        interrupts.asks(question.id());
        JsonNode answered = question.answered(Duration.ofMillis(left(end)));
        return Question.isAllowed(answered) ? Question.task(answered) : "";
    }

    /** What was waited for and has come true; empty when nothing has. */
    private String held(String id, long end) throws IOException, InterruptedException {
        List<Map<String, Object>> any = new ArrayList<>();
        until.of(id).forEach(condition -> any.add(condition.body()));
        any.add(Map.of("task_id", id, "until", "end"));
        JsonNode answer = api.retried(() -> api.having(
                api.post("/v1/wait", Map.of("any", any, "timeout_ms", left(end))), "timed_out", "satisfied"));
        int index = answer.at("/satisfied/0").asInt(-1);
        return index < 0 ? "" : String.valueOf(any.get(index).get("until"));
    }

    private static long left(long end) {
        return Math.max(0, (end - System.nanoTime()) / 1_000_000);
    }
}
