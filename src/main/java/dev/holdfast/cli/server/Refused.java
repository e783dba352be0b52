package dev.holdfast.cli.server;

import com.fasterxml.jackson.databind.JsonNode;

/** The server said no: its problem document. */
public final class Refused extends RuntimeException {
    private final transient JsonNode problem;

    Refused(JsonNode problem) {
        super(problem.path("detail").asText(problem.path("title").asText("refused")));
        this.problem = problem;
    }

    public JsonNode problem() {
        return problem;
    }

    public boolean is(String kind) {
        return problem.path("kind").asText().equals(kind);
    }

    /** What to do now; empty when the server knows nothing. */
    public String hint() {
        return problem.path("recovery_hint").asText();
    }
}
