package dev.holdfast.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.keeper.screen.Picture;
import dev.holdfast.keeper.screen.Screen;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Section 12's screen: what a person would see, for who has no eyes. */
class ScreenIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    /** On the other screen, with a title and a hidden cursor; it stays until a line is typed. */
    private static final String OTHER =
            "printf 'usual\\033[?1049h\\033]0;my title\\007\\033[?25l\\033[2;3Hother\\033[3;1H'; read x";

    private final Calls http = SERVER.calls();

    @AfterEach
    void stopAll() {
        http.stopAll();
    }

    private String terminal(String cmd) {
        return http.start(cmd, "tty", true, "rows", 6, "cols", 30);
    }

    private JsonNode screen(String id) {
        return http.get("/v1/tasks/" + id + "/screen").hasStatus(200).json();
    }

    private Answer screen(String id, String accept) {
        return http.get("/v1/tasks/" + id + "/screen", "Accept", accept).hasStatus(200);
    }

    private static List<String> lines(JsonNode screen) {
        return StreamSupport.stream(screen.path("lines").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private JsonNode await(String id, Predicate<JsonNode> condition) {
        return Awaitility.await("screen of " + id).atMost(Calls.PATIENCE).until(() -> screen(id), condition);
    }

    private JsonNode awaitLine(String id, String line) {
        return await(id, screen -> lines(screen).contains(line));
    }

    private static void assertCursor(JsonNode screen, int row, int col, boolean visible) {
        assertThat(screen.path("cursor")).isEqualTo(Json.read("""
                {"row": %d, "col": %d, "visible": %b}""".formatted(row, col, visible)));
    }

    @Test
    void aPromptIsSeenWithTheCursorBehindIt() {
        String id = terminal("echo 'Welcome  '; read -p 'Name? ' name; echo \"Hello, $name\"; sleep 60");
        JsonNode screen = awaitLine(id, "Name?");

        assertThat(screen.fieldNames())
                .toIterable()
                .containsExactly("rows", "cols", "cursor", "lines", "title", "alternate_screen");
        assertThat(screen.path("rows").asInt()).isEqualTo(6);
        assertThat(screen.path("cols").asInt()).isEqualTo(30);
        assertThat(lines(screen)).containsExactly("Welcome", "Name?", "", "", "", "");
        assertCursor(screen, 1, 6, true);
        assertThat(screen.path("title").asText("none")).isEmpty();
        assertThat(screen.path("alternate_screen").asBoolean(true)).isFalse();

        http.input(id, "text", "Ada\n").hasStatus(200);
        assertThat(lines(awaitLine(id, "Hello, Ada"))).startsWith("Welcome", "Name? Ada", "Hello, Ada", "");
    }

    @Test
    void aProgressBarStandsOnOneLine() {
        String id = terminal("for i in 10 50 100; do printf '\\r%3d%% done' $i; done; echo; sleep 60");

        assertThat(lines(awaitLine(id, "100% done"))).containsExactly("100% done", "", "", "", "", "");
    }

    @Test
    void theOtherScreenTheTitleAndAHiddenCursorAreTold() {
        String id = terminal(OTHER);
        JsonNode screen = awaitLine(id, "  other");

        assertThat(lines(screen)).containsExactly("", "  other", "", "", "", "");
        assertThat(screen.path("title").asText()).isEqualTo("my title");
        assertThat(screen.path("alternate_screen").asBoolean()).isTrue();
        assertCursor(screen, 2, 0, false);
    }

    @Test
    void thereAreThreeForms() {
        String id = terminal(OTHER);
        List<String> lines = lines(awaitLine(id, "  other"));

        Answer text = screen(id, "text/plain");
        assertThat(text.header("Content-Type")).isEqualToIgnoringCase("text/plain;charset=UTF-8");
        assertThat(text.body()).isEqualTo("\n  other\n\n\n\n");
        Answer paint = screen(id, "application/x-ansi");
        assertThat(paint.header("Content-Type")).startsWith("application/x-ansi");
        Picture painted = painted(paint.bytes());
        assertThat(painted.lines()).isEqualTo(lines);
        assertThat(painted.title()).isEqualTo("my title");
        assertThat(painted.alternateScreen()).isTrue();
        assertThat(painted.cursorVisible()).isFalse();
        assertThat(painted.cursorRow()).isEqualTo(2);
        for (String other : List.of("*/*", "application/json", "image/png", "application/x-ansi;q=0")) {
            assertThat(screen(id, other).header("Content-Type")).startsWith("application/json");
        }
        try (TerminalClient watcher = TerminalClient.open(SERVER, id)) {
            assertThat(watcher.await("other")).isEqualTo(paint.body());
        }
    }

    private static Picture painted(byte[] bytes) {
        Screen screen = new Screen(6, 30);
        screen.print(ByteBuffer.wrap(bytes));
        Picture picture = screen.picture().orElseThrow();
        screen.close();
        return picture;
    }

    /** less and what is made with curses know the cursor keys in no other form. */
    @Test
    void keysAreSentAsTheProgramAskedForThem() {
        String read = "head -c 6 | od -An -tx1; ";
        String id = terminal(
                "stty raw -echo; printf first; " + read + "printf '\\033[?1h\\r\\nthen'; " + read + "sleep 60");
        await(id, screen -> lines(screen).getFirst().equals("first"));
        http.post("/v1/tasks/" + id + "/input", Json.object("keys", List.of("up", "end")))
                .hasStatus(200);
        await(id, screen -> lines(screen).stream().anyMatch(line -> line.equals("then")));
        http.post("/v1/tasks/" + id + "/input", Json.object("keys", List.of("up", "end")))
                .hasStatus(200);
        JsonNode screen = await(id, now -> lines(now).stream().anyMatch(line -> line.equals("then 1b 4f 41 1b 4f 46")));
        assertThat(lines(screen).getFirst()).isEqualTo("first 1b 5b 41 1b 5b 46");
    }

    /** Drawn as less does; what less and vim themselves print is compared with tmux in the screens' own tests. */
    @Test
    void aPagerIsSeenAndLeavesTheUsualScreenBehind() {
        String id = terminal("""
                echo before
                page() { printf '\\033[H\\033[2J'; printf 'line %s\\r\\n' $(seq $1 $2); }
                printf '\\033[?1049h'; page 1 4; read -rsn1; page 97 100; read -rsn1; printf '\\033[?1049l'
                echo after; sleep 60""");

        JsonNode paging = awaitLine(id, "line 4");
        assertThat(lines(paging)).startsWith("line 1", "line 2");
        assertThat(paging.path("alternate_screen").asBoolean()).isTrue();
        http.input(id, "text", "G").hasStatus(200);
        awaitLine(id, "line 100");
        http.input(id, "text", "q").hasStatus(200);
        JsonNode left = awaitLine(id, "after");
        assertThat(left.path("alternate_screen").asBoolean()).isFalse();
        assertThat(lines(left)).contains("before").noneMatch(line -> line.startsWith("line"));
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        String id = terminal("printf '界e\\314\\201🙂 '; read x");
        JsonNode screen = awaitLine(id, "界e\u0301🙂");

        assertCursor(screen, 0, 6, true);
        assertThat(screen(id, "text/plain").body()).startsWith("界e\u0301🙂\n");
    }

    @Test
    void itFollowsTheSize() {
        String id = terminal("printf top; read x");
        awaitLine(id, "top");
        http.put("/v1/tasks/" + id + "/terminal-size", Json.object("rows", 2, "cols", 500))
                .hasStatus(200);

        JsonNode screen = screen(id);
        assertThat(lines(screen)).containsExactly("top", "");
        assertThat(screen.path("cols").asInt()).isEqualTo(500);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000})
    void anySizeIsSeenWhateverIsPrinted(int size) {
        String id = http.start(
                "head -c 300000 /dev/urandom; printf '\\033c\\033#8'; echo -n over; sleep 60",
                "tty",
                true,
                "rows",
                size,
                "cols",
                size);
        http.awaitOutput(id, "over");
        JsonNode screen = await(id, seen -> lines(seen).getFirst().startsWith(size == 1 ? "r" : "overE"));

        assertThat(screen.path("rows").asInt()).isEqualTo(size);
        assertThat(lines(screen)).hasSize(size);
        assertThat(lines(screen).getLast()).isEqualTo(size == 1 ? "r" : "E".repeat(size));
        assertThat(screen(id, "text/plain").body().length()).isEqualTo(size == 1 ? 1 : 1000 * 1000 + 999);
    }

    /** For RestartIT, which kills the server. */
    Story aServerThatWasKilledSeesItAgainAsItStandsOrStoodLast() {
        String ended = terminal(OTHER);
        awaitLine(ended, "  other");
        http.input(ended, "text", "\n").hasStatus(200);
        http.awaitEnd(ended);
        assertLast(ended);
        String running = terminal(OTHER);
        String ends = terminal("read x; echo ended; : $x");
        awaitLine(running, "  other");
        http.input(ends, "text", "typed").hasStatus(200);
        awaitLine(ends, "typed");

        return new Story("a screen is seen again as it stands or stood last", () -> {
            assertLast(ended);
            assertThat(screen(running).path("title").asText()).isEqualTo("my title");
            assertThat(lines(screen(running))).contains("  other");
            assertThat(lines(screen(ends))).startsWith("typed");
            http.input(ends, "text", "\n").hasStatus(200);
            http.awaitEnd(ends);
            assertThat(lines(screen(ends))).startsWith("typed", "ended");
        });
    }

    private void assertLast(String id) {
        JsonNode last = screen(id);
        assertThat(lines(last)).containsExactly("", "  other", "", "", "", "");
        assertThat(last.path("title").asText()).isEqualTo("my title");
        assertThat(painted(screen(id, "application/x-ansi").bytes()).lines()).isEqualTo(lines(last));
    }

    @Test
    void whereTheKeeperWasKilledTheOutputTellsIt() {
        String id = terminal(OTHER);
        awaitLine(id, "  other");
        Processes.running("dev.holdfast.keeper.Keeper " + SERVER.data()).forEach(Processes::kill);

        assertThat(http.awaitEnd(id).path("status").asText()).isEqualTo("interrupted");
        JsonNode last = screen(id);
        assertThat(lines(last)).containsExactly("", "  other", "", "", "", "");
        assertThat(last.path("alternate_screen").asBoolean()).isTrue();
    }

    @Test
    void whatHasNoScreenSaysSo() {
        String id = http.start("sleep 60");

        http.get("/v1/tasks/" + id + "/screen").refused(409, "not_a_terminal");
        http.get("/v1/tasks/task_01ARZ3NDEKTSV4RRFFQ69G5FAV/screen").refused(404, "task_not_found");
        http.get("/v1/tasks/nonsense/screen").refused(404, "task_not_found");
        String text = http.get("/v1/tasks/" + id + "/screen", "Accept", "text/plain")
                .hasStatus(409)
                .body();
        assertThat(text).startsWith("Command failed").contains("tty");
    }
}
