package dev.holdfast.acceptance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** HTTP/1.1 byte by byte, for what a well-behaved client will not send. */
final class RawHttp implements AutoCloseable {
    private static final int TIMEOUT_MS = 30_000;

    private final Socket socket;

    private RawHttp(Socket socket) {
        this.socket = socket;
    }

    static RawHttp to(int port) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MS);
        return new RawHttp(socket);
    }

    /** Its own, not the server's. */
    int port() {
        return socket.getLocalPort();
    }

    /** The head, its lines as they are, and the body. */
    void send(String body, String... head) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        send(String.join("\r\n", head) + "\r\nContent-Length: " + bytes.length + "\r\n\r\n");
        send(bytes);
    }

    /** JSON, as the operator. */
    void post(PackagedServer server, String path, String body) throws IOException {
        send(
                body,
                "POST " + path + " HTTP/1.1",
                "Host: 127.0.0.1:" + server.port(),
                "Authorization: Bearer " + server.token(),
                "Content-Type: application/json");
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    void send(byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(bytes);
        out.flush();
    }

    /** Sends that many bytes unless the server hangs up before. */
    void flood(long count) {
        byte[] chunk = new byte[1 << 16];
        Arrays.fill(chunk, (byte) 'x');
        try {
            for (long sent = 0; sent < count; sent += chunk.length) {
                send(chunk);
            }
        } catch (IOException e) {
            return; // it has heard enough; what it answered is still to be read
        }
    }

    /** The status of the answer, or 0 when the server hung up without one. */
    int status() {
        String answer = answer();
        return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
    }

    /** Everything until the end of the connection, which the request asked for. */
    String whole() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Hangs up as a process that dies does with an answer unread: by a reset, and whatever was on its way is void. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Everything until the end of the answer's head, or of the connection. */
    String answer() {
        var head = new ByteArrayOutputStream();
        try {
            InputStream in = socket.getInputStream();
            for (int next = in.read(); next >= 0; next = in.read()) {
                head.write(next);
                if (head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                    break;
                }
            }
        } catch (IOException e) {
            return head.toString(StandardCharsets.ISO_8859_1); // reset: what came before it counts
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
