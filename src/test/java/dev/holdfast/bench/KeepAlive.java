package dev.holdfast.bench;

import dev.holdfast.acceptance.Json;
import dev.holdfast.acceptance.PackagedServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** One connection that is kept, and as little of a client as possible, so that it is the server that is measured. */
final class KeepAlive implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final String head;

    KeepAlive(PackagedServer server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        head = " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\nAuthorization: Bearer " + server.token()
                + "\r\nContent-Type: application/json\r\nContent-Length: ";
    }

    /** The body of the answer, whose status is below 300. */
    String post(String path, Map<String, Object> body) throws IOException {
        return send("POST ", path, Json.write(body));
    }

    /** The same, without one of ours. */
    String get(String path) throws IOException {
        return send("GET ", path, "");
    }

    private String send(String method, String path, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        byte[] start = (method + path + head + content.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[start.length + content.length];
        System.arraycopy(start, 0, request, 0, start.length);
        System.arraycopy(content, 0, request, start.length, content.length);
        socket.getOutputStream().write(request);
        return answer();
    }

    private String answer() throws IOException {
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        if (!status.startsWith("HTTP/1.1 2")) {
            throw new IOException(status + " " + body);
        }
        return body;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the server hung up");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
