package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kernel.Cgroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The packaged server in a process of its own, with a data folder, a workspace and a port of its own: what a user runs.
 * Started before a class's tests, and afterwards killed with everything that it started; the {@link #shared} one before
 * the first class that uses it, and ended after the last test of all. The system property {@code holdfast.script} names
 * the distribution's script, which starts it with {@code holdfast.serve.options}; without one it is {@code java -jar}
 * with what {@code holdfast.jar} names.
 */
public final class PackagedServer implements BeforeAllCallback, AfterAllCallback {
    static final String MARKER = "ACCEPTANCE_RUN";
    /** How many files a disk of its own holds. */
    static final int FILES = 5000;

    private static final Duration START_LIMIT = Duration.ofMinutes(3);
    /** Of each of the four JVMs that run tests at once. */
    private static final int PORTS = 5_500;

    /**
     * Becomes the program that follows: whoever starts the tests may ignore SIGINT, as nohup's shell and a script's &
     * do.
     */
    private static final List<String> INTERRUPTIBLE = List.of("env", "--default-signal=INT");
    /** What a class leaves running is ended after it. */
    private static final PackagedServer SHARED = new PackagedServer().with("HOLDFAST_LIMITS_RUNNING", "1000");

    static {
        // Most of what is waited for has come after some milliseconds.
        Awaitility.setDefaultPollInterval((polls, _) -> Duration.ofMillis(Math.min(100, 5L << Math.min(polls, 5))));
    }

    private final Map<String, String> settings = new TreeMap<>();
    private final String marker = UUID.randomUUID().toString();
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Calls.PATIENCE)
            .build();
    private Path root = Path.of("");
    private List<String> program = script().map(PackagedServer::serve).orElseGet(() -> java(jar()));
    private int port;
    private String newestSeen = "";

    @Nullable
    private String ownDisk;

    @Nullable
    private SmallDisk disk;

    @Nullable
    private Process process;

    /**
     * For classes without settings of their own: a start costs more than most of them. Each finds it running, without
     * tasks, files and rules of those before; what these did stands in its journal. One may end and start it.
     */
    static PackagedServer shared() {
        return SHARED;
    }

    /** A setting as an environment variable of the server. */
    public PackagedServer with(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /**
     * With its data folder on a file system of so many megabytes, and {@link #FILES} files, that nobody else writes to,
     * where one can be mounted.
     */
    public PackagedServer onDiskOf(int size) {
        ownDisk = "-t tmpfs -o mode=700,nr_inodes=" + FILES + ",size=" + size + "m";
        return this;
    }

    /**
     * With its data folder on a file system that makes no holes and does not tell how much is free, where one can be
     * mounted.
     */
    public PackagedServer onDiskWithoutHoles() {
        ownDisk = "-t ramfs -o mode=700";
        return this;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        if (this == SHARED && process != null) {
            return;
        }
        if (this == SHARED) { // no store of JUnit would keep it: Surefire runs each class as a test plan of its own
            Runtime.getRuntime().addShutdownHook(new Thread(this::end));
        }
        beforeAll();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (this == SHARED) {
            empty();
        } else {
            afterAll();
        }
    }

    private void empty() throws IOException, InterruptedException {
        if (!server().isAlive()) {
            Files.writeString(root.resolve("server.log"), ""); // else it says of files what is no more
            start();
        }
        Files.deleteIfExists(data().resolve("approved.yaml"));
        for (String rules : List.of("policy.yaml", "tokens.yaml")) {
            Files.deleteIfExists(data().resolve(rules));
            await(rules).atMost(Calls.PATIENCE).until(() -> isForgotten(data().resolve(rules)));
        }
        calls().get("/v1/approvals")
                .at("/approvals")
                .forEach(one -> calls().post(
                                "/v1/approvals/" + one.path("approval_id").asText(), Map.of("decision", "deny"))
                        .hasStatus(200));
        killGroup();
        await("no tasks").atMost(Calls.PATIENCE).until(this::haveNoTasks);
        Folders.children(data().resolve("keys")).forEach(Folders::delete);
        Folders.children(workspace()).forEach(Folders::delete);
        Files.writeString(root.resolve("server.log"), "");
    }

    /** What the log says of a file last is that nothing in it holds; a request has the server look. */
    private boolean isForgotten(Path file) {
        calls().get("/q/health/well");
        String log = log();
        int last = log.lastIndexOf(file.toString());
        return last < 0 || log.startsWith(" was removed", last + file.toString().length());
    }

    private boolean haveNoTasks() {
        JsonNode tasks = calls().get("/v1/tasks?status=all&limit=100").at("/tasks");
        for (JsonNode task : tasks) {
            String path = "/v1/tasks/" + task.path("task_id").asText();
            if (calls().delete(path).status() == 409) {
                calls().post(path + "/stop", Map.of("force", true));
            }
        }
        return tasks.isEmpty();
    }

    private void end() {
        try {
            afterAll();
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("the shared server could not be ended", failure);
        }
    }

    /** For a server that lives for one test. */
    void beforeAll() throws IOException, InterruptedException {
        prepare();
        start();
    }

    /** All but its start. */
    void prepare() throws IOException, InterruptedException {
        root = Files.createTempDirectory("holdfast-acceptance-").toRealPath();
        Files.createDirectories(workspace());
        port = freePort();
        if (ownDisk != null && Mounts.allowed()) {
            disk = SmallDisk.mount(root.resolve("data"), ownDisk);
        }
    }

    void afterAll() throws IOException, InterruptedException {
        if (process != null) {
            kill();
        }
        Processes.killMarked(MARKER, marker);
        removeGroup();
        if (disk != null) {
            disk.unmount();
        }
        if (root.isAbsolute()) {
            Folders.delete(root); // else it was never started
        }
    }

    /**
     * The control groups of the killed server's tasks, with what is in them although it dropped the mark. Some thousands
     * of them, left by a few runs, make each fork on the machine half as fast.
     */
    private void removeGroup() throws IOException {
        Path group = killGroup();
        if (Files.exists(group.resolve("cgroup.kill"))) {
            Folders.deleteFolders(group);
        }
    }

    private Path killGroup() throws IOException {
        Path record = data().resolve("cgroup");
        Path group = Path.of(Files.exists(record) ? Files.readString(record) : "/nowhere");
        new Cgroup(group).kill(); // where it is: a server removes an empty one itself
        return group;
    }

    /** Starts it on the data folder as it is, and waits until it says that it is ready. */
    public void start() throws IOException, InterruptedException {
        process = launch();
        await().atMost(START_LIMIT).pollInterval(Duration.ofMillis(20)).until(this::listensOrIsDead);
        await().atMost(START_LIMIT).until(this::readyOrDead);
        assertThat(server().isAlive())
                .as(() -> "the server did not start:\n" + log())
                .isTrue();
    }

    /** The same command once more beside the running one. */
    public Process launch() throws IOException, InterruptedException {
        return command(disk == null ? List.of() : disk.beside(workspace()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        root.resolve("server.log").toFile()))
                .start();
    }

    /** Is started by this at its next start. */
    void startedBy(String... command) {
        program = List.of(command);
    }

    /** Is started by the distribution's script. */
    PackagedServer startedByScript() {
        startedBy(Cli.SCRIPT, "serve");
        return this;
    }

    /** What starts it, to be changed or started. {@code under} is a command that runs the rest of its arguments. */
    public ProcessBuilder command(List<String> under) throws IOException {
        List<String> argv = new ArrayList<>(under);
        argv.addAll(INTERRUPTIBLE);
        argv.addAll(program);
        var builder = new ProcessBuilder(argv).directory(workspace().toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("HOLDFAST_") || name.startsWith("QUARKUS_"));
        environment.put(MARKER, marker);
        environment.put("SHELL", "/bin/bash");
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"); // as builds of a moment want it
        // A home of its own: login files of whoever runs the tests may be slow, or wait for each other.
        environment.put("HOME", home().toString());
        environment.put("HOLDFAST_DATA_DIR", root.resolve("data").toString());
        environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
        // A machine that holds a thread up for two seconds is no reason for a warning, which some tests count.
        environment.put("QUARKUS_VERTX_MAX_EVENT_LOOP_EXECUTE_TIME", "20s");
        environment.putAll(settings);
        return builder;
    }

    private static List<String> java(Path jar) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar.toString());
    }

    private static List<String> serve(String script) {
        String options = System.getProperty("holdfast.serve.options", "");
        return Stream.concat(Stream.of(script, "serve"), options.lines().flatMap(line -> Stream.of(line.split(" "))))
                .toList();
    }

    private static Optional<String> script() {
        return Optional.ofNullable(System.getProperty("holdfast.script"));
    }

    /** With what Maven has fetched already, so that no build that a test runs needs a network. */
    private Path home() throws IOException {
        Path home = Files.createDirectories(root.resolve("home"));
        Path fetched = Path.of(System.getProperty("user.home"), ".m2");
        if (Files.isDirectory(fetched) && !Files.exists(home.resolve(".m2"))) {
            Files.createSymbolicLink(home.resolve(".m2"), fetched);
        }
        return home;
    }

    public static Path jar() {
        return Path.of(System.getProperty("holdfast.jar", "target/quarkus-app/quarkus-run.jar"))
                .toAbsolutePath();
    }

    /** As the kernel ends it: at once and without a word. */
    public void kill() {
        server().destroyForcibly().onExit().join();
    }

    /** As Ctrl-C or an init ends it. */
    public int terminate() throws InterruptedException {
        server().destroy();
        return server().waitFor();
    }

    public Process server() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process;
    }

    public long pid() {
        return server().pid();
    }

    public Path workspace() {
        return root.resolve("workspace");
    }

    public Path data() {
        return disk == null ? root.resolve("data") : disk.seen();
    }

    /** As the server is told it. */
    String dataDir() {
        return root.resolve("data").toString();
    }

    SmallDisk disk() {
        return Objects.requireNonNull(disk);
    }

    public boolean hasOwnDisk() {
        return disk != null;
    }

    public Path taskFolder(String id) {
        return data().resolve("tasks").resolve(id);
    }

    /** The folders of commands; one that ended in its window may lose its own at any time. */
    public Set<Path> taskFolders() {
        return Set.copyOf(Folders.children(data().resolve("tasks")));
    }

    /**
     * The id of the newest command that was ever seen. A listing alone would not do: one that is read while others are
     * deleted may leave an entry out.
     */
    public String newest() {
        for (Path folder : taskFolders()) {
            String id = folder.getFileName().toString();
            newestSeen = id.compareTo(newestSeen) > 0 ? id : newestSeen;
        }
        return newestSeen;
    }

    /** Waits until another command has its folder: it is on record, and about to run. */
    public String awaitNewer(String before) {
        return await("a new command")
                .atMost(Calls.PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(this::newest, id -> id.compareTo(before) > 0);
    }

    public String log() {
        try {
            return Files.readString(root.resolve("server.log"));
        } catch (IOException e) {
            return "no log: " + e.getMessage();
        }
    }

    public int port() {
        return port;
    }

    public String marker() {
        return marker;
    }

    public HttpClient client() {
        return client;
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    public String token() {
        String given = settings.get("HOLDFAST_TOKEN");
        try {
            return given != null
                    ? given
                    : Files.readString(data().resolve("token")).strip();
        } catch (IOException e) {
            throw new IllegalStateException("no token", e);
        }
    }

    /** What comes through the door, until it is closed. */
    void passOn(ServerSocket door) {
        while (!door.isClosed()) {
            try {
                var caller = door.accept();
                var server = new Socket(InetAddress.getLoopbackAddress(), port);
                for (var way : List.of(List.of(caller, server), List.of(server, caller))) {
                    Thread.ofVirtual().start(() -> {
                        try {
                            way.getFirst()
                                    .getInputStream()
                                    .transferTo(way.getLast().getOutputStream());
                            way.getLast().shutdownOutput();
                        } catch (IOException over) {
                            return; // for this call
                        }
                    });
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** The same server as it runs now, called with another token. */
    public PackagedServer calledWith(String token) {
        PackagedServer same = new PackagedServer().with("HOLDFAST_TOKEN", token);
        same.root = root;
        same.port = port;
        same.disk = disk;
        return same;
    }

    /** A request with the token, to be completed. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).header("Authorization", "Bearer " + token());
    }

    public Answer send(HttpRequest request) {
        long from = System.nanoTime();
        try {
            var response = client.send(request, BodyHandlers.ofByteArray());
            Duration took = Duration.ofNanos(System.nanoTime() - from);
            if (response.statusCode() == 500) {
                System.out.println("500 to " + request + "; the server's log:\n" + log());
            }
            return Answer.of(response, took);
        } catch (IOException e) {
            throw new AssertionError("no answer to " + request + "; the server's log:\n" + log(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    public Calls calls() {
        return new Calls(this);
    }

    /** By a socket: a client that asks in vain 50 times a second takes more of the processors than the start itself. */
    private boolean listensOrIsDead() {
        try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return !server().isAlive();
        }
    }

    private boolean readyOrDead() throws InterruptedException {
        if (!server().isAlive()) {
            return true;
        }
        try {
            var request = HttpRequest.newBuilder(uri("/q/health/ready")).build();
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // nobody listens yet
        }
    }

    /**
     * None of those that the kernel gives to whoever asks for any, or connects: the other JVMs' tests do so meanwhile.
     * Nor one that those may pick for a server of theirs while this one is not up yet.
     */
    public static int freePort() {
        int first = 10_000 + (Integer.getInteger("holdfast.fork", 1) - 1) * PORTS;
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(first, first + PORTS);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // another one
            }
        }
    }
}
