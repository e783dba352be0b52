package dev.holdfast.cli.server;

import dev.holdfast.cli.terminal.Failure;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The server of this machine and user: where it listens, its token, and how it is started when none runs. Thread-safe.
 */
public final class LocalServer {
    /** The server takes no other data folder. */
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int LAST_PORT = 65_535;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    /** For a server that somebody else has just started in the same folder. */
    private static final Duration OTHER_LIMIT = Duration.ofSeconds(10);

    private static final int READY_LIMIT_MS = 5000;
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Map<String, String> settings;
    private final String script;
    private final Path data;

    /**
     * @param settings environment variables
     * @param script the distribution's
     * @throws Failure the token is empty: who meant to be somebody else would be the operator
     */
    public LocalServer(Map<String, String> settings, String script) {
        if (settings.getOrDefault("HOLDFAST_TOKEN", "set").isBlank()) {
            throw new Failure(
                    Failure.MISUSED,
                    "the token in --token or HOLDFAST_TOKEN is empty",
                    "give a token; or leave out --token and unset HOLDFAST_TOKEN, for the one in the data folder");
        }
        this.settings = new HashMap<>(settings);
        this.settings.values().removeIf(String::isBlank); // as if it were not set
        this.script = script;
        String home = this.settings.getOrDefault("HOME", System.getProperty("user.home"));
        this.data = Path.of(this.settings.getOrDefault("HOLDFAST_DATA_DIR", home + "/.holdfast"));
    }

    /** @throws Failure it cannot be called there, whoever listens */
    public URI uri(String path) {
        String port = settings.getOrDefault("QUARKUS_HTTP_PORT", "7420");
        String url = Objects.requireNonNullElse(settings.get("HOLDFAST_URL"), "http://" + host() + ":" + port);
        try {
            URI uri = URI.create(url.replaceFirst("/+$", "") + path);
            boolean web =
                    uri.getHost() != null && String.valueOf(uri.getScheme()).matches("(?i)https?");
            if (!web || uri.getPort() > LAST_PORT) {
                throw new IllegalArgumentException("'" + url + "' is not as http://127.0.0.1:7420");
            }
            return uri;
        } catch (IllegalArgumentException e) {
            throw new Failure(
                    Failure.MISUSED,
                    "the address cannot be called: " + e.getMessage(),
                    "write it as http://127.0.0.1:7420, in --url or HOLDFAST_URL");
        }
    }

    /** Whether it is somebody's own to start, here or elsewhere. */
    boolean isNamed() {
        return settings.containsKey("HOLDFAST_URL");
    }

    /** One that listens on all addresses is called at this machine's own. */
    private String host() {
        String host = settings.getOrDefault("QUARKUS_HTTP_HOST", "127.0.0.1").strip();
        return switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "[::]" -> "[::1]";
            default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        };
    }

    Path data() {
        return data;
    }

    /** The {@code Authorization} with the token as it is now, for a new server may have another. */
    public String authorization() throws IOException {
        String token = settings.get("HOLDFAST_TOKEN");
        // What is no text has a character then that no header takes, as any other wrong one.
        String known =
                token != null ? token : new String(Files.readAllBytes(data.resolve("token")), StandardCharsets.UTF_8);
        return "Bearer " + known.strip();
    }

    /** Where {@link #authorization} has the token from. */
    public String tokenPlace() {
        return settings.containsKey("HOLDFAST_TOKEN")
                ? "--token or HOLDFAST_TOKEN"
                : data.resolve("token").toString();
    }

    /**
     * Returns when a server is ready, which this has started where none was; one that {@code HOLDFAST_URL} names is
     * somebody else's to start.
     *
     * @throws IOException none can be had; says why
     */
    public synchronized void ensure() throws IOException, InterruptedException {
        if (ready()) {
            return;
        }
        if (isNamed()) {
            throw new IOException("no server answers at " + settings.get("HOLDFAST_URL"));
        }
        Path log = Files.createDirectories(data, PRIVATE).resolve("server.log");
        long limit = System.nanoTime() + START_LIMIT.toNanos();
        Process server = null;
        try (FileChannel starting =
                FileChannel.open(data.resolve("starting"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (!ready()) {
                // Of several at once one starts it, and the others wait for that.
                if (server == null && starting.tryLock() != null) {
                    server = start(log);
                }
                boolean ended = server != null && !server.isAlive();
                if (ended) {
                    limit = Math.min(limit, System.nanoTime() + OTHER_LIMIT.toNanos());
                }
                if ((ended && !another() && !ready()) || System.nanoTime() > limit) {
                    throw new IOException(another() ? elsewhere() : "the server did not start, " + log + " says why");
                }
                Thread.sleep(LOOK);
            }
        }
    }

    private String elsewhere() {
        return "a server has the data folder " + data + ", and does not answer at " + uri("")
                + ": set HOLDFAST_URL, or QUARKUS_HTTP_PORT, to where it listens";
    }

    /** In a session of its own, so that it outlives who started it. */
    private Process start(Path log) throws IOException {
        var builder = new ProcessBuilder("setsid", script, "serve");
        builder.environment().putAll(settings);
        return builder.redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Whether the server lives that has the data folder: its process id is in there. */
    private boolean another() throws IOException {
        Path lock = data.resolve("lock");
        String pid = Files.exists(lock) ? Files.readString(lock).strip() : "";
        return pid.matches("\\d{1,9}")
                && ProcessHandle.of(Long.parseLong(pid))
                        .map(ProcessHandle::isAlive)
                        .orElse(false);
    }

    private boolean ready() throws InterruptedException {
        try {
            var request = new Http.Request("GET", uri("/q/health/ready"), Map.of(), null);
            return Http.send(request, READY_LIMIT_MS).status() == 200;
        } catch (IOException nobodyListens) {
            return false;
        }
    }
}
