package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The server is replaced by another version while its keeper holds terminals. */
class UpgradeIT {
    @RegisterExtension
    static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_KEEPER_IDLE", "1s");

    private static final String TALK = "stty -echo; echo ready; while read x; do echo \"got $x\"; done";

    private final Calls http = SERVER.calls();

    @TempDir
    Path installation;

    @Test
    void theKeeperOfTheOldServerServesTheNewOneUntilItHoldsNothing() throws Exception {
        copy(PackagedServer.jar().resolveSibling(""), installation);
        SERVER.kill();
        SERVER.installed(installation);
        SERVER.start();
        String old = http.start(TALK, "tty", true);
        http.awaitOutput(old, "ready");
        long keeper = keepers().getFirst();

        SERVER.kill();
        Path replaced = change(installation);
        SERVER.start();

        String young = http.start(TALK + " # young", "tty", true);
        http.awaitOutput(young, "ready");
        for (String id : List.of(old, young)) {
            http.input(id, "text", "one\n").hasStatus(200);
            http.awaitOutput(id, "got one");
        }
        assertThat(keepers()).containsExactly(keeper);
        for (String id : List.of(old, young)) {
            http.input(id, "eof", true).hasStatus(200);
            assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("completed");
        }
        await().atMost(Calls.PATIENCE).until(() -> keepers().isEmpty());

        String next = http.start(TALK + " # next", "tty", true);
        http.awaitOutput(next, "ready");
        assertThat(runsFrom(keepers().getFirst(), replaced)).isTrue();
        http.stop(next, "force", true).hasStatus(200);
    }

    private static List<Long> keepers() {
        return Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data());
    }

    /** Whether its own copy of the jar is as long as that one. */
    private static boolean runsFrom(long keeper, Path jar) throws IOException {
        String line = Processes.commandLine(keeper).orElseThrow();
        Path copy = Stream.of(line.split("[ :]"))
                .filter(part -> part.endsWith(jar.getFileName().toString()))
                .map(Path::of)
                .findFirst()
                .orElseThrow();
        return Files.size(copy) == Files.size(jar);
    }

    /** Another version of a jar that the keeper runs from: with one byte of comment, as APPNOTE.TXT of zip allows. */
    private static Path change(Path installation) throws IOException {
        try (Stream<Path> jars = Files.list(installation.resolve("lib/main"))) {
            Path jar = jars.filter(file -> file.getFileName().toString().contains("pty4j"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(jar);
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            longer[bytes.length - 2] = 1;
            longer[bytes.length] = '!';
            Files.write(jar, longer);
            return jar;
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}
