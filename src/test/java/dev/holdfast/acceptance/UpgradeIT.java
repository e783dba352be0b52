package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server is replaced by another version while its keeper holds terminals. */
class UpgradeIT {
    private static final PackagedServer SERVER = new PackagedServer().with("HOLDFAST_KEEPER_IDLE", "1s");

    private static final String TALK = "stty -echo; echo ready; while read x; do echo \"got $x\"; "
            + "case $x in size) stty size;; end) exit 8;; esac; done";

    private final Calls http = SERVER.calls();

    @TempDir
    Path installation;

    @AfterAll
    static void end() throws Exception {
        SERVER.afterAll();
    }

    @Test
    void theKeeperOfTheOldServerKeepsWhatItHoldsAndNewTerminalsGoToANewOne() throws Exception {
        Path built = Path.of(Cli.SCRIPT).resolve("../..").normalize();
        assertThat(new ProcessBuilder("cp", "-a", built + "/.", installation.toString())
                        .start()
                        .waitFor())
                .isZero();
        SERVER.startedBy(installation.resolve("bin/holdfast").toString(), "serve");
        SERVER.beforeAll();
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
            http.put("/v1/tasks/" + id + "/terminal-size", Json.object("rows", 7, "cols", 9))
                    .hasStatus(200);
            http.input(id, "text", "size\n").hasStatus(200);
            http.awaitOutput(id, "7 9");
        }
        assertThat(keepers()).hasSize(2).contains(keeper);
        long next = keepers().stream().filter(pid -> pid != keeper).findFirst().orElseThrow();
        assertThat(runsFrom(next, replaced)).isTrue();

        SERVER.kill();
        SERVER.start();
        http.input(old, "text", "end\n").hasStatus(200);
        assertThat(http.awaitEnd(old).path("exit_status").asInt()).isEqualTo(8);
        assertThat(http.output(old)).endsWith("got end\n");
        await().atMost(Calls.PATIENCE).until(() -> !Processes.alive(keeper));
        http.input(young, "text", "end\n").hasStatus(200);
        assertThat(http.awaitEnd(young).path("exit_status").asInt()).isEqualTo(8);
        await().atMost(Calls.PATIENCE).until(() -> keepers().isEmpty());
    }

    private static List<Long> keepers() {
        return Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data());
    }

    /** Whether its own copy of the jar is that one. */
    private static boolean runsFrom(long keeper, Path jar) throws IOException {
        String line = Processes.commandLine(keeper).orElseThrow();
        Path copy = Stream.of(line.split("[ :]"))
                .filter(part -> part.endsWith(jar.getFileName().toString()))
                .map(Path.of("/proc/" + keeper + "/cwd")::resolve)
                .findFirst()
                .orElseThrow();
        return Files.mismatch(copy, jar) < 0;
    }

    /**
     * Another version of a jar that the keeper runs from: in the time of its first file, as APPNOTE.TXT of zip has it in
     * front of that, where no JVM looks. As long and as old as before, so that the server has its cache.
     */
    private static Path change(Path installation) throws IOException {
        try (Stream<Path> jars = Files.list(installation.resolve("lib/lib/main"))) {
            Path jar = jars.filter(file -> file.getFileName().toString().contains("pty4j"))
                    .findFirst()
                    .orElseThrow();
            FileTime time = Files.getLastModifiedTime(jar);
            byte[] bytes = Files.readAllBytes(jar);
            bytes[10] ^= 1;
            Files.write(jar, bytes);
            Files.setLastModifiedTime(jar, time);
            return jar;
        }
    }
}
