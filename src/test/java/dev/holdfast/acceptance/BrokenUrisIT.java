package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Section 9 for requests whose address cannot be read: no route is theirs, and the answer is a problem all the same.
 */
class BrokenUrisIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/tasks/%zz",
                "/v1/tasks/%E0%A4%A/output",
                "/v1/tasks?q=%E0%A4%A",
                "/v1/tasks?%zz=1",
                "/v1/tasks?q=a|b",
                "/v1/tasks?q=[1]\"",
                "/q/health/%",
                "/%",
                "//"
            })
    void areAProblemWithAndWithoutAToken(String uri) throws Exception {
        for (String token : List.of("Authorization: Bearer " + SERVER.token(), "X-Nothing: x")) {
            String answer = get(uri, token);

            assertThat(answer).startsWith("HTTP/1.1 400 ").contains("Content-Type: application/problem+json");
            JsonNode problem = new ObjectMapper().readTree(answer.substring(answer.indexOf("\r\n\r\n")));
            assertThat(problem.path("kind").asText()).isEqualTo("invalid_tool_input");
            assertThat(problem.path("recovery_hint").asText()).contains("percent");
            assertThat(problem.at("/details/parse_error").asText()).contains("URI");
        }
    }

    @Test
    void areTextForThoseWhoReadText() throws Exception {
        assertThat(get("/v1/tasks/%zz", "Accept: text/plain"))
                .startsWith("HTTP/1.1 400 ")
                .contains("Content-Type: text/plain", "\r\n\r\nCommand failed\n\n");
    }

    @Test
    void aPostToOneStartsNothingAndIsReadToItsEnd() throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            String body = "{\"cmd\":\"touch refused\"}" + " ".repeat(1 << 20);
            client.send(
                    body,
                    "POST /v1/commands?%zz HTTP/1.1",
                    "Host: 127.0.0.1:" + SERVER.port(),
                    "Authorization: Bearer " + SERVER.token(),
                    "Content-Type: application/json",
                    "Connection: close");
            assertThat(client.whole()).startsWith("HTTP/1.1 400 ").contains("invalid_tool_input");
        }
        assertThat(SERVER.workspace().resolve("refused")).doesNotExist();
    }

    private static String get(String uri, String header) throws Exception {
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send(
                    "", "GET " + uri + " HTTP/1.1", "Host: 127.0.0.1:" + SERVER.port(), header, "Connection: close");
            return client.whole();
        }
    }
}
