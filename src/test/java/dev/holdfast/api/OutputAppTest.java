package dev.holdfast.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.HoldfastConfig;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OutputAppTest {
    private static final String BYTES = "application/octet-stream";

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

    private HttpResponse<byte[]> bytes(String path, String... headers) {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "Accept";
        all[headers.length + 1] = BYTES;
        return caller.send(caller.request("GET", path, "", all).build(), BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void aPageSaysWhereItBeginsAndWhereTheNextDoes() {
        String id = caller.task("printf 0123456789", "");
        caller.ended(id);

        JsonNode page = Caller.json(caller.get("/v1/tasks/" + id + "/output?stream=stdout&cursor=2&max_bytes=3"));
        assertThat(page.properties())
                .extracting(java.util.Map.Entry::getKey)
                .containsExactly(
                        "task_id",
                        "status",
                        "stream",
                        "text",
                        "cursor",
                        "next_cursor",
                        "omitted",
                        "end",
                        "exit_status");
        assertThat(page.path("text").asText()).isEqualTo("234");
        assertThat(page.path("cursor").asText()).isEqualTo("2");
        assertThat(page.path("next_cursor").asText()).isEqualTo("5");
        assertThat(page.path("end").asBoolean()).isFalse();
        assertThat(Caller.json(caller.get("/v1/tasks/" + id + "/output?stream=stdout&cursor=-2"))
                        .path("text")
                        .asText())
                .isEqualTo("89");
    }

    @Test
    void rawTextKeepsEscapesAndWholeCharacters() {
        String id = caller.task("printf 'a\\033[31m\\303\\251'", "");
        caller.ended(id);

        String path = "/v1/tasks/" + id + "/output?stream=stdout&view=raw&max_bytes=";
        JsonNode first = Caller.json(caller.get(path + 7));
        assertThat(first.path("text").asText()).isEqualTo("a\033[31m");
        assertThat(first.path("next_cursor").asText()).isEqualTo("6");
        JsonNode rest = Caller.json(caller.get(path + 7 + "&cursor=6"));
        assertThat(rest.path("text").asText()).isEqualTo("é");
        assertThat(rest.path("end").asBoolean()).isTrue();
    }

    @Test
    void bytesComeWithTheirCursor() {
        String id = caller.task("printf '\\000\\377x'", "");
        caller.ended(id);

        HttpResponse<byte[]> response = bytes("/v1/tasks/" + id + "/output?stream=stdout");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).isEqualTo(BYTES);
        assertThat(header(response, "Holdfast-Next-Cursor")).isEqualTo("3");
        assertThat(header(response, "Holdfast-End")).isEqualTo("true");
        assertThat(header(response, "Accept-Ranges")).isEqualTo("bytes");
        assertThat(response.body()).isEqualTo(new byte[] {0, (byte) 0xff, 'x'});
        assertThat(header(bytes("/v1/tasks/" + id + "/output"), "Accept-Ranges"))
                .isEqualTo("none");
    }

    @Test
    void rangesOfOneStreamAreExact() {
        String id = caller.task("printf 0123456789", "");
        caller.ended(id);
        String path = "/v1/tasks/" + id + "/output?stream=stdout";

        HttpResponse<byte[]> middle = bytes(path, "Range", "bytes=3-5");
        assertThat(middle.statusCode()).isEqualTo(206);
        assertThat(new String(middle.body(), java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("345");
        assertThat(header(middle, "Content-Range")).isEqualTo("bytes 3-5/10");
        assertThat(header(middle, "Content-Length")).isEqualTo("3");
        assertThat(header(middle, "Holdfast-Next-Cursor")).isEqualTo("6");
        assertThat(header(middle, "Holdfast-End")).isEqualTo("false");
        HttpResponse<byte[]> last = bytes(path, "Range", "bytes=-4");
        assertThat(header(last, "Content-Range")).isEqualTo("bytes 6-9/10");
        assertThat(header(last, "Holdfast-End")).isEqualTo("true");
        assertThat(bytes(path, "Range", "bytes=0-0,2-2").statusCode()).isEqualTo(200);
        assertThat(bytes(path, "Range", "bytes=0-0", "If-Range", "\"x\"").statusCode())
                .isEqualTo(200);
        assertThat(bytes("/v1/tasks/" + id + "/output", "Range", "bytes=0-0").statusCode())
                .isEqualTo(200);

        HttpResponse<Void> head = caller.send(
                caller.request("HEAD", path, "", "Accept", BYTES, "Range", "bytes=3-5")
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(head.statusCode()).as("a range is for GET alone").isEqualTo(200);
        assertThat(head.headers().firstValue("Content-Length")).contains("10");

        HttpResponse<byte[]> outside = bytes(path, "Range", "bytes=10-");
        assertThat(outside.statusCode()).isEqualTo(416);
        assertThat(header(outside, "Content-Range")).isEqualTo("bytes */10");
        assertThat(header(outside, "Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void aLargeRangeComesWhole() {
        int size = 20_000_000;
        String id = caller.task("yes 0123456 | head -c " + size, "");
        caller.ended(id);

        HttpResponse<byte[]> response = bytes("/v1/tasks/" + id + "/output?stream=stdout", "Range", "bytes=5-");
        assertThat(response.body()).hasSize(size - 5);
        byte[] line = "0123456\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int i = 0; i < size - 5; i++) {
            if (response.body()[i] != line[(i + 5) % line.length]) {
                throw new AssertionError("byte " + (i + 5) + " is another");
            }
        }
    }

    @Test
    void whatIsNoLongerKeptIsNamedAndNeverZeros() {
        int size = 200_000_000;
        String id = caller.task("head -c " + size + " /dev/zero | tr '\\0' x", "");
        assertThat(caller.ended(id).at("/output/omitted_bytes").asLong()).isPositive();
        String path = "/v1/tasks/" + id + "/output?stream=stdout";

        HttpResponse<byte[]> head = bytes(path, "Range", "bytes=0-");
        assertThat(head.statusCode()).isEqualTo(206);
        for (byte b : head.body()) {
            if (b != 'x') {
                throw new AssertionError("a byte that was never written");
            }
        }
        long next = Long.parseLong(header(head, "Holdfast-Next-Cursor"));
        assertThat(next).isEqualTo(head.body().length).isLessThan(size);
        HttpResponse<byte[]> gap = bytes(path, "Range", "bytes=" + next + "-");
        assertThat(gap.statusCode()).isEqualTo(410);
        JsonNode problem = Caller.json(new String(gap.body(), java.nio.charset.StandardCharsets.UTF_8));
        assertThat(problem.path("kind").asText()).isEqualTo("cursor_expired");
        long to = problem.at("/details/omitted/to").asLong();
        HttpResponse<byte[]> tail = bytes(path, "Range", "bytes=" + to + "-");
        assertThat(tail.body()).hasSize((int) (size - to));
    }
}
