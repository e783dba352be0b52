package dev.holdfast.cli.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Progress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the server's REST interface. Thread-safe. What is thrown when no server answers is an
 * {@link IOException}.
 */
public final class Api {
    public static final ObjectMapper JSON = new ObjectMapper();
    private static final int NO_CONTENT = 204;
    private static final int REDIRECTS = 300;
    private static final int ERRORS = 400;
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    /** How long a server that went away is waited for: a restart takes a second, an upgrade some more. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Much longer than a call takes that does not wait. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    private static final Duration FOR_EVER = Duration.ZERO;
    /** What a header may have (RFC 9110). */
    private static final Pattern HEADER = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");
    /** Calls that may wait for a command. */
    private static final Pattern WAITS = Pattern.compile("/v1/(commands|wait|tasks/[^/]*/(stop|output/search.*))");

    private static final Duration PAUSE = Duration.ofMillis(200);

    private final LocalServer server;

    /** A server that has answered comes back, or went before it could; one that never listened is none. */
    private volatile boolean met;

    /** @param settings environment variables, and the options in the place of theirs */
    public Api(Map<String, String> settings) {
        server = new LocalServer(settings, System.getProperty("holdfast.script", "holdfast"));
    }

    /** Whether the server is, or would be, on this machine. */
    public boolean isLocal() {
        try {
            return server.uri("").getHost().matches("localhost|127\\..*|\\[::1]");
        } catch (Failure noAddress) {
            return false;
        }
    }

    /** Its folder, if it is on this machine. */
    public Path data() {
        return server.data();
    }

    public String address() {
        return server.uri("").toString();
    }

    public JsonNode get(String path) throws IOException, InterruptedException {
        return json(send("GET", path, null));
    }

    /** @param limit how long it may give no answer */
    public JsonNode get(String path, Duration limit) throws IOException, InterruptedException {
        return json(send("GET", path, Map.of(), null, limit));
    }

    public JsonNode post(String path, Object body) throws IOException, InterruptedException {
        return json(send("POST", path, body));
    }

    /** The same, with a key by which it may be made twice and is done once. */
    public JsonNode post(String path, Object body, String key) throws IOException, InterruptedException {
        return json(send("POST", path, Map.of("Idempotency-Key", key), body, FOR_EVER));
    }

    public JsonNode put(String path, Object body) throws IOException, InterruptedException {
        return json(send("PUT", path, body));
    }

    public JsonNode delete(String path) throws IOException, InterruptedException {
        return json(send("DELETE", path, null));
    }

    public Http.Answer bytes(String path) throws IOException, InterruptedException {
        return send("GET", path, Map.of("Accept", "application/octet-stream"), null, ANSWER_LIMIT);
    }

    /** Fails with a {@link java.net.http.WebSocketHandshakeException} when the server does not want it. */
    public CompletableFuture<WebSocket> socket(String path, WebSocket.Listener listener) throws IOException {
        URI address = URI.create(server.uri(path).toString().replaceFirst("^http", "ws"));
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .newWebSocketBuilder()
                .connectTimeout(CONNECT_LIMIT)
                .header("Authorization", authorization())
                .buildAsync(address, listener)
                .thenApply(socket -> {
                    met = true;
                    return socket;
                });
    }

    /** As {@link #post}, again and again while a server that has answered is away: what arrived is not sent twice. */
    public JsonNode reached(String path, Object body) throws IOException, InterruptedException {
        return patiently(() -> post(path, body), true);
    }

    /** A call that may be made twice. */
    public interface Call<T> {
        T make() throws IOException, InterruptedException;
    }

    /** @throws IOException none has answered for a minute, or ever */
    public <T> T retried(Call<T> call) throws IOException, InterruptedException {
        return patiently(call, false);
    }

    /** @param unsent only while nothing can have arrived */
    private <T> T patiently(Call<T> call, boolean unsent) throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        Progress waiting = null;
        try {
            while (true) {
                try {
                    return call.make();
                } catch (IOException away) {
                    met |= away instanceof Http.CutOffException;
                    if (!met || System.nanoTime() > limit || (unsent && !(away instanceof ConnectException))) {
                        throw away;
                    }
                    waiting = waiting == null ? Progress.of("the server is away, this waits for it") : waiting;
                    Thread.sleep(PAUSE);
                }
            }
        } finally {
            if (waiting != null) {
                waiting.close();
            }
        }
    }

    /**
     * An answer with the fields that will be read.
     *
     * @throws Failure it has not all of them: what answers is no Holdfast, or another version
     */
    @SuppressWarnings("CanIgnoreReturnValueSuggester") // it is not to be checked and then left
    public JsonNode having(JsonNode answer, String... fields) {
        for (String field : fields) {
            if (!answer.has(field)) {
                throw new Failure(notOurs() + ": its answer has no " + field);
            }
        }
        return answer;
    }

    /** As {@link #having}, of a header that is to match. */
    public String header(Http.Answer answer, String name, String pattern) {
        return answer.header(name)
                .filter(value -> value.matches(pattern))
                .orElseThrow(() -> new Failure(notOurs() + ": its answer has no " + name));
    }

    private String authorization() throws IOException {
        try {
            String authorization = server.authorization();
            // Who refuses it further down shows it.
            if (!HEADER.matcher(authorization).matches()) {
                throw new Failure("the token in " + server.tokenPlace() + " has a character that no header may have");
            }
            return authorization;
        } catch (NoSuchFileException neverStarted) {
            if (server.isNamed()) {
                throw new Failure(
                        "a token is missing: there is no " + neverStarted.getMessage(),
                        "give that of the server at " + address() + " with --token or HOLDFAST_TOKEN");
            }
            throw new IOException("no server has run here: there is no " + neverStarted.getMessage(), neverStarted);
        } catch (AccessDeniedException others) {
            throw new Failure(
                    "the token cannot be read: " + others.getMessage(),
                    "be the user whose server it is, or give its token with --token or HOLDFAST_TOKEN");
        }
    }

    private Http.Answer send(String method, String path, @Nullable Object body)
            throws IOException, InterruptedException {
        return send(method, path, Map.of(), body, WAITS.matcher(path).matches() ? FOR_EVER : ANSWER_LIMIT);
    }

    private Http.Answer send(
            String method, String path, Map<String, String> more, @Nullable Object body, Duration limit)
            throws IOException, InterruptedException {
        Map<String, String> headers = new HashMap<>(more);
        headers.put("Authorization", authorization());
        if (body != null) {
            headers.put("Content-Type", "application/json");
        }
        byte[] bytes = body == null ? null : JSON.writeValueAsBytes(body);
        Http.Answer answer = sent(new Http.Request(method, server.uri(path), headers, bytes), limit);
        met = true;
        if (answer.status() >= ERRORS) {
            JsonNode problem = json(answer);
            if (!problem.has("kind") && !problem.has("checks")) { // these are of a health that is not well
                throw new Failure(notOurs(answer));
            }
            throw new Refused(problem);
        }
        return answer;
    }

    private Http.Answer sent(Http.Request request, Duration limit) throws IOException, InterruptedException {
        try {
            return Http.send(request, (int) limit.toMillis());
        } catch (SocketTimeoutException silent) {
            String told = "no answer came from " + address() + ": what is there does not answer, or cannot be reached";
            throw (IOException) new SocketTimeoutException(told).initCause(silent);
        } catch (SSLException plain) {
            throw new Failure(
                    "no secure connection can be had with " + address() + ": " + plain.getMessage(),
                    "a Holdfast is called by http://; https:// is for a proxy before it, whose certificate is trusted");
        } catch (ConnectException away) {
            throw (IOException) new ConnectException("nobody listens at " + address()).initCause(away);
        } catch (IllegalArgumentException e) {
            throw new Failure("the address or a header cannot be sent: " + e.getMessage());
        }
    }

    private JsonNode json(Http.Answer answer) throws IOException {
        if (answer.status() == NO_CONTENT) {
            return JSON.missingNode();
        }
        try {
            JsonNode body = JSON.readTree(answer.body());
            if (!body.isObject() || (answer.status() >= REDIRECTS && answer.status() < ERRORS)) {
                throw new Failure(notOurs(answer));
            }
            return body;
        } catch (JsonProcessingException e) {
            throw new Failure(notOurs(answer));
        }
    }

    private String notOurs(Http.Answer answer) {
        return notOurs() + " (status " + answer.status() + ")";
    }

    private String notOurs() {
        return "what answers at " + address() + " is no Holdfast, or another version of it";
    }

    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
