package dev.holdfast.acceptance;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Section 16: the terminal of a task on its page. */
class ConsoleTerminalIT {
    @RegisterExtension
    static final PackagedServer SERVER = PackagedServer.shared();

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium();

    private final Calls http = SERVER.calls();

    private TaskPage open(String id) {
        TaskPage page = TaskPage.open(SERVER, CHROMIUM, id);
        assertThat(page.find(".xterm-screen")).isVisible();
        return page;
    }

    private JsonNode screen(String id) {
        return http.get("/v1/tasks/" + id + "/screen").hasStatus(200).json();
    }

    private void awaitScreen(String id, String text) {
        await("screen of " + id)
                .atMost(Calls.PATIENCE)
                .until(() -> screen(id).path("lines").toString().contains(text));
    }

    @Test
    void aReplIsTypedInto() {
        String id = http.start("exec python3 -q", "tty", true);
        awaitScreen(id, ">>>");
        TaskPage page = open(id);
        page.awaitScreen(">>>");
        assertThat(page.find(".xterm-helper-textarea:focus")).hasCount(0);

        page.press("i");
        page.type("print(6 * 7)");
        page.press("Enter");
        page.awaitScreen("42");

        page.press("s");
        assertThat(page.find("dialog")).hasCount(0);
        page.press("Control+]");
        assertThat(page.find(".xterm-helper-textarea:focus")).hasCount(0);
        page.press("s");
        assertThat(page.find("dialog")).hasCount(1);
    }

    /** As in other terminals of a browser: who copies a line of a server's log must not end the server. */
    @Test
    void whatIsSelectedIsCopiedByTheKeyThatElseInterrupts() {
        String id = http.start("trap 'echo interrupted' INT; echo copy-me; while :; do sleep 0.1; done", "tty", true);
        awaitScreen(id, "copy-me");
        TaskPage page = open(id);
        page.page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
        page.awaitScreen("copy-me");
        page.button("For screen readers").click(); // what it lays over the terminal is selected by other means
        assertThat(page.find(".xterm-accessibility")).hasCount(0);
        page.press("i");
        BoundingBox shown = page.find(".xterm-screen").boundingBox();
        page.page().mouse().dblclick(shown.x + 12, shown.y + 8);
        page.press("Control+c");
        await().atMost(Calls.PATIENCE)
                .until(() -> "copy-me".equals(page.page().evaluate("() => navigator.clipboard.readText()")));

        page.press("Control+c");
        awaitScreen(id, "interrupted");
        assertThat(screen(id).path("lines").toString()).containsOnlyOnce("interrupted");
    }

    @Test
    void aPasteThatIsMoreThanAMessageMayHoldArrives() {
        String id = http.start("stty raw -echo; echo ready; head -c 1200000 | wc -c; exec cat", "tty", true);
        awaitScreen(id, "ready");
        TaskPage page = open(id);
        assertThat(page.find(".log-bar")).containsText("ctrl-] leaves it");
        page.find(".xterm-helper-textarea").evaluate("""
                field => {
                    const clipboardData = new DataTransfer();
                    clipboardData.setData('text/plain', 'x'.repeat(1_200_000));
                    field.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true}));
                }""");
        awaitScreen(id, "1200000");
    }

    /** ctrl-v is the terminal's: the next key as it is. */
    @Test
    void theKeyThatIsNamedPastes() {
        String id = http.start("exec cat", "tty", true);
        TaskPage page = open(id);
        assertThat(page.find(".log-bar")).containsText("ctrl-shift-v pastes");
        page.page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
        page.page().evaluate("navigator.clipboard.writeText('from the clipboard')");

        page.press("i");
        page.press("Control+Shift+V");

        awaitScreen(id, "from the clipboard");
    }

    @Test
    void aTerminalWhoseScreenIsNotToldAtFirstIsShownAllTheSame() {
        String id = http.start("echo here; exec cat", "tty", true, "rows", 20, "cols", 70);
        awaitScreen(id, "here");
        Page browser = CHROMIUM.signedIn(SERVER);
        browser.route("**/screen", Route::abort, new Page.RouteOptions().setTimes(1));
        TaskPage page = TaskPage.open(SERVER, browser, id);
        page.awaitScreen("here");
        assertThat(page.find(".xterm-accessibility-tree > div")).hasCount(20);
    }

    @Test
    void aKeyOfItsLogOpensThat() {
        String id = http.start("echo on record; exec cat", "tty", true);
        awaitScreen(id, "on record");
        TaskPage page = open(id);
        List<String> errors = new CopyOnWriteArrayList<>();
        page.page().onPageError(errors::add);
        page.press("G");
        page.awaitLog(log -> log.contains("on record"));
        assertThat(errors).isEmpty();
    }

    /** vim where there is one, else top, which comes with every Linux. */
    @Test
    void aFullScreenProgramIsPaintedAtOnceAndTypedInto() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= 100; i++) {
            text.append("line ").append(i).append('\n');
        }
        Files.writeString(SERVER.workspace().resolve("text"), text);
        String program = Files.isExecutable(Path.of("/usr/bin/vim")) ? "exec vim -u NONE text" : "exec top -d 1";
        boolean edits = program.contains("vim");
        String id = http.start(program, "tty", true, "rows", 20, "cols", 70);
        awaitScreen(id, edits ? "line 10" : "PID");
        TaskPage page = open(id);
        page.awaitScreen(edits ? "line 10" : "PID");
        page.press("i");
        if (edits) {
            page.type("Gohello from here");
            page.press("Escape");
            page.type(":wq");
            page.press("Enter");
        } else {
            page.type("q");
        }
        assertThat(page.find(".task-head .state")).hasText("exit 0");
        if (edits) {
            assertThat(SERVER.workspace().resolve("text")).content().endsWith("line 100\nhello from here\n");
        }
    }

    /** Its forty rows are more than a small window shows. */
    @Test
    void whereItsCursorIsIsSeenUntilSomebodyLooksElsewhere() {
        String id = http.start("seq 60; read -p 'And then? ' x; read -p 'And now? ' x; exec cat", "tty", true);
        awaitScreen(id, "And then?");
        TaskPage page = open(id);
        page.page().setViewportSize(1200, 600);
        page.page().reload();
        Locator box = page.find(".terminal-box");
        String hidden = "box => box.scrollHeight - box.clientHeight - box.scrollTop";
        await().atMost(Calls.PATIENCE)
                .until(() -> ((Number) box.evaluate("box => box.scrollTop")).intValue() > 0
                        && ((Number) box.evaluate(hidden)).intValue() < 20);

        box.evaluate("box => new Promise(seen => { box.onscroll = seen; box.scrollTop = 0; })");
        http.post("/v1/tasks/" + id + "/input", Json.object("text", "on\n"));
        page.awaitScreen("And now?");
        assertThat(((Number) box.evaluate("box => box.scrollTop")).intValue()).isZero();
    }

    @Test
    void whoWatchesLeavesItsSizeAloneUntilHeSaysSo() {
        String id = http.start("exec bash --norc", "tty", true, "rows", 20, "cols", 70);
        awaitScreen(id, "bash-");
        TaskPage page = open(id);
        page.awaitScreen("bash-");
        assertThat(screen(id).path("cols").asInt()).isEqualTo(70);
        page.page().setViewportSize(900, 700);
        page.page().setViewportSize(1200, 800);
        assertThat(screen(id).path("cols").asInt()).isEqualTo(70);

        page.button("Fit to this page").click();
        await().atMost(Calls.PATIENCE).until(() -> screen(id).path("cols").asInt() > 100);
        page.page().setViewportSize(600, 800);
        await().atMost(Calls.PATIENCE).until(() -> screen(id).path("cols").asInt() < 90);
        page.button("Fit to this page").click();
        http.put("/v1/tasks/" + id + "/terminal-size", Json.object("rows", 10, "cols", 40))
                .hasStatus(200);
        assertThat(page.find(".xterm-accessibility-tree > div")).hasCount(10);
    }

    @Test
    void readsWellForWhoListens() {
        String id = http.start(
                "printf '\\033[1;32mok\\033[0m \\033[31m2 failed\\033[0m \\033[7m inverse \\033[0m\\n'; exec bash --norc",
                "tty",
                true);
        TaskPage page = open(id);
        awaitScreen(id, "bash-");
        assertThat(page.find(".terminal-part [role=status]")).hasText("ctrl-] leaves it, ctrl-shift-v pastes");
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.page()
                    .emulateMedia(new Page.EmulateMediaOptions()
                            .setColorScheme(scheme)
                            .setReducedMotion(ReducedMotion.REDUCE)); // else colours may be on their way
            Chromium.picture(page.page(), "terminal-" + scheme.name().toLowerCase(Locale.ROOT));
            assertThat(Chromium.hindrances(page.page())).isEmpty();
        }
        page.page().setViewportSize(400, 800);
        await("all fits its width")
                .atMost(Calls.PATIENCE)
                .until(() -> page.page().evaluate("document.documentElement.scrollWidth"), width -> width.equals(400));
        Chromium.picture(page.page(), "terminal-narrow");
        assertThat(Chromium.hindrances(page.page())).isEmpty();
    }
}
