package dev.holdfast.cli.server;

import dev.holdfast.cli.terminal.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One request and its whole answer. By the old client of the JDK: the new one takes a tenth of a second and more to
 * begin, and serves the WebSocket alone here. Thread-safe.
 */
public final class Http {
    private static final int CONNECT_LIMIT_MS = 10_000;

    static {
        // Else a POST whose answer is lost is sent once more, and starts a command twice.
        System.setProperty("sun.net.http.retryPost", "false");
        // A connection that is kept may be one of a server that has ended meanwhile.
        System.setProperty("http.keepAlive", "false");
    }

    private Http() {}

    /** @param body null for none */
    record Request(String method, URI uri, Map<String, String> headers, byte @Nullable [] body) {}

    public record Answer(int status, byte[] body, HttpURLConnection from) {
        public Optional<String> header(String name) {
            return Optional.ofNullable(from.getHeaderField(name));
        }
    }

    /** Who listened went before the answer was whole: what was asked for may have been done. */
    public static final class CutOffException extends IOException {
        CutOffException(IOException cause) {
            super("the server went away before it answered", cause);
        }
    }

    /**
     * @param limitMs how long nothing may come; 0 for ever
     * @throws java.net.ConnectException nobody listens there: nothing was sent
     * @throws CutOffException somebody did
     */
    static Answer send(Request request, int limitMs) throws IOException, InterruptedException {
        try {
            return exchanged(request, limitMs);
        } catch (IOException failed) {
            if (Thread.interrupted()) {
                throw new InterruptedException(); // a socket that is read by a virtual thread is closed by it
            }
            throw failed;
        }
    }

    private static Answer exchanged(Request request, int limitMs) throws IOException {
        var connection = (HttpURLConnection) request.uri().toURL().openConnection();
        connection.setRequestMethod(request.method());
        connection.setConnectTimeout(CONNECT_LIMIT_MS);
        connection.setReadTimeout(limitMs);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        request.headers().forEach(connection::setRequestProperty);
        connection.setDoOutput(request.body() != null);
        connection.connect();
        try {
            return answered(connection, request);
        } catch (SocketException gone) {
            throw new CutOffException(gone);
        }
    }

    private static Answer answered(HttpURLConnection connection, Request request) throws IOException {
        if (request.body() != null) {
            try (var out = connection.getOutputStream()) {
                out.write(request.body());
            }
        }
        int status = connection.getResponseCode();
        if (status < 0) {
            throw new Failure("what answers at " + request.uri() + " speaks no HTTP");
        }
        try (InputStream in = status < HttpURLConnection.HTTP_BAD_REQUEST
                ? connection.getInputStream()
                : connection.getErrorStream()) {
            return new Answer(status, in == null ? new byte[0] : in.readAllBytes(), connection);
        }
    }
}
