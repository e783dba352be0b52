package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What agents really do: builds, servers, interpreters, shells, large outputs. */
class RealWorldIT {
    private static final long LARGE = 200L * 1000 * 1000;

    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_OUTPUT_MAX_BYTES", "268435456");

    private final Calls http = SERVER.calls();

    @Test
    void aMavenBuildIsPromotedAndEndsWithItsExitCode() {
        Path project =
                copyOf(Path.of("src/test/projects/greeting"), SERVER.workspace().resolve("greeting"));
        String mvnw = Path.of("mvnw").toAbsolutePath().toString();
        String build = mvnw + " -B -ntp -f " + project + "/pom.xml package";

        Answer promoted = http.run(build, "yield_time_ms", 200);
        String id = promoted.promoted();
        JsonNode built = awaitBuild(id);

        assertThat(built.path("exit_status").asInt(-1)).as(http.output(id)).isZero();
        assertThat(built.path("status").asText()).isEqualTo("completed");
        assertThat(http.output(id)).contains("Tests run: 1, Failures: 0").contains("BUILD SUCCESS");
        assertThat(project.resolve("target/greeting-1.jar")).exists();

        String broken = http.start(build + " -Dgreeting.word=Goodbye");
        assertThat(awaitBuild(broken).path("exit_status").asInt(-1)).isEqualTo(1);
        assertThat(http.output(broken)).contains("BUILD FAILURE");
    }

    private JsonNode awaitBuild(String id) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(
                        () -> http.task(id),
                        task -> Calls.ended(task.path("status").asText()));
    }

    @Test
    void aDevServerIsAnsweredWithItsPortAndReused() {
        int port = PackagedServer.freePort();
        Object[] more = {"yield_time_ms", 20_000, "yield_when", Map.of("port_open", port)};
        String cmd = "exec python3 -m http.server " + port + " --bind 127.0.0.1";

        Answer started = http.run(cmd, more);
        String id = started.promoted();

        assertThat(started.text("/promoted_because")).isEqualTo("port_open");
        assertThat(SERVER.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                                .build())
                        .status())
                .isEqualTo(200);
        assertThat(http.task(id).at("/ports").toString()).isEqualTo("[" + port + "]");
        Answer again = http.run(cmd, more);
        assertThat(again.alreadyRunning()).isEqualTo(id);
        assertThat(again.took()).isLessThan(Duration.ofSeconds(10));
        assertThat(http.stop(id).hasStatus(200).text("/task/status")).isEqualTo("cancelled");
    }

    @Test
    void anInterpreterInATerminalComputes() {
        Answer started = http.run(
                "exec python3 -q", "tty", true, "yield_time_ms", 20_000, "yield_when", Map.of("needs_input", true));
        String id = started.promoted();
        assertThat(started.text("/promoted_because")).isEqualTo("needs_input");

        http.input(id, "text", "sum(range(1001))\n").hasStatus(200);
        http.awaitOutput(id, "500500");
        http.input(id, "eof", true).hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isZero();
    }

    @Test
    void aShellReadsItsCommandsFromStdin() {
        String id = http.start("exec sh", "accepts_input", true);

        http.input(id, "text", "x=20\n").hasStatus(200);
        http.input(id, "text", "echo $((x * 2 + 2))\n").hasStatus(200);
        http.awaitOutput(id, "42");
        http.input(id, "text", "exit 6\n").hasStatus(200);

        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isEqualTo(6);
    }

    @Test
    void aLargeOutputIsReadBackWholeByRanges() throws Exception {
        String id = http.start("seq -f '%09.0f' 1 " + LARGE / 10);
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(
                        () -> http.task(id),
                        task -> Calls.ended(task.path("status").asText()));
        var digest = MessageDigest.getInstance("SHA-256");
        long size = 8_000_000;

        for (long from = 0; from < LARGE; from += size) {
            long last = Math.min(LARGE, from + size) - 1;
            Answer part = http.raw(id, "?stream=stdout", "Range", "bytes=" + from + "-" + last);
            assertThat(part.hasStatus(206).header("Content-Range"))
                    .isEqualTo("bytes " + from + "-" + last + "/" + LARGE);
            digest.update(part.bytes());
        }

        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(expectedDigest());
    }

    private static String expectedDigest() throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        byte[] line = "000000000\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (long n = 1; n <= LARGE / 10; n++) {
            int digit = 8;
            while (line[digit] == '9') {
                line[digit--] = '0';
            }
            line[digit]++;
            digest.update(line);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static Path copyOf(Path project, Path target) {
        try (Stream<Path> files = Files.walk(project)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path relative = project.relativize(file);
                if (!relative.startsWith("target")) {
                    Path copy = target.resolve(relative);
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                }
            }
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
