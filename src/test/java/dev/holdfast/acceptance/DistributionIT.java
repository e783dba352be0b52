package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code package} lays out for a user: one script, the jars, and a cache of what the JVM makes of them. */
@Timeout(120)
class DistributionIT {
    private static final Path BUILT =
            PackagedServer.jar().resolveSibling("../holdfast").normalize();
    /** The JVM gives up where it would otherwise go on without a cache that it cannot use. */
    private static final String ONLY_WITH_CACHE = "-XX:AOTMode=on";

    private final PackagedServer server = new PackagedServer().with("HOLDFAST_KEEPER_IDLE", "1s");

    @TempDir
    Path folder;

    @BeforeEach
    void noServerYet() {
        server.startedBy(script(BUILT), "serve");
    }

    @AfterEach
    void end() throws Exception {
        server.afterAll();
    }

    @TestFactory
    Stream<DynamicTest> oneLife() throws Exception {
        Path loaded = folder.resolve("loaded");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        server.with("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        server.startedBy("setsid", script(BUILT), "serve", ONLY_WITH_CACHE, "-Xlog:class+load:file=" + loaded);
        server.beforeAll();
        server.calls().run("true").hasStatus(200);
        server.calls().get("/console/main.js").hasStatus(200);
        List<String> classes = Files.readAllLines(loaded);
        server.startedBy(script(BUILT), "serve");
        return Stream.of(
                DynamicTest.dynamicTest(
                        "most of what it loads comes from the cache", () -> mostComeFromTheCache(classes)),
                DynamicTest.dynamicTest(
                        "the script becomes the server, which needs no full collection of its heap",
                        this::theScriptBecomesTheServer),
                DynamicTest.dynamicTest(
                        "its session and its keeper's come before what they run, for root",
                        this::comesBeforeWhatItRuns),
                DynamicTest.dynamicTest(
                        "a crash is told by the next server and costs no command", this::aCrashIsToldByTheNextServer),
                DynamicTest.dynamicTest(
                        "and leaves nothing where temporary files go",
                        () -> assertThat(temporary).isEmptyDirectory()),
                DynamicTest.dynamicTest("it ends as it is asked to", () -> {
                    assertThat(server.terminate()).isEqualTo(143);
                    assertThat(server.log()).contains("holdfast stopped");
                }));
    }

    private static void mostComeFromTheCache(List<String> classes) {
        assertThat(classes).hasSizeGreaterThan(5000);
        assertThat(classes.stream().filter(line -> !line.contains("shared objects file")))
                .hasSizeLessThan(classes.size() / 15);
    }

    /** A full collection would stand still for a tenth of a second, and so would every answer. */
    private void theScriptBecomesTheServer() throws Exception {
        assertThat(commandLine(server.pid())).contains("-jar").doesNotContain("serve");
        for (int i = 0; i < 100; i++) {
            server.calls().run("true").hasStatus(200);
        }
        assertThat(fullCollections(server.pid())).isZero();
    }

    private void comesBeforeWhatItRuns() throws Exception {
        String id = server.calls().start("echo $$; exec cat", "tty", true);
        server.calls().awaitOutput(id, "\n");
        long command = Long.parseLong(server.calls().output(id).strip());
        long keeper =
                Processes.running("dev.holdfast.keeper.Keeper " + server.data()).getFirst();
        boolean root = System.getProperty("user.name").equals("root");

        assertThat(nice(command)).isIn("nice 0", "none");
        for (long ours : List.of(server.pid(), keeper)) {
            assertThat(nice(ours)).isEqualTo(root ? nice(command).replace("0", "-10") : nice(command));
        }
        server.calls().stop(id).hasStatus(200);
    }

    private static String nice(long pid) throws IOException {
        Path group = Path.of("/proc", Long.toString(pid), "autogroup");
        return Files.exists(group) ? Files.readString(group).strip().replaceFirst("^/autogroup-\\d+ ", "") : "none";
    }

    /** As it dies of a wild pointer in native code. */
    private void aCrashIsToldByTheNextServer() throws Exception {
        Calls calls = server.calls();
        String id = calls.start("read x; exit 5", "accepts_input", true);
        calls.awaitTask(id, task -> task.path("waiting").asText().equals("input"));

        new ProcessBuilder("kill", "-SEGV", Long.toString(server.pid())).start().waitFor();
        server.server().onExit().join();
        server.start();

        assertThat(server.log()).contains("was ended by a crash in native code: " + server.data() + "/told-crash-");
        assertThat(Folders.children(server.data()))
                .filteredOn(file -> file.getFileName().toString().startsWith("told-crash-"))
                .singleElement()
                .satisfies(file -> assertThat(file).content(ISO_8859_1).contains("SIGSEGV"));
        calls.input(id, "text", "go\n").hasStatus(200);
        assertThat(calls.awaitEnd(id).path("exit_status").asInt(-1)).isEqualTo(5);
    }

    @Test
    void anUnpackedTarballRunsWithItsCacheThroughALinkInAPathWithSpaces() throws Exception {
        Path place = Files.createDirectories(folder.resolve("some place"));
        assertThat(run("tar", "-xzf", BUILT + ".tar.gz", "-C", place.toString()))
                .isZero();
        Path link = Files.createSymbolicLink(folder.resolve("hf"), place.resolve("holdfast/bin/holdfast"));
        server.startedBy(link.toString(), "serve", ONLY_WITH_CACHE);
        server.beforeAll();

        String terminal = server.calls().start("echo in a terminal; exec cat", "tty", true);
        server.calls().awaitOutput(terminal, "in a terminal");
    }

    @Test
    void aCacheThatDoesNotFitIsDoneWithout() throws Exception {
        Path copy = copy();
        byte[] cache = Files.readAllBytes(cache(copy));

        Files.write(cache(copy), Arrays.copyOf(cache, cache.length / 2));
        beginsOnlyWithoutTheCache(copy);

        byte[] ofAnotherJvm = cache.clone();
        int version = new String(cache, 0, 8192, ISO_8859_1).indexOf(System.getProperty("java.vm.version"));
        assertThat(version).isPositive();
        ofAnotherJvm[version]++;
        Files.write(cache(copy), ofAnotherJvm);
        beginsOnlyWithoutTheCache(copy);

        // As `cp -r` leaves it: the jars are younger than the cache that was made of them.
        Files.write(cache(copy), cache);
        assertThat(run("touch", copy.resolve("lib/quarkus-run.jar").toString())).isZero();
        doesNotBeginWithTheCache(copy);
        server.startedBy(script(copy), "serve");
        server.beforeAll();
        server.calls().run("true").hasStatus(200);
    }

    /** Its main class is loaded: from there on it is as without any cache. */
    private void beginsOnlyWithoutTheCache(Path copy) throws Exception {
        doesNotBeginWithTheCache(copy);
        Path loaded = Files.createTempFile(folder, "loaded", "");
        Process begun = process(script(copy), "serve", "-Xlog:class+load:file=" + loaded);
        await().atMost(Calls.PATIENCE)
                .ignoreExceptionsInstanceOf(NoSuchFileException.class) // the JVM moves what is there aside first
                .until(() -> !begun.isAlive() || Files.readString(loaded).contains("QuarkusEntryPoint"));
        assertThat(begun.isAlive()).isTrue();
        begun.destroyForcibly().onExit().join();
    }

    private void doesNotBeginWithTheCache(Path copy) throws Exception {
        assertThat(run(script(copy), "serve", ONLY_WITH_CACHE)).isEqualTo(1);
    }

    /** With the times of its files. */
    private Path copy() throws Exception {
        Path copy = folder.resolve("copy");
        assertThat(run("cp", "-a", BUILT.toString(), copy.toString())).isZero();
        return copy;
    }

    private static Path cache(Path distribution) {
        return distribution.resolve("lib/holdfast.aot");
    }

    private static String script(Path distribution) {
        return distribution.resolve("bin/holdfast").toString();
    }

    private int run(String... command) throws IOException, InterruptedException {
        return process(command).waitFor();
    }

    private Process process(String... command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HOLDFAST_DATA_DIR", folder.resolve("data").toString());
        builder.environment().put("QUARKUS_HTTP_PORT", Integer.toString(PackagedServer.freePort()));
        return builder.redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static int fullCollections(long pid) throws IOException {
        String jstat = Path.of(System.getProperty("java.home"), "bin", "jstat").toString();
        Process process = new ProcessBuilder(jstat, "-gcutil", Long.toString(pid)).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(lines).hasSize(2);
        int column = List.of(lines.getFirst().strip().split("\\s+", -1)).indexOf("FGC");
        return Integer.parseInt(lines.getLast().strip().split("\\s+", -1)[column]);
    }

    private static List<String> commandLine(long pid) throws IOException {
        return List.of(Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0"));
    }
}
