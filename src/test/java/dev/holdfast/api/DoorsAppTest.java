package dev.holdfast.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.HoldfastConfig;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class DoorsAppTest {
    private static final int LIMIT = 33_554_432;

    @Inject
    HoldfastConfig config;

    @TestHTTPResource
    @SuppressWarnings("NullAway.Init")
    URI base;

    private Caller caller;

    @BeforeEach
    void calls() {
        caller = new Caller(base, config);
    }

    private static JsonNode problem(HttpResponse<String> response, int status, String kind) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        JsonNode problem = Caller.json(response);
        assertThat(problem.properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("type", "title", "status", "detail", "kind", "recovery_hint", "retryable", "details");
        assertThat(problem.path("type").asText()).isEqualTo("urn:holdfast:problem:" + kind);
        assertThat(problem.path("kind").asText()).isEqualTo(kind);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("recovery_hint").asText()).isNotBlank();
        return problem;
    }

    private HttpResponse<String> withoutToken(String path) {
        return caller.send(HttpRequest.newBuilder(caller.uri(path)).build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/tasks", "/v1/nothing", "/q/metrics", "/q/openapi", "/index.html", "/q/health/../../v1/tasks"
            })
    void everythingNeedsTheToken(String path) {
        HttpResponse<String> response = withoutToken(path);

        problem(response, 401, "unauthorized");
        assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }

    /** Each would be a series of its own, and behind a hundred of them no new route is counted. */
    @Test
    void whatLeadsToNoResourceIsCountedAsOne() {
        for (int i = 0; i < 110; i++) {
            withoutToken("/v1/tasks/task_" + i);
            withoutToken("/tasks/page_" + i);
            caller.post("/v1/tasks/task_" + i + "/stop", "{}", "Content-Encoding", "gzip");
        }
        caller.get("/v1/audit");

        assertThat(caller.get("/q/metrics").body())
                .contains("uri=\"/{path}\"", "uri=\"/v1/audit\"")
                .doesNotContain("uri=\"/v1/tasks/task_", "uri=\"/tasks/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/q/health", "/q/health/ready", "/q/health/live"})
    void healthDoesNot(String path) {
        assertThat(withoutToken(path).statusCode()).isEqualTo(200);
    }

    /** As the description has them. */
    @Test
    void aPathIsAskedWhichMethodsItHas() {
        JsonNode paths = Caller.json(caller.get("/q/openapi?format=json")).path("paths");
        assertThat(paths).isNotEmpty();
        paths.properties().forEach(path -> {
            if (path.getKey().startsWith("/v1/")) {
                Set<String> methods = new TreeSet<>(Set.of("OPTIONS"));
                path.getValue().fieldNames().forEachRemaining(name -> methods.add(name.toUpperCase(Locale.ROOT)));
                if (methods.contains("GET")) {
                    methods.add("HEAD");
                }
                HttpResponse<String> answer =
                        caller.call("OPTIONS", path.getKey().replaceAll("[{}]", ""), "");
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValue("Allow").orElse("").split(", "))
                        .as(path.getKey())
                        .containsExactlyInAnyOrderElementsOf(methods);
            }
        });
    }

    @Test
    void aBodyIsTakenAsItIs() {
        HttpRequest packed = caller.request("POST", "/v1/commands", "{}", "Content-Encoding", "gzip")
                .build();
        HttpResponse<String> refused = caller.send(packed, BodyHandlers.ofString());
        assertThat(problem(refused, 415, "unsupported_media_type")
                        .path("recovery_hint")
                        .asText())
                .contains("Content-Encoding");
        assertThat(refused.headers().firstValue("Accept-Encoding")).contains("identity");

        JsonNode marked = problem(caller.post("/v1/commands", "\ufeff{\"cmd\":\"true\"}"), 400, "invalid_tool_input");
        assertThat(marked.path("detail").asText()).contains("byte order mark");
        assertThat(marked.path("recovery_hint").asText()).contains("without");
    }

    @Test
    void anotherHostIsRefusedAlsoForHealth() throws IOException {
        for (String path : List.of("/v1/tasks", "/q/health")) {
            String answer =
                    caller.raw(("GET " + path + " HTTP/1.1\r\nHost: rebound.example:7420\r\nAuthorization: Bearer "
                                    + caller.token() + "\r\nConnection: close\r\n\r\n")
                            .getBytes(US_ASCII));
            assertThat(answer)
                    .startsWith("HTTP/1.1 403 ")
                    .contains("application/problem+json", "\"kind\":\"forbidden\"");
        }
    }

    @Test
    void aForeignOriginIsRefused() {
        problem(caller.get("/v1/tasks", "Origin", "http://evil.example"), 403, "forbidden");
        problem(caller.get("/v1/tasks", "Origin", "null"), 403, "forbidden");
        assertThat(caller.get("/v1/tasks", "Origin", "http://localhost:" + base.getPort())
                        .statusCode())
                .isEqualTo(200);
        assertThat(caller.get("/v1/tasks").headers().map()).doesNotContainKey("access-control-allow-origin");
    }

    @Test
    void aPageOfAnOriginThatMayCallSendsItsTokenAndReadsTheAnswer() throws IOException {
        String origin = "http://localhost:" + base.getPort();
        String asked = caller.raw(("OPTIONS /v1/commands HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin
                        + "\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization"
                        + "\r\nConnection: close\r\n\r\n")
                .getBytes(US_ASCII));
        assertThat(asked.toLowerCase(Locale.ROOT))
                .startsWith("http/1.1 204 ")
                .contains(
                        "access-control-allow-origin: " + origin,
                        "access-control-allow-headers: authorization",
                        "access-control-allow-methods: *")
                .doesNotContain("credentials");
        for (String path : List.of("/v1/tasks", "/v1/tasks/none")) {
            assertThat(caller.get(path, "Origin", origin).headers().map())
                    .containsEntry("access-control-allow-origin", List.of(origin))
                    .containsEntry("access-control-expose-headers", List.of("*"))
                    .containsEntry("vary", List.of("Origin"));
        }
        assertThat(caller.get("/v1/tasks", "Origin", "http://evil.example")
                        .headers()
                        .map())
                .doesNotContainKey("access-control-allow-origin");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/v1",
                "/v1/nothing",
                "/v1/tasks/x/nothing",
                "/q/nothing",
                "/tasks/x/nothing",
                "/console/nothing"
            })
    void anUnknownPathIsAProblem(String path) {
        problem(caller.get(path), 404, "not_found");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/commands, POST",
        "DELETE, /v1/tasks, GET",
        "POST, /v1/events/, GET",
        "GET, /v1/wait, POST",
        "POST, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/output, GET",
        "PUT, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/events, GET",
        "DELETE, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/terminal, GET",
        "GET, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/input, POST",
        "PUT, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV, 'GET, DELETE'",
        "POST, /v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/terminal-size, PUT"
    })
    void aMethodThatThePathDoesNotHaveIsAProblem(String method, String path, String allowed) {
        HttpResponse<String> response = caller.call(method, path, "{}");

        problem(response, 405, "method_not_allowed");
        assertThat(response.headers().firstValue("Allow")).contains(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/tasks/x",
                "/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/output",
                "/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/events"
            })
    void anUnknownTaskIsAProblem(String path) {
        problem(caller.get(path), 404, "task_not_found");
    }

    @Test
    void aBodyMustBeJson() {
        HttpRequest form = HttpRequest.newBuilder(caller.uri("/v1/commands"))
                .header("Authorization", "Bearer " + caller.token())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("{\"cmd\":\"true\"}"))
                .build();
        problem(caller.send(form, BodyHandlers.ofString()), 415, "unsupported_media_type");
        JsonNode broken = problem(caller.post("/v1/commands", "{\"cmd\":"), 400, "invalid_tool_input");
        assertThat(broken.at("/details/parse_error").asText()).contains("line 1");
        JsonNode unknown = problem(caller.post("/v1/commands", "{\"command\":\"x\"}"), 400, "invalid_tool_input");
        assertThat(unknown.at("/details/parse_error").asText()).contains("`command`");
        assertThat(unknown.path("recovery_hint").asText()).contains("`cmd`");
        problem(caller.post("/v1/commands", ""), 400, "invalid_tool_input");
        problem(caller.get("/v1/tasks?limit=0"), 400, "invalid_tool_input");
    }

    @Test
    void aFailureIsTextForThoseWhoReadText() {
        HttpResponse<String> response = caller.post("/v1/commands", "{}", "Accept", "text/plain");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
        assertThat(response.body()).startsWith("Command failed\n\n`cmd` is missing");
        assertThat(withoutToken("/v1/tasks").body()).startsWith("{");
        assertThat(caller.get("/v1/nothing", "Accept", "text/plain").body()).startsWith("Command failed\n");
    }

    private byte[] head(String framing) {
        return ("POST /v1/commands HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + caller.token()
                        + "\r\nContent-Type: application/json\r\n" + framing + "\r\n\r\n")
                .getBytes(US_ASCII);
    }

    @Test
    void aBodyOverTheLimitIsAnsweredThoughTheClientSendsItAllFirst() throws IOException {
        byte[] body = new byte[LIMIT + 1];
        String announced = caller.raw(head("Content-Length: " + body.length), body);
        assertThat(announced).startsWith("HTTP/1.1 413 ").contains("\"kind\":\"payload_too_large\"");

        byte[] size = (Integer.toHexString(body.length) + "\r\n").getBytes(US_ASCII);
        String chunked = caller.raw(head("Transfer-Encoding: chunked"), size, body, "\r\n0\r\n\r\n".getBytes(US_ASCII));
        assertThat(chunked).startsWith("HTTP/1.1 413 ").contains("\"kind\":\"payload_too_large\"");
    }

    @Test
    void aBodyThatIsOnlyAnnouncedIsRefusedAtOnce() throws IOException {
        long began = System.nanoTime();
        String answer = caller.raw(head("Content-Length: 99999999999\r\nExpect: 100-continue"));

        // The connection too is closed.
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        assertThat(answer).startsWith("HTTP/1.1 413 ").doesNotContain("100 Continue");
    }
}
