package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

/** Calls of the tools of a profile. */
public record ToolCalls(Calls http, String profile) {
    public JsonNode call(String tool, Object... input) {
        return http.post("/v1/tools/" + tool + "?profile=" + profile, Json.object(input))
                .hasStatus(200)
                .json();
    }

    public JsonNode success(String tool, Object... input) {
        JsonNode answer = call(tool, input);
        assertThat(answer.path("status").asText()).as(answer.toString()).isEqualTo("success");
        assertThat(answer.path("error").isNull()).isTrue();
        return answer;
    }

    public JsonNode error(String kind, String tool, Object... input) {
        JsonNode answer = call(tool, input);
        assertThat(answer.path("status").asText()).as(answer.toString()).isEqualTo("error");
        assertThat(answer.at("/error/kind").asText()).as(answer.toString()).isEqualTo(kind);
        return answer;
    }

    /** What a model reads. */
    public String text(String tool, Object... input) {
        return call(tool, input).path("text").asText();
    }
}
