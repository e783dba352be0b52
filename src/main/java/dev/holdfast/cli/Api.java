package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** The calls of the server's REST interface. Thread-safe. What is thrown when no server answers is an {@link IOException}. */
final class Api {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final int ERRORS = 400;
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    /** How long a server that went away is waited for: a restart takes a second, an upgrade some more. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final HttpClient client;
    private final LocalServer server;

    /** @param settings environment variables, and the options in the place of theirs */
    Api(Map<String, String> settings) {
        var builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_LIMIT);
        if (!settings.getOrDefault("HOLDFAST_URL", "").startsWith("https:")) {
            builder.sslContext(none());
        }
        client = builder.build();
        server = new LocalServer(settings, System.getProperty("holdfast.script", "holdfast"), client);
    }

    /** Over plain HTTP there is nothing to trust, and reading the JVM's certificates takes longer than all else here. */
    private static SSLContext none() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String address() {
        return server.uri("").toString();
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return json(send(request(path)));
    }

    JsonNode post(String path, Object body) throws IOException, InterruptedException {
        return json(send(withBody(path, body)));
    }

    JsonNode put(String path, Object body) throws IOException, InterruptedException {
        return json(send(request(path)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(JSON.writeValueAsString(body)))));
    }

    /** Fails with a {@link java.net.http.WebSocketHandshakeException} when the server does not want it. */
    CompletableFuture<WebSocket> socket(String path, WebSocket.Listener listener) throws IOException {
        HttpRequest plain = request(path).build();
        URI address = URI.create(plain.uri().toString().replaceFirst("^http", "ws"));
        WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(CONNECT_LIMIT);
        plain.headers().map().forEach((name, values) -> builder.header(name, values.getFirst()));
        return builder.buildAsync(address, listener);
    }

    JsonNode delete(String path) throws IOException, InterruptedException {
        return json(send(request(path).DELETE()));
    }

    HttpResponse<byte[]> get(String path, String type) throws IOException, InterruptedException {
        return send(request(path).header("Accept", type));
    }

    /** As {@link #post}, again and again while nobody listens: what arrived is not sent twice. */
    JsonNode reached(String path, Object body) throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return post(path, body);
            } catch (ConnectException away) {
                if (System.nanoTime() > limit) {
                    throw away;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    /** A call that may be made twice. */
    interface Call<T> {
        T make() throws IOException, InterruptedException;
    }

    /** @throws IOException none has answered for a minute */
    static <T> T retried(Call<T> call) throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return call.make();
            } catch (IOException away) {
                if (System.nanoTime() > limit) {
                    throw away;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    private HttpRequest.Builder request(String path) throws IOException {
        try {
            return server.request(path);
        } catch (NoSuchFileException neverStarted) {
            throw new IOException("no server has run here: there is no " + neverStarted.getMessage(), neverStarted);
        } catch (IllegalArgumentException e) {
            throw new Failure(Failure.ERROR, "the address or the token cannot be sent: " + e.getMessage());
        }
    }

    private HttpRequest.Builder withBody(String path, Object body) throws IOException {
        return request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)));
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() >= ERRORS) {
            JsonNode problem = json(answer);
            throw new Refused(
                    problem.isObject() ? problem : JSON.createObjectNode().put("detail", notOurs(answer)));
        }
        return answer;
    }

    private JsonNode json(HttpResponse<byte[]> answer) throws IOException {
        try {
            return Optional.ofNullable(JSON.readTree(answer.body())).orElse(JSON.missingNode());
        } catch (JsonProcessingException e) {
            throw new Failure(Failure.ERROR, notOurs(answer));
        }
    }

    private String notOurs(HttpResponse<byte[]> answer) {
        return "what answers at " + address() + " is no Holdfast, or another version of it (status "
                + answer.statusCode() + ")";
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
