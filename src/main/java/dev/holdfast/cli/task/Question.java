package dev.holdfast.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.IOException;
import java.time.Duration;

/** A command that a person is asked about, as whoever wants it waits for the answer. */
public record Question(Api api, String id) {
    /** Well below the time in which any answer comes that waits for no command. */
    private static final long LONGEST_MS = 20_000;

    public void tell() {
        Page.note("this waits for an answer: holdfast approve " + id);
    }

    /** Once it is answered, and what was allowed has begun; or as it stands after that limit. */
    public JsonNode answered(Duration limit) throws IOException, InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        JsonNode asked;
        do {
            asked = looked(Math.clamp((until - System.nanoTime()) / 1_000_000, 0, LONGEST_MS));
        } while (isPending(asked) && System.nanoTime() - until < 0);
        boolean begins = isAllowed(asked)
                && !asked.path("task_id").isTextual()
                && !asked.path("start_error").isTextual();
        return begins ? looked(LONGEST_MS) : asked;
    }

    private JsonNode looked(long waitMs) throws IOException, InterruptedException {
        return api.retried(() -> api.having(api.get("/v1/approvals/" + id + "?wait_ms=" + waitMs), "state"));
    }

    public static boolean isPending(JsonNode asked) {
        return asked.path("state").asText().equals("pending");
    }

    public static boolean isAllowed(JsonNode asked) {
        return asked.path("state").asText().equals("allowed");
    }

    /**
     * The id of what has started.
     *
     * @throws Failure nothing has, or nothing that can be followed
     */
    public static String task(JsonNode answered) {
        if (answered.path("task_id").isTextual()) {
            return answered.path("task_id").asText();
        }
        String why = answered.path("decision_reason").asText("");
        throw new Failure(
                answered.path("start_error").isTextual()
                        ? "it was allowed and could not be started: "
                                + answered.path("start_error").asText()
                        : isAllowed(answered)
                                ? "it was allowed, and has ended for another one who asked for the same"
                                : "it was not allowed: "
                                        + answered.path("state").asText() + (why.isEmpty() ? "" : ", " + why));
    }
}
