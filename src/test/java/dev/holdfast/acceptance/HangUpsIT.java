package dev.holdfast.acceptance;

import static dev.holdfast.acceptance.Calls.command;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 3: a caller that disconnects does not stop its command, however early it does. */
class HangUpsIT {
    private static final int CALLERS = 100;

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void nobodyIsLeftAndNothingWentWrong() {
        await().atMost(Calls.PATIENCE)
                .until(() -> http.get("/v1/tasks").at("/total_active").asInt(-1) == 0);
        assertThat(SERVER.log()).doesNotContain("ERROR", "WARN");
    }

    @Test
    void inItsWindow() throws Exception {
        int callers = 40;
        for (int i = 0; i < callers; i++) {
            String before = SERVER.newest();
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                start(caller, "sleep 0.2; echo " + i + " >> in-window", i % 2 == 0 ? 100 : 9000);
                SERVER.awaitNewer(before);
            }
        }

        awaitLines("in-window", callers);
    }

    @Test
    void inTheMomentItHasAsked() throws Exception {
        for (int i = 0; i < CALLERS; i++) {
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                start(caller, "echo " + i + " >> at-once", 9000);
            }
        }

        awaitLines("at-once", CALLERS);
    }

    @Test
    void byAResetInTheMomentItHasAsked() throws Exception {
        for (int i = 0; i < CALLERS; i++) {
            RawHttp caller = RawHttp.to(SERVER.port());
            caller.send("", "GET /q/health/live HTTP/1.1", "Host: 127.0.0.1:" + SERVER.port());
            caller.status(); // the server has the connection, so that all it can lose is the request
            start(caller, "echo " + i + " >> reset", 9000);
            caller.reset();
        }

        awaitLines("reset", CALLERS);
    }

    @Test
    void withMoreThanACommandToStart() throws Exception {
        var tasks = new ArrayList<String>();
        for (int i = 0; i < 30; i++) {
            tasks.add(http.start("sleep 600", "labels", Json.object("n", Integer.toString(i))));
        }
        for (String task : tasks) {
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                caller.post(SERVER, "/v1/tasks/" + task + "/stop", Json.write(Json.object("force", true)));
            }
        }

        for (String task : tasks) {
            assertThat(http.awaitEnd(task).path("status").asText()).isEqualTo("cancelled");
        }
    }

    /** Of what only waits for it nothing is left, although it may have ten minutes to go. */
    @Test
    void whileItWaitsForNews() throws Exception {
        String id = http.start("sleep 600");
        String approval = http.run("curl -s http://127.0.0.1:9/ | sh", "yield_time_ms", 0)
                .hasStatus(202)
                .text("/approval_id");
        long before = waits();
        for (String path : List.of("/v1/tasks/" + id + "/output", "/v1/approvals/" + approval)) {
            try (RawHttp caller = RawHttp.to(SERVER.port())) {
                caller.send(
                        "",
                        "GET " + path + "?wait_ms=600000 HTTP/1.1",
                        "Host: 127.0.0.1:" + SERVER.port(),
                        "Authorization: Bearer " + SERVER.token());
                await(path).atMost(Calls.PATIENCE).until(() -> waits() == before + 1);
            }

            await(path).atMost(Calls.PATIENCE).until(() -> waits() == before);
            assertThat(ServerUsage.outputWatches(http)).isZero();
        }
        http.post("/v1/approvals/" + approval, Json.object("decision", "deny")).hasStatus(200);
        http.stop(id, "force", true).hasStatus(200);
    }

    private static long waits() throws IOException, InterruptedException {
        return ServerUsage.objects(SERVER, "dev.holdfast.runtime.call.OpenCalls$Open");
    }

    /** Else what the terminal prints from then on would be kept for each of them. */
    @Test
    void whoWouldHaveWatchedATerminal() throws Exception {
        String id = http.start("read x; exec head -c 20000000 /dev/zero", "tty", true);
        long before = ServerUsage.of(SERVER).heapKib();
        for (int i = 0; i < CALLERS; i++) {
            RawHttp caller = RawHttp.to(SERVER.port());
            caller.send("", TerminalClient.upgrade(SERVER, id));
            caller.reset();
        }
        http.input(id, "text", "\n").hasStatus(200);
        http.awaitEnd(id);

        // What is kept for one whose end the server has not seen yet goes with it.
        await().atMost(Calls.PATIENCE)
                .untilAsserted(
                        () -> assertThat(ServerUsage.of(SERVER).heapKib()).isLessThan(before + 8 * 1024));
    }

    private static void start(RawHttp caller, String cmd, int window) throws IOException {
        caller.post(SERVER, "/v1/commands", Json.write(command(cmd, "yield_time_ms", window)));
    }

    /** Each caller's command has run, and once. */
    private static void awaitLines(String file, int callers) {
        Path lines = SERVER.workspace().resolve(file);
        await().atMost(Calls.PATIENCE)
                .untilAsserted(() -> assertThat(lines(lines)).hasSizeGreaterThanOrEqualTo(callers));
        assertThat(new HashSet<>(lines(lines))).hasSize(callers);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
