package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What the server answered.
 *
 * @param took from sending the request to the last byte of the answer
 */
public record Answer(int status, HttpHeaders headers, byte[] bytes, Duration took) {
    public static Answer of(HttpResponse<byte[]> response, Duration took) {
        return new Answer(response.statusCode(), response.headers(), response.body(), took);
    }

    public String body() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    public JsonNode json() {
        assertThat(header("Content-Type")).as(body()).contains("json");
        return Json.read(body());
    }

    public String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    public Answer hasStatus(int expected) {
        assertThat(status).as(() -> "status of: " + body()).isEqualTo(expected);
        return this;
    }

    /** The text at a JSON pointer, failing when there is none. */
    public String text(String pointer) {
        JsonNode found = json().at(pointer);
        assertThat(found.isValueNode() && !found.isNull())
                .as(() -> pointer + " in " + body())
                .isTrue();
        return found.asText();
    }

    public JsonNode at(String pointer) {
        return json().at(pointer);
    }

    /** A finished command. */
    public Answer completed() {
        hasStatus(200);
        assertThat(text("/disposition")).isEqualTo("completed");
        return this;
    }

    /** The task that the command became. */
    public String promoted() {
        hasStatus(202);
        assertThat(text("/disposition")).isEqualTo("promoted_to_task");
        String id = text("/task_handle/task_id");
        assertThat(header("Location")).endsWith("/v1/tasks/" + id);
        return id;
    }

    /** The task that runs already. */
    public String alreadyRunning() {
        hasStatus(200);
        assertThat(text("/disposition")).isEqualTo("already_running");
        String id = text("/task_handle/task_id");
        assertThat(header("Location")).endsWith("/v1/tasks/" + id);
        return id;
    }

    /** A refusal in the form of the contract's section 9. */
    public Answer refused(int expectedStatus, String kind) {
        hasStatus(expectedStatus);
        assertThat(header("Content-Type")).startsWith("application/problem+json");
        JsonNode problem = json();
        assertThat(problem.path("kind").asText()).as(body()).isEqualTo(kind);
        assertThat(problem.path("status").asInt()).isEqualTo(expectedStatus);
        assertThat(problem.path("type").asText()).startsWith("urn:");
        assertThat(problem.path("title").asText()).isNotBlank();
        assertThat(problem.path("detail").asText()).isNotBlank();
        assertThat(problem.path("recovery_hint").asText()).isNotBlank();
        assertThat(problem.path("retryable").isBoolean()).isTrue();
        assertThat(problem.path("details").isObject()).isTrue();
        return this;
    }
}
