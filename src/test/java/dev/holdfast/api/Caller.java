package dev.holdfast.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.config.HoldfastConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Somebody who calls the server over HTTP and has its token. */
final class Caller {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI base;
    private final String token;

    Caller(URI base, HoldfastConfig config) {
        this.base = base;
        try {
            this.token = Files.readString(config.dataDir().resolve("token")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String token() {
        return token;
    }

    URI uri(String path) {
        return base.resolve(path);
    }

    /** With the token, and {@code Content-Type} when there is a body; headers in pairs. */
    HttpRequest.Builder request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .header("Authorization", "Bearer " + token)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return headers.length == 0 ? request : request.headers(headers);
    }

    HttpResponse<String> call(String method, String path, String body, String... headers) {
        return send(request(method, path, body, headers).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path, String... headers) {
        return call("GET", path, "", headers);
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        return call("POST", path, body, headers);
    }

    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return client.send(request, handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static JsonNode json(HttpResponse<String> response) {
        return json(response.body());
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    /** Starts a command as a task at once, without a login shell, and gives its id. */
    String task(String cmd, String more) {
        var body = JSON.createObjectNode().put("cmd", cmd).put("shell", "sh").put("login", false);
        body.put("yield_time_ms", 0).put("duplicate_policy", "start_new");
        String text = body.toString();
        String all = more.isEmpty() ? text : text.substring(0, text.length() - 1) + "," + more + "}";
        return json(post("/v1/commands", all)).at("/task_handle/task_id").asText();
    }

    /** Waits until the task has ended, and gives it. */
    JsonNode ended(String id) {
        String cursor = "";
        JsonNode page;
        do {
            page = json(get("/v1/tasks/" + id + "/output?wait_ms=20000&max_bytes=1048576&cursor=" + cursor));
            cursor = page.path("next_cursor").asText();
        } while (!page.path("end").asBoolean(true));
        return json(get("/v1/tasks/" + id));
    }

    /** Bytes as they are, for what no client would send; the answer as it comes until the server closes. */
    String raw(byte[]... parts) throws IOException {
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            for (byte[] part : parts) {
                out.write(part);
            }
            out.flush();
            return until(socket.getInputStream());
        }
    }

    private static String until(InputStream in) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        in.transferTo(answer);
        return answer.toString(StandardCharsets.UTF_8);
    }
}
