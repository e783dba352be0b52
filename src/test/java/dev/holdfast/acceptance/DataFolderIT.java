package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data folder that cannot be used is refused at the start with one line that names the remedy; {@code DataFolderTest}
 * has more of them.
 */
class DataFolderIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @TempDir
    Path elsewhere;

    private Path folder = Path.of("");

    @BeforeEach
    void makeFolder() throws IOException {
        folder = elsewhere.toRealPath().resolve("data");
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Starts a server that refuses, and gives the one line it says. */
    private static String refusal(Path folder, List<String> under) throws Exception {
        int port = PackagedServer.freePort();
        ProcessBuilder command = SERVER.command(under).redirectErrorStream(true);
        command.environment()
                .putAll(Map.of("HOLDFAST_DATA_DIR", folder.toString(), "QUARKUS_HTTP_PORT", Integer.toString(port)));
        Process server = command.start();
        String said = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(said.lines()).as(said).hasSize(1);
        assertThat(said).doesNotContain("Exception").contains(folder.toString());
        assertThat(server.exitValue()).isEqualTo(1);
        return said;
    }

    private static String refusal(Path folder) throws Exception {
        return refusal(folder, List.of());
    }

    @Test
    void openToOthers() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));

        assertThat(refusal(folder)).contains("open to others (rwxr-x---)", "chmod 700 " + folder);
        assertThat(Folders.children(folder)).isEmpty();
    }

    @Test
    void readOnly() throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        List<String> mounted = Mounts.under(folder, "mount --bind \"$0\" \"$0\"; mount -o remount,bind,ro \"$0\"");

        assertThat(refusal(folder, mounted))
                .contains(
                        "cannot be written (" + folder.resolve("lock") + ": Read-only file system)",
                        "set HOLDFAST_DATA_DIR");
    }

    /**
     * The kernel's file system of message queues takes files, and nothing else: as FAT does, of which not every kernel
     * knows.
     */
    @Test
    void withoutFifos() throws Exception {
        if (!Mounts.allowed()) {
            return;
        }
        List<String> mounted = Mounts.under(folder, "mount -t mqueue none \"$0\"; chmod 700 \"$0\"");

        assertThat(refusal(folder, mounted)).contains("a file system without FIFOs", "Set HOLDFAST_DATA_DIR");
    }

    @Test
    void whatIsInTheWayOfAFile() throws Exception {
        Path token = Files.createDirectory(folder.resolve("token"));
        assertThat(refusal(folder)).contains(token + " (it is no file)", "move it away");
        Files.delete(token);
        Path database = Files.createDirectory(folder.resolve("holdfast.mv.db"));
        assertThat(refusal(folder)).contains("The database " + database + " cannot be opened", "move it away");
    }

    /** Held by a server of its own: what others began with the shared one may go on, as a keeper that leaves. */
    @Test
    void theLongestPathIsHeldAndHoldsATerminal() throws Exception {
        int most = 103 - "/keeper/12345678.s".length();
        Path data = folder.resolve("d".repeat(most - folder.toString().length() - 1));
        PackagedServer server = at(data);
        try {
            server.beforeAll();
            heldByAnotherServer(server, data);
            holdsATerminal(server);
        } finally {
            server.afterAll();
        }
    }

    @Test
    void anOddAndRelativePathHoldsATerminal() throws Exception {
        PackagedServer server = at(Path.of("../beside:a b'$(c)"));
        try {
            server.beforeAll();
            holdsATerminal(server);
        } finally {
            server.afterAll();
        }
    }

    private static PackagedServer at(Path data) {
        return new PackagedServer().with("HOLDFAST_DATA_DIR", data.toString()).with("HOLDFAST_TOKEN", "given");
    }

    private static void holdsATerminal(PackagedServer server) {
        assertThat(server.calls().run("tty", "tty", true).completed().text("/stdout_preview"))
                .contains("/dev/");
    }

    private static void heldByAnotherServer(PackagedServer server, Path data) throws Exception {
        Calls http = server.calls();
        String id = http.start("sleep 600");
        http.pid(id);
        Map<Path, Long> before = changes(data);

        assertThat(refusal(data))
                .contains("in use by another Holdfast server (pid " + server.pid() + ")", "Stop that one");

        assertThat(changes(data)).isEqualTo(before);
        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
    }

    /**
     * When each file of the running server was last written, but for the database, which tidies up by itself, and the
     * place of its control groups, which it writes down once a task has lived for a moment.
     */
    private static Map<Path, Long> changes(Path data) throws IOException {
        Map<Path, Long> changes = new TreeMap<>();
        for (Path file : Folders.files(data)) {
            boolean itself = file.toString().endsWith(".db");
            if (!file.endsWith("cgroup")) {
                changes.put(file, itself ? 0 : Files.getLastModifiedTime(file).toMillis());
            }
        }
        return changes;
    }
}
