package dev.holdfast.cli;

import static java.util.stream.Collectors.joining;

import dev.holdfast.cli.server.LocalServer;
import dev.holdfast.cli.terminal.Failure;
import dev.holdfast.cli.terminal.Page;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.SequenceInputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code holdfast mcp}: MCP over stdio, for a client that knows nothing else. A message a line goes to the server's
 * {@code /mcp}, and what that answers comes back, a message a line. A session that is gone, with a server that was
 * killed for one, is begun again in the same words, and nobody notices.
 */
public final class Mcp {
    private static final String SESSION = "Mcp-Session-Id";
    /** To the next server it tells what the client can, which that would not know of a session of the former. */
    private static final String RENEWS = "Holdfast-Renews-Session";

    private static final String DATA = "data: ";
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int TRIES = 4;
    /** Of a message, in bytes: no tool takes as much, and what is longer would not fit into this process's memory. */
    private static final int LONGEST = 4 << 20;

    /** The server has them: what is none of them needs no server to be refused. */
    static final List<String> PROFILES = List.of("holdfast", "classic", "codex", "claude", "gemini");
    /** A client that does not wait so long ends this process, which hangs up too. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final LocalServer server;
    private final String path;
    private final PrintStream out;
    /** For the messages that are under way, in bytes; each is there twice. */
    private final Semaphore room = new Semaphore(2 * LONGEST);

    private String beginning = "";
    private volatile String session = "";

    private Mcp(Map<String, String> settings, String profile, PrintStream out) {
        this.server = new LocalServer(settings, System.getProperty("holdfast.script", "holdfast"));
        this.path = "/mcp?profile=" + profile;
        var _ = server.uri(path);
        this.out = out;
    }

    /** @param arguments the profile */
    public static void main(String... arguments) throws IOException, InterruptedException {
        try {
            speak(System.getenv(), arguments[0]);
        } catch (Failure wrong) {
            Page.note(Told.of(wrong, () -> true).words());
            System.exit(wrong.code());
        }
    }

    /**
     * Until the end of the input.
     *
     * @throws Failure there is no such profile, or no such address
     */
    static void speak(Map<String, String> settings, String profile) throws IOException, InterruptedException {
        if (!PROFILES.contains(profile)) {
            throw new Failure(
                    Failure.MISUSED,
                    "there is no profile '" + profile + "'",
                    "Use one of " + String.join(", ", PROFILES) + ".");
        }
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        new Mcp(settings, profile, out).run(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
    }

    /**
     * Until the end of the input, by which a client ends us, and a little longer for what is about to be answered. What
     * is still waited for then is hung up, as by any client that goes: its connections end with this process.
     */
    private void run(InputStream in) throws IOException, InterruptedException {
        ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
        for (var line = new Line(in); line.begins(); line = new Line(in)) {
            byte[] bytes = line.readNBytes(LONGEST + 1);
            if (bytes.length > LONGEST) {
                var whole = new SequenceInputStream(new ByteArrayInputStream(bytes), line);
                Envelope envelope = Envelope.of(new InputStreamReader(whole, StandardCharsets.UTF_8));
                line.transferTo(OutputStream.nullOutputStream());
                fail(envelope, "the message is longer than 4 MiB. Write it to a file, and send the name of that");
                continue;
            }
            String message = new String(bytes, StandardCharsets.UTF_8);
            Envelope envelope = Envelope.of(new StringReader(message));
            if (!Arrays.equals(bytes, message.getBytes(StandardCharsets.UTF_8))) {
                fail(envelope, "the message is not UTF-8");
            } else if (envelope.begins()) {
                beginning = message;
                session = "";
                pass(message, envelope); // before anything else goes on its way
            } else if (!message.isBlank()) {
                int size = bytes.length;
                if (room.tryAcquire(size)) {
                    calls.execute(() -> {
                        try {
                            pass(message, envelope);
                        } finally {
                            room.release(size);
                        }
                    });
                } else {
                    fail(envelope, "too much is under way, 8 MiB. Wait for an answer, and send this again");
                }
            }
        }
        calls.shutdown();
        var _ = calls.awaitTermination(LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
        leave();
    }

    /** To the server, and what it answers back; whoever asked gets an answer in any case. */
    private void pass(String message, Envelope envelope) {
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                if (passed(message, envelope)) {
                    return;
                }
            }
            fail(envelope, "the server keeps ending; its log is server.log in its data folder");
        } catch (IOException | UncheckedIOException lost) {
            String why = "no answer came (" + lost.getMessage() + "). What had been started goes on: ";
            fail(envelope, why + "list the tasks (in a shell: holdfast ps -a) before you try again");
        } catch (IllegalArgumentException unsendable) {
            fail(envelope, "a character of the token is one that no header takes: look at " + server.tokenPlace());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** False when it did not reach a session: it can go once more, and there is one now. */
    private boolean passed(String message, Envelope envelope) throws IOException, InterruptedException {
        String used = session;
        try {
            if (used.isEmpty() && !envelope.begins() && !beginning.isEmpty()) {
                renew(used); // it could not be begun before
                return false;
            }
            String own = envelope.answers() ? Questions.answer(message, used) : message;
            if (own == null) {
                return true;
            }
            HttpResponse<Stream<String>> answer = send(own, used);
            try (Stream<String> lines = answer.body()) {
                if (answer.statusCode() != NOT_FOUND || used.isEmpty()) {
                    tell(answer, lines, envelope, used);
                    return true;
                }
            }
            renew(used);
        } catch (ConnectException | NoSuchFileException nobodyListens) {
            try {
                server.ensure();
            } catch (IOException none) {
                fail(envelope, Told.why(none) + ". This was not sent: nothing has been started by it");
                return true;
            }
        }
        return false;
    }

    private HttpRequest.Builder request() throws IOException {
        return HttpRequest.newBuilder(server.uri(path)).header("Authorization", server.authorization());
    }

    private HttpResponse<Stream<String>> send(String message, String session) throws IOException, InterruptedException {
        HttpRequest.Builder request = request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(message));
        if (!session.isEmpty()) {
            request.header(SESSION, session).header(RENEWS, "true");
        }
        return client.send(request.build(), BodyHandlers.ofLines());
    }

    /** What the server says, a message a line; the events of a stream as they come. */
    private void tell(HttpResponse<Stream<String>> answer, Stream<String> lines, Envelope envelope, String used) {
        String type = answer.headers().firstValue("Content-Type").orElse("");
        if (type.startsWith("text/event-stream")) {
            lines.filter(line -> line.startsWith(DATA))
                    .forEach(line -> write(Questions.named(line.substring(DATA.length()), used)));
        } else if (type.startsWith("application/json") && !envelope.notifies()) {
            if (envelope.begins()) {
                session = answer.headers().firstValue(SESSION).orElse("");
            }
            lines.filter(line -> !line.isBlank()).forEach(this::write);
        } else if (answer.statusCode() >= BAD_REQUEST) {
            fail(envelope, "the server answered " + answer.statusCode() + ": " + lines.collect(joining(" ")));
        }
    }

    /** Begins a session in place of one that is gone, once however many miss it. */
    private synchronized void renew(String gone) throws IOException, InterruptedException {
        if (!session.equals(gone)) {
            return;
        }
        HttpResponse<Stream<String>> answer = send(beginning, "");
        try (Stream<String> lines = answer.body()) {
            String told = lines.collect(joining(" "));
            String begun = answer.headers()
                    .firstValue(SESSION)
                    .orElseThrow(() -> new IOException("no session begins: " + told));
            send(INITIALIZED, begun).body().close();
            session = begun;
        }
    }

    private void fail(Envelope envelope, String why) {
        if (envelope.asks()) {
            String text = why.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ");
            write("{\"jsonrpc\":\"2.0\",\"id\":" + envelope.id()
                    + ",\"error\":{\"code\":-32000,\"message\":\"holdfast: " + text + "\"}}");
        }
    }

    private synchronized void write(String message) {
        out.println(message);
        out.flush();
    }

    /** Says that the session is over; a server that is gone need not be told. */
    private void leave() throws InterruptedException {
        try {
            if (!session.isEmpty()) {
                var request = request()
                        .header(SESSION, session)
                        .timeout(Duration.ofSeconds(1))
                        .DELETE();
                client.send(request.build(), BodyHandlers.discarding());
            }
        } catch (IOException gone) {
            return;
        }
    }

    /** The next line of a stream, which it does not read beyond; blocks until that begins. */
    @SuppressWarnings("InputStreamSlowMultibyteRead") // the stream is buffered
    private static final class Line extends InputStream {
        private final InputStream in;
        private int next;

        Line(InputStream in) throws IOException {
            this.in = in;
            next = in.read();
        }

        /** False at the end of the stream. */
        boolean begins() {
            return next >= 0;
        }

        @Override
        public int read() throws IOException {
            int now = next == '\n' ? -1 : next;
            next = now < 0 ? next : in.read();
            return now;
        }
    }
}
