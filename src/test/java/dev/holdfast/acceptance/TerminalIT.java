package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 12's WebSocket: a terminal, watched and typed into. */
class TerminalIT {
    private static final String ECHO = "stty -echo; echo ready; cat";

    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    @Test
    void typesAndShows() {
        String id = http.start(ECHO, "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("ready");
            terminal.type("héllo\r");
            terminal.await("héllo");
        }
    }

    @Test
    void whatRestoresTheScreenComesFirst() {
        String id = http.start(ECHO, "tty", true);
        http.awaitOutput(id, "ready");
        try (TerminalClient late = TerminalClient.open(SERVER, id)) {
            late.await("ready");
        }
    }

    /** A header on the other screen, then much below it: painted, not sent again with all that it was drawn by. */
    @Test
    void whatWasDrawnOnceIsStillOnTheScreen() {
        String id = http.start(
                "printf 'shell\\033[?1049h\\033[H\\033[2J\\033[1mHEADER\\033[m'; for i in $(seq 9000);"
                        + " do printf '\\033[5;1Hstep %d' $i; done; printf ' over'; sleep 600",
                "tty", true);
        http.awaitOutput(id, "step 9000 over");
        try (TerminalClient late = TerminalClient.open(SERVER, id)) {
            String screen = late.await("step 9000 over");
            assertThat(screen)
                    .contains("shell", "\033[?1049h", "HEADER")
                    .doesNotContain("step 8999")
                    .hasSizeLessThan(1000);
        }
    }

    /** What the program asked was answered by who watched then; an answer now would be typed into it. */
    @Test
    void whatTheProgramAskedOnceIsNotAskedAgain() {
        String id = http.start("printf 'a\\033[6n\\033[c\\a\\033]11;?\\ab'; echo ready; sleep 600", "tty", true);
        http.awaitOutput(id, "ready");
        try (TerminalClient late = TerminalClient.open(SERVER, id)) {
            assertThat(late.await("abready")).doesNotContain("\033[6n", "\033[c", "\007", "\033]11;");
        }
    }

    /** It connects in the midst of it: the screen as it is then, and from there on all that follows. */
    @Test
    void nothingIsLostOrSaidTwiceWhileItPrints() throws IOException {
        String id = http.start(
                "stty -onlcr; until test -e joined; do i=$((i + 1)); echo line $i; done; seq 100000; echo over; sleep 60",
                "tty",
                true);
        http.awaitOutput(id, "line 1000");
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            Files.createFile(SERVER.workspace().resolve("joined"));
            String screen = terminal.await("over\n");
            String raw = http.raw(id, "?stream=stdout&max_bytes=1048576&cursor=-100000")
                    .body();

            assertThat(screen).contains("\n95000\n");
            assertThat(raw).endsWith(screen.substring(screen.indexOf("\n95000\n")));
        }
    }

    @Test
    void severalMayWatch() {
        String id = http.start(ECHO, "tty", true);
        try (TerminalClient one = TerminalClient.open(SERVER, id);
                TerminalClient two = TerminalClient.open(SERVER, id)) {
            one.await("ready");
            two.await("ready");
            one.type("from one\r");
            two.type("from two\r");
            for (TerminalClient each : new TerminalClient[] {one, two}) {
                each.await("from one");
                each.await("from two");
            }
        }
    }

    /** Else what they do not read would be held as long as they stay, until there is no memory for the others. */
    @Test
    void whoNeverReadsIsHungUpAndCostsTheOthersNothing() throws IOException {
        String id = http.start("stty -echo; read x; head -c 40000000 /dev/zero; exec cat", "tty", true);
        List<RawHttp> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 30; i++) {
                RawHttp client = RawHttp.to(SERVER.port());
                clients.add(client);
                client.send("", TerminalClient.upgrade(SERVER, id));
                assertThat(client.status()).isEqualTo(101);
            }
            http.input(id, "text", "\n").hasStatus(200);
            await().atMost(Calls.PATIENCE).until(() -> clients.stream().allMatch(TerminalIT::hasHungUp));
            try (TerminalClient other = TerminalClient.open(SERVER, id)) {
                other.type("still here\n");
                other.await("still here");
            }
        } finally {
            for (RawHttp client : clients) {
                client.close();
            }
        }
    }

    /** Its request has a body that never comes. */
    @Test
    void whoNeverFinishesAskingIsHungUp() throws IOException {
        // So much that it still prints when a busy server begins to listen.
        String id = http.start("read x; head -c 400000000 /dev/zero; sleep 600", "tty", true);
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send(String.join("\r\n", TerminalClient.upgrade(SERVER, id)) + "\r\nContent-Length: 5\r\n\r\n");
            http.input(id, "text", "\n").hasStatus(200);

            assertThat(client.whole()).isEmpty();
        }
    }

    /** By a ping, which a connection takes. */
    private static boolean hasHungUp(RawHttp client) {
        try {
            client.send(new byte[] {(byte) 0x89, (byte) 0x80, 0, 0, 0, 0});
            return false;
        } catch (IOException hungUp) {
            return true;
        }
    }

    /** All of it is read at last; until then most of it waits on the side of who sent it, not in the server's memory. */
    @Test
    void whatIsPastedWaitsForAProgramThatDoesNotReadYet() throws Exception {
        byte[] pasted = new byte[24 << 20];
        new Random(1).nextBytes(pasted);
        String id = http.start(
                "stty raw -echo; echo ready; until test -e read; do sleep 0.2; done; head -c " + pasted.length
                        + " | sha256sum; sleep 60",
                "tty",
                true);
        http.awaitOutput(id, "ready");
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            var sent = new AtomicInteger();
            var seen = new AtomicInteger();
            terminal.paste(pasted, sent);
            await("nothing more of it is taken")
                    .pollInterval(Duration.ofMillis(500))
                    .atMost(Calls.PATIENCE)
                    .until(sent::get, now -> now == seen.getAndSet(now) && now > 0 && now < 24);
            Files.createFile(SERVER.workspace().resolve("read"));
            terminal.await(HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(pasted)));
        }
    }

    @Test
    void aTextFrameResizes() {
        String id = http.start("trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done", "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("ready");
            terminal.text("{\"rows\":31,\"cols\":77}");
            terminal.await("31 77");
        }
    }

    @Test
    void aBadTextFrameHurtsNothing() {
        String id = http.start(ECHO, "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("ready");
            terminal.text("{\"rows\":0,\"cols\":\"x\"");
        }
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("alive\r");
            terminal.await("alive");
        }
    }

    @Test
    void controlCharactersWork() {
        String id = http.start("cat; echo never", "tty", true);
        http.awaitTask(id, task -> task.path("waiting").asText().equals("input"));
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("\u0003");

            assertThat(http.awaitEnd(id).path("exit_signal").asText()).isEqualTo("SIGINT");
            terminal.awaitClosed();
        }
    }

    @Test
    void theEndOfTheTaskClosesIt() {
        String id = http.start("read x; echo bye; exit 4", "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.type("\r");
            assertThat(terminal.awaitClosed()).isEqualTo(WebSocket.NORMAL_CLOSURE);
            assertThat(terminal.screen()).contains("bye");
        }
        assertThat(http.awaitEnd(id).path("exit_status").asInt()).isEqualTo(4);
    }

    @Test
    void leavingATerminalLeavesItRunning() {
        String id = http.start(ECHO, "tty", true);
        TerminalClient.open(SERVER, id).close();

        assertThat(http.task(id).path("status").asText()).isEqualTo("running");
    }

    @Test
    void theTokenMayBeASubprotocol() {
        String id = http.start(ECHO, "tty", true);
        String bearer = "bearer." + SERVER.token();
        try (TerminalClient terminal = TerminalClient.connect(SERVER, id, with -> with.subprotocols(bearer))) {
            terminal.await("ready");
            assertThat(terminal.subprotocol()).isEqualTo(bearer);
        }
    }

    @Test
    void aStrangerMayNotWatch() {
        String id = http.start(ECHO, "tty", true);
        String right = "Bearer " + SERVER.token();

        assertThat(TerminalClient.refusal(SERVER, id, with -> with)).isEqualTo(401);
        assertThat(TerminalClient.refusal(SERVER, id, with -> with.header("Authorization", "Bearer wrong")))
                .isEqualTo(401);
        assertThat(TerminalClient.refusal(SERVER, id, with -> with.subprotocols("bearer.wrong")))
                .isEqualTo(401);
        assertThat(TerminalClient.refusal(
                        SERVER,
                        id,
                        with -> with.header("Authorization", right).header("Origin", "http://evil.example")))
                .isEqualTo(403);
    }

    @Test
    void aTerminalWithoutInputIsOnlyWatched() {
        String id = http.start(
                "trap 'echo interrupted' INT; trap 'echo resized' WINCH; echo ready; while :; do sleep 0.1; done",
                "tty",
                true,
                "accepts_input",
                false);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await("ready");
            terminal.type("typed\r\u0003");
            terminal.text("{\"rows\":31,\"cols\":77}");
            assertThat(terminal.await("resized")).doesNotContain("typed").doesNotContain("interrupted");
        }
    }

    @Test
    void aTaskWithoutATerminalHasNone() {
        String id = http.start("sleep 60");
        String right = "Bearer " + SERVER.token();

        int refused = TerminalClient.refusal(SERVER, id, with -> with.header("Authorization", right));
        int unknown = TerminalClient.refusal(
                SERVER, "task_01ARZ3NDEKTSV4RRFFQ69G5FAV", with -> with.header("Authorization", right));

        assertThat(refused).isEqualTo(409);
        assertThat(unknown).isEqualTo(404);
    }

    @Test
    void anIdThatIsNoneIsRefusedAsElsewhere() throws IOException {
        http.start("sleep 60");
        Answer elsewhere = http.get("/v1/tasks/nope").refused(404, "task_not_found");
        assertThat(elsewhere.at("/details/running")).isNotEmpty();
        try (RawHttp client = RawHttp.to(SERVER.port())) {
            client.send(
                    "",
                    "GET /v1/tasks/nope/terminal HTTP/1.1",
                    "Host: 127.0.0.1:" + SERVER.port(),
                    "Authorization: Bearer " + SERVER.token(),
                    "Upgrade: websocket",
                    "Connection: close");
            String answer = client.whole();
            assertThat(answer).startsWith("HTTP/1.1 404 ");
            assertThat(Json.read(answer.substring(answer.indexOf("\r\n\r\n")))).isEqualTo(elsewhere.json());
        }
    }

    @Test
    void aReplComputes() {
        String id = http.start("python3 -q", "tty", true);
        try (TerminalClient terminal = TerminalClient.open(SERVER, id)) {
            terminal.await(">>>");
            terminal.type("6 * 7\r");
            terminal.await("42");
            // Before that an end of input comes to a terminal that does not take keys yet, which makes a NUL of it.
            await("the next prompt")
                    .atMost(Calls.PATIENCE)
                    .until(terminal::screen, screen -> screen.lastIndexOf(">>>") > screen.lastIndexOf("42"));
            terminal.type("\u0004");
        }
        assertThat(http.awaitEnd(id).path("exit_status").asInt(-1)).isZero();
    }
}
