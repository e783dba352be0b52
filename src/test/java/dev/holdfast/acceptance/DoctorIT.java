package dev.holdfast.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast doctor}: what works, what does not, and what to do about it. */
@Timeout(180)
class DoctorIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @TempDir
    private Path folder = Path.of("");

    /** In a surrounding that is changed. */
    private static Cli.Ran doctor(Map<String, String> changed, String... words) throws Exception {
        ProcessBuilder builder = SERVER.command(List.of());
        List<String> command = new ArrayList<>(List.of(Cli.SCRIPT, "doctor"));
        command.addAll(List.of(words));
        builder.environment().putAll(changed);
        return Cli.finish(builder.command(command).start());
    }

    private static JsonNode finding(Cli.Ran ran, String name) {
        for (JsonNode finding : Json.read(ran.text()).path("findings")) {
            if (finding.path("name").asText().equals(name)) {
                return finding;
            }
        }
        throw new AssertionError("nothing of " + name + ": " + ran.text() + ran.err());
    }

    private static void broken(Cli.Ran ran, String name, String text, String remedy) {
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(finding(ran, name).path("state").asText()).isEqualTo("broken");
        assertThat(finding(ran, name).path("text").asText()).contains(text);
        assertThat(finding(ran, name).path("remedy").asText()).contains(remedy);
    }

    @Test
    void whereAllWorksItSaysSo() throws Exception {
        for (long keeper : Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data())) {
            Processes.kill(keeper); // of a class before
            Processes.awaitGone(keeper);
        }
        Cli.Ran ran = doctor(Map.of());
        assertThat(ran.exit()).as(ran.text()).isZero();
        assertThat(ran.text().lines().map(line -> line.split(" +", -1)[1]))
                .contains("JDK", "kernel", "data", "free", "keeper", "cgroup", "bubblewrap", "server");
        assertThat(ran.text()).containsPattern("Holdfast 0\\.\\S+ is ready at http://127.0.0.1:" + SERVER.port());
        Cli.Ran json = doctor(Map.of(), "--json");
        assertThat(Json.read(json.text()).path("works").asBoolean()).isTrue();
        assertThat(finding(json, "keeper").path("text").asText()).contains("none runs");

        SERVER.calls().start("exec cat", "tty", true);
        assertThat(finding(doctor(Map.of(), "--json"), "keeper").path("text").asText())
                .startsWith("one runs");
    }

    @Test
    void withoutAServerAndWithoutAWallItIsARemark() throws Exception {
        Path tools = Files.createDirectory(folder.resolve("bin"));
        for (String tool : List.of("sh", "readlink", "dirname")) {
            Path program = Path.of("/usr/bin").resolve(tool);
            Files.createSymbolicLink(tools.resolve(tool), program.toRealPath());
        }
        Cli.Ran ran = doctor(
                Map.of(
                        "PATH", tools.toString(),
                        "QUARKUS_HTTP_PORT", Integer.toString(PackagedServer.freePort()),
                        "HOLDFAST_DATA_DIR", folder.resolve("none").toString()),
                "--json");
        assertThat(ran.exit()).as(ran.text()).isZero();
        assertThat(finding(ran, "bubblewrap").path("state").asText()).isEqualTo("remark");
        assertThat(finding(ran, "bubblewrap").path("remedy").asText()).contains("apt-get install bubblewrap");
        assertThat(finding(ran, "server").path("remedy").asText()).contains("holdfast serve");
        assertThat(finding(ran, "data folder").path("text").asText()).contains("is not there yet");
        assertThat(folder.resolve("none")).doesNotExist();
    }

    @Test
    void aFolderThatCannotBeMadeAndAWorkspaceThatIsNoneAreSaid() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        for (String nowhere : List.of("/proc/nope", file + "/below")) {
            broken(
                    doctor(Map.of("HOLDFAST_DATA_DIR", nowhere, "HOLDFAST_TOKEN", SERVER.token()), "--json"),
                    "data folder",
                    nowhere + " is not there, and cannot be made",
                    "HOLDFAST_DATA_DIR");
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));
        broken(
                doctor(Map.of("HOLDFAST_DATA_DIR", link.toString(), "HOLDFAST_TOKEN", SERVER.token()), "--json"),
                "data folder",
                "cannot be looked at",
                "HOLDFAST_DATA_DIR");
        assertThat(Folders.children(folder)).containsExactlyInAnyOrder(file, link);

        String typo = folder.resolve("typo").toString();
        broken(doctor(Map.of("HOLDFAST_WORKSPACE", typo), "--json"), "workspace", typo, "HOLDFAST_WORKSPACE");
        Path workspace = SERVER.workspace();
        Calls calls = SERVER.calls();
        calls.get("/q/health/well").hasStatus(200);
        Files.delete(workspace);
        try {
            assertThat(calls.get("/q/health/well").hasStatus(503).body()).contains("workspace", workspace.toString());
            calls.get("/q/health/ready").hasStatus(200);
        } finally {
            Files.createDirectory(workspace);
        }
        Path journal = SERVER.data().resolve("audit");
        Path away = Files.move(journal, SERVER.data().resolve("away"));
        Files.createFile(journal);
        try {
            assertThat(calls.get("/q/health/well").hasStatus(503).body()).contains("journal", journal.toString());
        } finally {
            Files.delete(journal);
            Files.move(away, journal);
        }
        calls.get("/q/health/well").hasStatus(200);
    }

    @Test
    void whatIsNeededAndBrokenIsSaidWithItsRemedy() throws Exception {
        Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> elsewhere = Map.of("HOLDFAST_DATA_DIR", open.toString(), "HOLDFAST_TOKEN", SERVER.token());
        broken(doctor(elsewhere, "--json"), "data folder", "open to others", "chmod 700 " + open);
        broken(
                doctor(Map.of("HOLDFAST_TOKEN", "wrong"), "--json"),
                "server",
                "does not know the token",
                "HOLDFAST_TOKEN");

        Path tokens = SERVER.data().resolve("tokens.yaml");
        Files.writeString(tokens, "tokens: none\n");
        await().atMost(Calls.PATIENCE)
                .until(() -> SERVER.calls().get("/q/health/well").status() == 503);
        broken(doctor(Map.of(), "--json"), "policy files", "tokens.yaml", "mend it");
        Files.delete(tokens);
        await("what the server sees once a second")
                .atMost(Calls.PATIENCE)
                .until(() -> SERVER.calls().get("/q/health/well").status() == 200);

        broken(doctor(Map.of("HOLDFAST_URL", "here"), "--json"), "server", "cannot be called", "--url or HOLDFAST_URL");
        broken(
                doctor(Map.of("HOLDFAST_URL", "http://holdfast.invalid:7420"), "--json"),
                "server",
                "none answers at http://holdfast.invalid:7420",
                "see whether it runs there");

        HttpServer foreign = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        foreign.createContext("/", http -> {
            byte[] page = "<html>another</html>".getBytes(UTF_8);
            http.sendResponseHeaders(200, page.length);
            http.getResponseBody().write(page);
            http.close();
        });
        foreign.start();
        try {
            Map<String, String> there = Map.of(
                    "QUARKUS_HTTP_PORT", Integer.toString(foreign.getAddress().getPort()));
            broken(doctor(there, "--json"), "server", "is no Holdfast", "QUARKUS_HTTP_PORT");
        } finally {
            foreign.stop(0);
        }
    }
}
